/** From which batch on is a weight matmul compute-bound? Guess first, then see the curve meet the ridge point. */

import * as model from "../model.js";
import { boundOf, costOf, bytesOf, keepFormat, roofOf } from "../shared/catalog.js";
import { dragBatch, frame, mark, pointKey, regimeName, spread, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { filled, headsOf, rowOf } from "../shared/template.js";
import { line } from "../vendor/d3.js";
import { axes, columns, data, says } from "./description.js";

const DOMAIN = axes.x.domain;
const BOUNDLESS = data.boundless;

/** Everything about one batch, by the package's own formulas. */
function at(B, { D, F, device, format }) {
  return { B, ...boundOf(costOf("matmul", { B, D, F }, format), roofOf(device, format)) };
}

/** How far a guess is off: in % where it is near, as a factor where it is not. */
function distance(factor) {
  return factor < 1.2 ? filled(says["distance near"], { share: factor - 1 }) : filled(says["distance far"], { factor });
}

/** A remark on a guess: right, off by the activations, off by the sparse peak, or how far off. */
function remark(guess, exact, { ridge, twice }) {
  const near = (a, b) => Math.abs(a / b - 1) <= 0.03;
  const say = (name, values = {}) => filled(says[name], { guess, exact, ...values });
  if (!Number.isFinite(exact)) return say("guess never");
  if (near(guess, exact)) return say("guess right");
  if (near(guess, ridge)) return say("guess thumb");
  if (near(guess, twice)) return say("guess sparse");
  return say(guess > exact ? "guess high" : "guess low", { distance: distance(guess > exact ? guess / exact : exact / guess) });
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { B, D, F, device, format, guess, revealed, another } = state;
  const roof = roofOf(device, format);
  const e = bytesOf(format);
  const formats = { weights: e, activations: e, outputs: e };
  const ridge = model.ridge(roof);
  const exact = model.critical_batch({ ...roof, D, F, ...formats });
  const ceiling = at(BOUNDLESS, state).intensity;
  const chosen = at(B, state);
  // B* of boundless matrices: the rule of thumb in this format.
  const boundless = { D: BOUNDLESS, F: BOUNDLESS, ...formats, bandwidth: roof.bandwidth };
  const rule = model.critical_batch({ ...boundless, peak: roof.peak });
  const twice = model.critical_batch({ ...boundless, peak: 2 * roof.peak });
  const first = Math.ceil(exact);
  const none = !Number.isFinite(exact);
  const said = { D, F, device, format, exact, first, ceiling, ridge, start: at(1, state).intensity };
  const revealing = {
    regime: regimeName(chosen.computeBound), share: chosen.share,
    threshold: filled(none ? says.never : says.from, said),
    remark: another ? "" : remark(guess, exact, { ridge: rule, twice }),
  };
  const readout = filled(says.chosen, {
    B, intensity: chosen.intensity, time: chosen.time,
    rest: revealed ? filled(says.revealed, revealing) : says.asking,
  });
  // What would give the answer away stays hidden until it is revealed.
  const answer = (value) => (revealed ? value : says.hidden);
  const end = none ? says["never meets"] : filled(says.meets, said);
  const batches = [...new Set([...data.samples, ...(none || !revealed ? [] : [first]), B])].sort((a, b) => a - b);
  return {
    state, roof, ridge, exact, ceiling, chosen, none, readout, said,
    curve: spread(...DOMAIN, 161).map((x) => at(x, state)),
    marked: revealed ? data.marked.map((batch) => at(batch, state)) : [],
    alt: `${filled(says.alt, { ...said, answer: revealed ? filled(says.answer, { ...said, end }) : "" })} ${readout}`,
    table: {
      columns: headsOf(columns),
      rows: batches.map((batch) => at(batch, state)).map((row) => rowOf(columns, [
        row.B, row.flops, row.nbytes, row.intensity, row.compute_time, row.memory_time, answer(regimeName(row.computeBound)), answer(row.share),
      ])),
    },
  };
}

function draw(svg, view, size, api) {
  const { state, ridge, exact, ceiling, chosen, none, curve, marked, said } = view;
  const title = size.width < 440 ? says["narrow title"] : axes.y.title;
  const chart = frame(svg, size, {
    x: axes.x,
    y: { ...axes.y, domain: [0, data.room * Math.max(ceiling, ridge)], title },
    margin: { top: 68 },
    values: said,
  });
  const { group, x, y, inner, margin } = chart;
  if (state.revealed) pointKey(group, -margin.left + 4, -36);
  const level = (value, text, kind, end) => {
    group.append("line").attr("x2", inner.width).attr("y1", y(value)).attr("y2", y(value)).attr("class", kind);
    words(group, end === "end" ? inner.width - 4 : 4, y(value) - 6, text, { anchor: end, regime: kind.includes("compute") ? "compute" : "" });
  };
  level(ceiling, filled(says.ceiling, said), "guide", "start");
  const path = line().x((point) => x(point.B)).y((point) => y(point.intensity));
  const inside = !none && exact >= DOMAIN[0] && exact <= DOMAIN[1];
  const meet = inside ? [at(exact, state)] : [];
  for (const [part, kind] of [
    [curve.filter(({ B }) => B <= exact).concat(meet), "curve memory"],
    [meet.concat(curve.filter(({ B }) => B > exact)), "curve compute"],
  ]) {
    if (part.length > 1 && (state.revealed || kind === "curve memory")) {
      group.append("path").attr("class", state.revealed ? kind : "curve").attr("d", path(state.revealed ? part : curve));
    }
  }
  if (state.revealed) {
    level(ridge, filled(says.ridge, said), "curve compute", "end");
    if (inside) {
      group.append("line").attr("class", "guide").attr("x1", x(exact)).attr("x2", x(exact)).attr("y1", y(0)).attr("y2", y(ridge));
      words(group, x(exact) - 5, y(ridge) - 8, filled(says.threshold, said), { anchor: "end" });
    }
  }
  const guess = x(state.guess);
  group.append("line").attr("class", "guide guess").attr("x1", guess).attr("x2", guess).attr("y2", inner.height);
  // Above the chart, where there are no other words.
  const leftwards = guess > inner.width * 0.5;
  words(group, guess + (leftwards ? 5 : -5), -6, filled(says.guess, state), { anchor: leftwards ? "end" : "start" });
  for (const point of marked) mark(group, x(point.B), y(point.intensity), point.computeBound);
  mark(group, x(chosen.B), y(chosen.intensity), state.revealed && chosen.computeBound, { size: 6, kind: "chosen draggable" });
  dragBatch(chart, api);
}

export function mount(panel) {
  interactive(panel, {
    look,
    draw,
    adjust: (state, name, change) => {
      const kept = keepFormat(state, change);
      if (name === "guess") return { ...kept, revealed: false, another: false };
      // A guess is about one matmul on one GPU: for another it is neither right nor wrong.
      return ["D", "F", "device", "format"].includes(name) ? { ...kept, another: state.revealed } : kept;
    },
    presses: { reveal: (api) => api.set({ revealed: true, another: false }) },
  });
}
