/** What a decode step costs as the batch grows: flat while the weights dominate, then rising, and never less for a token. */

import * as model from "../model.js";
import { boundOf, bytesOf, keepFormat, roofOf, storedIn } from "../shared/catalog.js";
import { dragBatch, frame, mark, regimeName, spread, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { formatQuantity } from "../shared/quantity.js";
import { typed } from "../shared/state.js";
import { line } from "../vendor/d3.js";

const DOMAIN = [1, 1e4];
const SAMPLES = [1, 4, 16, 64, 256, 1024, 4096];
/** Between these two the time hardly moves. */
const [FEW, MORE] = [1, 64];

/** Bytes per element of the three matrices. */
function formatsOf({ format, weights, activations }) {
  const moved = bytesOf(storedIn(activations, format));
  return { weights: bytesOf(storedIn(weights, format)), activations: moved, outputs: moved };
}

/** Everything about one batch, by the package's own formulas. */
function at(B, state) {
  const roof = roofOf(state.device, state.format);
  const sizes = { B, D: state.D, F: state.F, ...formatsOf(state) };
  const cost = { flops: model.kernels.matmul.flops(sizes), nbytes: model.kernels.matmul.nbytes(sizes) };
  return { B, ...boundOf(cost, roof), added: model.time_without_overlap({ ...cost, ...roof }) };
}

/** The bytes that are moved whatever the batch: those of a matmul of no tokens. */
function weightBytes(state) {
  return model.kernels.matmul.nbytes({ B: 0, D: state.D, F: state.F, ...formatsOf(state) });
}

/** By how much the time grew, in words: in % while it hardly moves, as a factor where it does. */
function growth(factor) {
  return factor < 2 ? `by ${formatQuantity(factor - 1, "%", 2)}` : formatQuantity(factor, "×");
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { B, D, F, device, format } = state;
  const exact = model.critical_batch({ ...roofOf(device, format), D, F, ...formatsOf(state) });
  const none = !Number.isFinite(exact);
  const chosen = at(B, state);
  const [few, more] = [at(FEW, state), at(MORE, state)];
  const grown = more.time / few.time;
  const stored = { weights: storedIn(state.weights, format), activations: storedIn(state.activations, format) };
  const first = none ? [] : [Math.ceil(exact)];
  const batches = [...new Set([...SAMPLES, ...first, B])].sort((a, b) => a - b);
  const readout = `B = ${typed(B)}: at least ${formatQuantity(chosen.time, "s")}, ${formatQuantity(chosen.time / B, "s")} for each token, ${regimeName(chosen.computeBound)}`
    + `${state.sum ? `; without overlap ${formatQuantity(chosen.added, "s")}` : ""}. `
    + `From B = ${FEW} to ${MORE} the work grows ${typed(MORE / FEW)}×, and the time ${growth(grown)}, from ${formatQuantity(few.time, "s")} to ${formatQuantity(more.time, "s")}`
    + (more.computeBound
      ? `: with ${MORE} it is compute-bound, where time follows the work. `
      : `: even with ${MORE}, ${formatQuantity(weightBytes(state) / more.nbytes, "%", 2)} of the bytes are the weight, which is read once for all. `)
    + (none ? "No batch is large enough to be compute-bound." : `It is compute-bound from B = ${typed(first[0])} on.`);
  const what = `${typed(D)} × ${typed(F)} matmul, ${device}, ${format}`;
  return {
    state, exact, none, chosen, few, more, grown, stored, what, readout,
    curve: spread(...DOMAIN, 121).map((batch) => at(batch, state)),
    meet: none || exact < DOMAIN[0] || exact > DOMAIN[1] ? [] : [at(exact, state)],
    samples: SAMPLES.map((batch) => at(batch, state)),
    alt: `Two charts against the batch B: the least time of a step, and that time for each token. ${what}, weights in ${stored.weights}, activations in ${stored.activations}. `
      + `${none ? "" : `The ridge batch, B* = ${formatQuantity(exact, "", 1, { places: 1 })}, is marked. `}${readout}`,
    table: {
      columns: ["Sequences B", "FLOPs/P", "bytes/BW", "At least", "A token", "Without overlap", "Regime"],
      rows: batches.map((batch) => at(batch, state)).map((row) => [
        typed(row.B), formatQuantity(row.compute_time, "s"), formatQuantity(row.memory_time, "s"), formatQuantity(row.time, "s"),
        formatQuantity(row.time / row.B, "s"), formatQuantity(row.added, "s"), regimeName(row.computeBound),
      ]),
    },
  };
}

/** One of the two panels: the bound, both times added, the ridge batch and the chosen one. */
function plot(chart, view, value) {
  const { group, x, y, inner } = chart;
  const { state, exact, curve, meet, samples, chosen } = view;
  const path = (of) => line().x((point) => x(point.B)).y((point) => y(of(point)));
  if (meet.length) group.append("line").attr("class", "guide").attr("x1", x(exact)).attr("x2", x(exact)).attr("y2", inner.height);
  if (state.sum) group.append("path").attr("class", "curve added").attr("d", path((point) => value(point, point.added))(curve));
  for (const [part, kind] of [
    [curve.filter(({ B }) => B < exact).concat(meet), "curve memory"],
    [meet.concat(curve.filter(({ B }) => B >= exact)), "curve compute"],
  ]) {
    if (part.length > 1) group.append("path").attr("class", kind).attr("d", path((point) => value(point, point.time))(part));
  }
  for (const point of samples) mark(group, x(point.B), y(value(point, point.time)), point.computeBound);
  mark(group, x(chosen.B), y(value(chosen, chosen.time)), chosen.computeBound, { size: 7, kind: "chosen draggable" });
}

function draw(svg, view, size, api) {
  const { state, exact, curve, meet, what } = view;
  const top = 74;
  const bottom = 42;
  const between = 32;
  const tall = (size.height - top - between - bottom) / 2;
  const step = (point, time) => time;
  const token = (point, time) => time / point.B;
  const place = ([upper, value]) => {
    const least = Math.min(...curve.map((point) => value(point, point.time)));
    const most = Math.max(...curve.map((point) => value(point, point.added)));
    return frame(svg, size, {
      x: { domain: DOMAIN, label: upper ? "" : "B, sequences that decode together", ...(upper ? { tick: decadeLine } : {}) },
      y: { domain: [0.7 * least, 1.4 * most], label: upper ? what : "", tick: timeOfDecade, between: (value) => formatQuantity(value, "s", 1) },
      margin: { left: 54, top: upper ? top : top + tall + between, bottom: upper ? bottom + tall + between : bottom },
    });
  };
  const charts = [[true, step], [false, token]].map((one) => ({ chart: place(one), value: one[1] }));
  key(charts[0].chart, state);
  charts.forEach(({ chart, value }, index) => {
    words(chart.group, 0, -8, index ? "of that, for each token" : "least time of the step", { kind: "axis-name" });
    plot(chart, view, value);
  });
  const { group, x, inner } = charts[0].chart;
  if (meet.length) {
    const right = x(exact) < Math.min(120, inner.width / 2);
    words(group, x(exact) + (right ? 6 : -6), 14, `ridge batch ${formatQuantity(exact, "", 1, { places: 1 })}`, { anchor: right ? "start" : "end" });
  }
  for (const { chart } of charts) dragBatch(chart, api);
}

/** A decade of seconds, such as 10 µs; the ticks between have no name. */
function timeOfDecade(value) {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9 ? formatQuantity(value, "s", 1) : "";
}

/** The upper panel has the lines of the lower one's decades, but not their names. */
function decadeLine(value) {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9 ? "\u00a0" : "";
}

/** What the marks and the dashes mean. */
function key({ group, margin, inner }, { sum }) {
  const left = -margin.left + 10;
  const y = -margin.top + 36;
  [false, true].forEach((computeBound, index) => {
    mark(group, left + 130 * index, y - 4, computeBound);
    words(group, left + 130 * index + 11, y, regimeName(computeBound), { regime: computeBound ? "compute" : "memory" });
  });
  if (!sum) return;
  // To the right of the panel's name.
  group.append("line").attr("class", "curve added").attr("x1", inner.width - 100).attr("x2", inner.width - 76).attr("y1", -12).attr("y2", -12);
  words(group, inner.width, -8, "no overlap", { anchor: "end" });
}

export function mount(panel) {
  interactive(panel, {
    look,
    draw,
    adjust: (state) => keepFormat(state, panel.querySelector('[data-name="format"] select'), (text) => { panel.querySelector(".figure-note").textContent = text; }),
  });
}
