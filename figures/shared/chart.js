/** What the charts share: a frame with two axes, text that stays readable over lines, and marks that do not need colour. */

import { scaleLinear, scaleLog } from "../vendor/d3.js";
import { says } from "./sentences.js";
import { filled, shown } from "./template.js";

/** The powers of ten of a domain. */
function decades([low, high]) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}

function scaleOf({ kind = "log", domain }, range) {
  return (kind === "log" ? scaleLog() : scaleLinear()).domain(domain).range(range);
}

/** The values of an axis that get a number, by its description. */
function ticksOf({ kind, domain, ticks, count }, scale, length) {
  if (ticks.length) return ticks;
  return kind === "log" ? decades(domain) : scale.ticks(Math.max(Math.min(count, Math.round(length / 60)), 3));
}

/**
 * An axis along the bottom or the left edge, with a number and a line across the chart at each of its ticks. Numbers
 * that would run into each other are left out, but not their lines; with `named: false` there are lines only.
 */
function axis(group, inner, scale, { named = true, between = false, ...described }, left) {
  const axes = group.append("g").attr("class", `axis axis-${left ? "y" : "x"}`).attr("aria-hidden", "true");
  if (!left) axes.attr("transform", `translate(0,${inner.height})`);
  let values = ticksOf(described, scale, left ? inner.height : inner.width);
  // A single number does not show the scale: then 2 and 5 of each decade get one as well.
  if (values.length < 2 && between) values = scale.ticks(3).filter((value) => /^[125]/.test(value.toExponential()));
  const ticks = values.map((value) => [value, named ? shown(value, described.form) : ""]);
  const apart = ticks.length < 2 ? Infinity : Math.abs(scale(ticks[1][0]) - scale(ticks[0][0]));
  const widest = left ? 24 : 8 * Math.max(...ticks.map(([, name]) => name.length));
  const every = Math.max(Math.ceil(widest / apart), 1);
  for (const [index, [value, tickName]] of ticks.entries()) {
    const name = index % every ? "" : tickName;
    const at = scale(value);
    const one = axes.append("g").attr("class", "tick").attr("transform", left ? `translate(0,${at})` : `translate(${at},0)`);
    one.append("line").attr(left ? "x2" : "y2", left ? inner.width : -inner.height);
    one.append("text").attr(left ? "x" : "y", left ? -7 : 7).attr("dy", left ? "0.32em" : "0.71em")
      .attr("text-anchor", left ? "end" : "middle").text(name);
  }
}

/** An axis without numbers and lines, such as that of a list of bars. */
export function bare(domain) {
  return { kind: "linear", domain, ticks: [], count: 0, title: "" };
}

/**
 * Begin a chart with two axes of the figure's description and their titles, whose gaps `values` fills. Returns the
 * scales, the group to draw into and the inner size.
 */
export function frame(svg, { width, height }, { x, y, margin = {}, values = {} }) {
  const m = { top: 34, right: 14, bottom: 42, left: 52, ...margin };
  const inner = { width: width - m.left - m.right, height: height - m.top - m.bottom };
  const scaleX = scaleOf(x, [0, inner.width]);
  const scaleY = scaleOf(y, [inner.height, 0]);
  const group = svg.append("g").attr("transform", `translate(${m.left},${m.top})`);
  axis(group, inner, scaleX, x, false);
  if (y.count || y.ticks.length) axis(group, inner, scaleY, y, true);
  words(group, inner.width / 2, inner.height + 36, filled(x.title, values), { anchor: "middle", kind: "axis-name" });
  words(group, -m.left + 4, -m.top + 14, filled(y.title, values), { kind: "axis-name" });
  return { group, x: scaleX, y: scaleY, inner, margin: m };
}

/** Text with a halo, so that it stays readable where it crosses a line. */
export function words(group, x, y, text, { anchor = "start", kind = "", regime = "" } = {}) {
  return group.append("text").attr("x", x).attr("y", y).attr("text-anchor", anchor)
    .attr("class", `words ${kind} ${regime}`.trim()).text(text);
}

/** A mark: a disc below the ridge point, a square from it on. Colour only repeats what its form already says. */
export function mark(group, x, y, computeBound, { size = 5, kind = "" } = {}) {
  const form = computeBound
    ? group.append("rect").attr("x", x - size).attr("y", y - size).attr("width", 2 * size).attr("height", 2 * size)
    : group.append("circle").attr("cx", x).attr("cy", y).attr("r", size);
  return form.attr("class", `mark ${regimeClass(computeBound)} ${kind}`.trim());
}

export function regimeClass(computeBound) {
  return computeBound ? "compute" : "memory";
}

export function regimeName(computeBound) {
  return says[regimeClass(computeBound)];
}

/** Define the hatch of memory-bound bars, stripes in any theme and on paper; returns the value for `fill`. */
export function hatch(svg, id) {
  const pattern = svg.append("defs").append("pattern").attr("id", id).attr("width", 7).attr("height", 7)
    .attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)");
  pattern.append("rect").attr("width", 7).attr("height", 7).attr("class", "hatch-ground");
  pattern.append("line").attr("x1", 0).attr("x2", 0).attr("y2", 7).attr("class", "hatch-line");
  return `url(#${id})`;
}

/**
 * Return the function that draws the bars of a chart: hatched where memory-bound, plain from the ridge point on.
 * `label` is that of the figure, so that two figures on a page do not share the id of a hatch.
 */
export function barsOf(svg, group, label) {
  const stripes = hatch(svg, `${label}-stripes`);
  return (left, top, width, height, computeBound, { kind = "", into = group } = {}) => into.append("rect").attr("x", left).attr("y", top)
    .attr("width", width).attr("height", height).attr("class", `bar ${regimeClass(computeBound)} ${kind}`.trim())
    .style("fill", computeBound ? null : stripes).style("stroke", "none");
}

/** Draw the key of the two kinds of bar. */
export function barKey(group, bar, left, top) {
  for (const computeBound of [false, true]) {
    bar(left, top, 20, 11, computeBound, { kind: "key" });
    words(group, left + 26, top + 10, regimeName(computeBound), { regime: regimeClass(computeBound) });
    left += 138;
  }
}

/** Draw the key of the two kinds of point; `left` and `base` are its left end and its base line in the inner picture. */
export function pointKey(group, left, base) {
  for (const computeBound of [false, true]) {
    mark(group, left + 6, base - 4, computeBound, { kind: "key" });
    words(group, left + 18, base, regimeName(computeBound), { regime: regimeClass(computeBound) });
    left += 130;
  }
}

/** Where in the inner picture a pointer event is. */
export function pointerIn(svg, event, { margin }) {
  const matrix = svg.getScreenCTM();
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  return { x: point.x - margin.left, y: point.y - margin.top };
}

/**
 * Call `move(event, settled)` from a pointer going down until it goes up. Scrolling the page is never blocked: a finger
 * that turns out to scroll calls `undo`, which takes back what it did until then.
 */
export function follow(event, move, undo) {
  const moved = (later) => move(later, false);
  const stop = (last) => {
    if (last.type === "pointerup") move(last, true);
    else undo();
    removeEventListener("pointermove", moved);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
  };
  move(event, false);
  addEventListener("pointermove", moved);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
}

/** Let the batch follow the pointer over the whole chart; `batchAt` gives the batch for a value of the x axis. */
export function dragBatch(chart, api, batchAt = Math.round) {
  const { group, inner, x } = chart;
  group.append("rect").attr("class", "draggable").attr("width", inner.width).attr("height", inner.height).attr("fill", "transparent")
    .on("pointerdown", (event) => {
      const before = { B: api.state.B };
      const { low, high } = api.schema.get("B");
      follow(event, (moved, settled) => {
        const B = batchAt(x.invert(pointerIn(api.svg, moved, chart).x));
        api.set({ B: Math.min(Math.max(B, low), high) }, { settled });
      }, () => api.set(before, { settled: false }));
    });
}

/** The first whole number from low to high from which on a condition holds, or null where it never does. */
export function firstWhole(low, high, holds) {
  if (!holds(high)) return null;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** That many values from low to high, evenly spread on a logarithmic axis, both ends included. */
export function spread(low, high, count) {
  return Array.from({ length: count }, (_, i) => low * (high / low) ** (i / (count - 1)));
}
