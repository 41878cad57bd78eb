/** Where does a kernel stand under the roofs of a GPU? Move it, or move the roofs by switching the device. */

import * as model from "../model.js";
import { boundOf, bytesOf, costOf, keepFormat, roofOf } from "../shared/catalog.js";
import { follow, frame, mark, pointKey, pointerIn, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { filled, headsOf, listed, rowOf, shown } from "../shared/template.js";
import { axes, columns, data, says } from "./description.js";

const INTENSITIES = axes.x.domain;
const RATES = axes.y.domain;
/** The kernels of the lesson. */
const POINTS = data.points;

/** A kernel under a roof: its own FLOPs, and its bytes divided by `factor`, which multiplies its intensity. */
function place({ kernel, sizes }, factor, roof, format) {
  const { flops, nbytes } = costOf(kernel, sizes, format);
  return boundOf({ flops, nbytes: nbytes / factor }, roof);
}

/** By what factors the points rise, in a sentence. */
function rises({ device, format, other, other_format }, roof, outline, points, chosen) {
  if (device === other && format === other_format) return says.same;
  const bytes = bytesOf(other_format) / bytesOf(format);
  const between = points.filter(({ here, there }) => here.computeBound !== there.computeBound)
    .map((point) => filled(says["changed point"], point));
  return filled(says.rises, {
    other, other_format,
    rise: chosen.rise,
    bandwidth: filled(says[bytes === 1 ? "bandwidth" : "bandwidth and bytes"], { rise: roof.bandwidth / outline.bandwidth, bytes }),
    peak: roof.peak / outline.peak,
    changed: between.length ? filled(says.changed, { points: between.join(", ") }) : "",
  });
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { device, format, other, other_format, factor } = state;
  const roof = roofOf(device, format);
  const outline = roofOf(other, other_format);
  const points = POINTS.map((point) => {
    const moved = point.value === state.point ? factor : 1;
    const here = place(point, moved, roof, format);
    const there = place(point, moved, outline, other_format);
    return { ...point, moved, here, there, rise: here.attainable / there.attainable };
  });
  const chosen = points.find(({ value }) => value === state.point);
  const { here } = chosen;
  const own = place(chosen, 1, roof, format).intensity;
  const ridge = model.ridge(roof);
  const group = (computeBound) => listed(points.filter((point) => point.here.computeBound === computeBound)
    .sort((a, b) => a.here.intensity - b.here.intensity)
    .map(({ label, here: { intensity } }) => filled(says.point, { label, intensity }))) || says.none;
  const said = {
    device, format, other, other_format, ridge, ...here,
    label: chosen.label,
    regime: regimeName(here.computeBound),
    moved: factor === 1 ? "" : filled(says.moved, { factor, own, bytes: 1 / factor }),
    rises: rises(state, roof, outline, points, chosen),
    article: /^[AHLR8]/.test(device) ? "an" : "a",
    bandwidth: shown(roof.bandwidth, "B/s"), peak: shown(roof.peak, "FLOP/s"),
    memory: group(false), compute: group(true),
  };
  const readout = filled(says.readout, said);
  return {
    state, roof, outline, points, chosen, readout, said, ridge,
    foot: model.attainable_at({ ...roof, intensity: INTENSITIES[0] }),
    outlineRidge: model.ridge(outline),
    outlineFoot: model.attainable_at({ ...outline, intensity: INTENSITIES[0] }),
    alt: `${filled(says.alt, said)} ${readout}`,
    table: {
      columns: headsOf(columns, said),
      rows: points.map((point) => rowOf(columns, [
        point.moved === 1 ? point.label : filled(says["moved row"], { label: point.label, factor: point.moved }),
        point.here.flops, point.here.nbytes, point.here.intensity, point.here.compute_time, point.here.memory_time,
        point.here.attainable, point.here.share, regimeName(point.here.computeBound), point.rise,
      ])),
    },
  };
}

const LINE = 16;
/** A chart that is narrower than this, px, has shorter words. */
const SMALL = 380;
/** About how wide a text is: measuring each would make the browser lay out the page within a redraw. */
const wide = (text, bold = false) => (bold ? 9 : 7.8) * text.length;
const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const lineBox = (left, middle, width) => ({ left: left - 2, right: left + width + 2, top: middle - LINE / 2, bottom: middle + LINE / 2 });

function draw(svg, view, size, api) {
  const { state, roof, outline, points, chosen, ridge } = view;
  const chart = frame(svg, size, {
    x: axes.x,
    y: size.width < 480 ? { ...axes.y, title: says["narrow title"] } : axes.y,
    margin: { top: 54 },
    values: state,
  });
  const { group, x, y } = chart;
  drawKey(chart, state.other);
  const path = (kind, ...at) => group.append("path").attr("class", kind).attr("d", `M${at.map(([i, r]) => `${x(i)},${y(r)}`).join("L")}`);
  const [low, high] = INTENSITIES;
  path("guide dotted", [low, view.outlineFoot], [view.outlineRidge, outline.peak], [high, outline.peak]);
  path("guide", [ridge, RATES[0]], [ridge, roof.peak]);
  path("guide compute", [low, roof.peak], [ridge, roof.peak]);
  path("curve memory", [low, view.foot], [ridge, roof.peak]);
  path("curve compute", [ridge, roof.peak], [high, roof.peak]);
  const taken = nameRoofs(chart, view);
  for (const name of names(chart, view, taken)) drawName(group, name, name.point === chosen);
  for (const point of [...points.filter((one) => one !== chosen), chosen]) {
    const at = [x(point.here.intensity), y(point.here.attainable)];
    mark(group, ...at, point.here.computeBound, point === chosen ? { size: 7, kind: "chosen" } : {});
    group.append("circle").attr("class", "draggable").attr("data-point", point.value).attr("cx", at[0]).attr("cy", at[1]).attr("r", 15)
      .attr("fill", "transparent").on("pointerdown", (event) => drag(event, chart, api, point));
  }
}

/** Above the chart: what the marks mean, and whose outline is dotted. */
function drawKey({ group, margin, inner }, other) {
  pointKey(group, -margin.left + 4, -22);
  words(group, inner.width, -40, other, { anchor: "end", kind: "axis-name" });
  const end = inner.width - wide(other) - 2;
  group.append("path").attr("class", "guide dotted").attr("d", `M${end - 20},-44H${end}`);
}

/** Names of both roofs and of the ridge point, where they are; returns what they cover. */
function nameRoofs({ group, x, y, inner }, { roof, ridge, foot, said }) {
  const small = inner.width < SMALL;
  const at = { x: x(ridge), y: y(roof.peak) };
  const peak = small ? said.peak : filled(says["compute roof"], said);
  // To the left of the ridge point, above the roof; with a ridge point far to the left, below the roof's other end.
  const leftwards = wide(peak) + 12 < at.x;
  words(group, leftwards ? 4 : inner.width, leftwards ? at.y - 7 : at.y + 17, peak, { anchor: leftwards ? "start" : "end", regime: "compute" });
  const start = { x: x(INTENSITIES[0]), y: y(foot) };
  const angle = Math.atan2(at.y - start.y, at.x - start.x);
  const middle = { x: start.x + (at.x - start.x) * 0.45, y: start.y + (at.y - start.y) * 0.45 };
  const room = Math.hypot(at.x - start.x, at.y - start.y);
  const bandwidth = [small ? said.bandwidth : filled(says["memory roof"], said), said.bandwidth].find((text) => wide(text) < 0.9 * room);
  if (bandwidth) {
    words(group, 0, 0, bandwidth, { anchor: "middle", regime: "memory" })
      .attr("transform", `translate(${middle.x + 9 * Math.sin(angle)},${middle.y - 9 * Math.cos(angle)}) rotate(${(angle * 180) / Math.PI})`);
  }
  const name = filled(says.ridge, said);
  const right = at.x + 6 + wide(name) < inner.width;
  words(group, at.x + (right ? 6 : -6), inner.height - 8, name, { anchor: right ? "start" : "end", kind: "axis-name" });
  return [
    leftwards ? lineBox(4, at.y - 11, wide(peak)) : lineBox(inner.width - wide(peak), at.y + 13, wide(peak)),
    lineBox(right ? at.x + 6 : at.x - 6 - wide(name), inner.height - 12, wide(name)),
    { left: at.x, right: inner.width, top: at.y - 3, bottom: at.y + 3 },
  ];
}

/**
 * Where the names of the points go: beside a thin leader, below the slope to the right, above the flat roof to the left.
 * From the ridge outwards, so that no leader crosses a name. A name without room is left out, but never the chosen one's.
 */
function names(chart, view, taken) {
  const { points, chosen } = view;
  const sorted = [...points].sort((a, b) => a.here.intensity - b.here.intensity);
  const outwards = [...sorted.filter(({ here }) => !here.computeBound).reverse(), ...sorted.filter(({ here }) => here.computeBound)];
  const inOrder = (order) => {
    const covered = [...taken];
    return order.map((point) => findPlace(chart, point, view, covered)).filter((name) => name.fits || name.point === chosen);
  };
  const found = inOrder(outwards);
  return found.every(({ fits }) => fits) ? found : inOrder([chosen, ...outwards.filter((point) => point !== chosen)]);
}

/** Find a place for one name that covers nothing of `covered`, and add it to that. */
function findPlace({ x, y, inner }, point, { state, chosen, outline, roof }, covered) {
  const { label, here, rise } = point;
  const isChosen = point === chosen;
  const same = outline.peak === roof.peak && outline.bandwidth === roof.bandwidth && state.format === state.other_format;
  const text = same || (inner.width < SMALL && !isChosen) ? label : filled(says.name, { label, rise });
  const width = wide(text, isChosen);
  const at = { x: x(here.intensity), y: y(here.attainable) };
  const left = here.computeBound ? Math.max(at.x - 10 - width, 0) : Math.min(at.x + 10, inner.width - width);
  let middle = at.y + (here.computeBound ? -16 : 6);
  // A name that the edge pushes to the left has to go below the point, or it would cross the slope.
  if (!here.computeBound && left < at.x + 8) middle += at.x - left + LINE / 2;
  const first = middle;
  const inside = () => middle > -LINE / 2 && middle < inner.height - 6 && Math.abs(middle - first) < inner.height / 3;
  const blocker = () => covered.find((other) => meets(lineBox(left, middle, width), other));
  let other = blocker();
  // Past whatever is in the way: up above the flat roof, down below the slope.
  const past = LINE / 2 + 0.5;
  for (; other && inside(); other = blocker()) middle = here.computeBound ? other.top - past : other.bottom + past;
  const fits = !other && inside();
  if (!fits) middle = Math.min(Math.max(middle, 0), inner.height - 28);
  if (fits || isChosen) {
    covered.push(lineBox(left, middle, width), { left: at.x - 4, right: at.x + 1, top: Math.min(at.y, middle), bottom: Math.max(at.y, middle) });
  }
  return { point, text, left, middle, width, at, fits };
}

function drawName(group, { text, left, middle, width, at, point }, isChosen) {
  if (Math.abs(middle - at.y) > 9) {
    const aside = point.here.computeBound ? Math.max(at.x - 7, left) : Math.min(at.x + 7, left + width);
    group.append("path").attr("class", "leader").attr("d", `M${at.x},${at.y}V${middle}H${aside}`);
  }
  words(group, left, middle + 4.5, text, { kind: isChosen ? "strong" : "" });
}

/** A point follows the pointer sideways; up and down still scrolls the page. A press alone chooses it. */
function drag(event, chart, api, point) {
  const start = pointerIn(api.svg, event, chart).x;
  const from = point.value === api.state.point ? api.state.factor : 1;
  const before = { factor: api.state.factor, point: api.state.point };
  let moving = false;
  follow(event, (moved, settled) => {
    const shift = pointerIn(api.svg, moved, chart).x - start;
    moving ||= Math.abs(shift) > 3;
    if (!moving && !settled) return;
    const { low, high, slider } = api.schema.get("factor");
    const factor = from * (chart.x.invert(shift) / chart.x.invert(0));
    api.set({
      factor: moving ? Number(Math.min(Math.max(factor, low), high).toPrecision(4)) : from,
      point: point.value,
    }, { settled });
    // From here on the arrow keys move it.
    if (settled) slider.focus({ preventScroll: true });
  }, () => api.set(before, { settled: false }));
}

/** Return the state with formats that the devices have, and with the chosen point within the axes. */
function possible(state, name, change) {
  const { format } = keepFormat(state, change);
  const { format: other_format } = keepFormat({ device: state.other, format: state.other_format }, change, "other_format");
  const kept = { ...state, format, other_format };
  // A newly chosen point stands at its own intensity.
  if (name === "point") kept.factor = 1;
  const point = POINTS.find(({ value }) => value === kept.point);
  const own = model.intensity(costOf(point.kernel, point.sizes, format));
  const factor = Math.min(Math.max(kept.factor, INTENSITIES[0] / own), INTENSITIES[1] / own);
  if (factor !== kept.factor) change.note(filled(says.stays, { label: point.label, factor }));
  return { ...kept, factor };
}

export function mount(panel) {
  interactive(panel, { look, draw, adjust: possible });
}
