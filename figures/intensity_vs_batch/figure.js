/** From which batch on is a weight matmul compute-bound? Guess first, then see the curve meet the ridge point. */

import * as model from "../model.js";
import { bytesOf, keepFormat, roofOf } from "../shared/catalog.js";
import { dragBatch, frame, mark, regimeName, spread, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { formatQuantity } from "../shared/quantity.js";
import { typed } from "../shared/state.js";
import { line } from "../vendor/d3.js";

const DOMAIN = [1, 1e5];
const BOUNDLESS = 1e12;

/** Everything about one batch, by the package's own formulas. */
function at(B, { D, F, device, format }) {
  const e = bytesOf(format);
  const sizes = { B, D, F, weights: e, activations: e, outputs: e };
  const cost = { flops: model.kernels.matmul.flops(sizes), nbytes: model.kernels.matmul.nbytes(sizes), ...roofOf(device, format) };
  return {
    B,
    flops: cost.flops,
    nbytes: cost.nbytes,
    intensity: model.intensity(cost),
    compute_time: model.compute_time(cost),
    memory_time: model.memory_time(cost),
    time: model.time(cost),
    computeBound: model.at_or_above_ridge(cost),
    share: model.fraction_of_peak(cost),
  };
}

/** How far a guess is off: in % where it is near, as a factor where it is not. */
function distance(factor) {
  return factor < 1.2 ? formatQuantity(factor - 1, "%", 1) : formatQuantity(factor, "×", 2);
}

/** A fair word on a guess: near, off by the activations, off by the sparse peak, or how far off. */
function remark(guess, exact, { ridge, twice }) {
  const near = (a, b) => Math.abs(a / b - 1) <= 0.03;
  if (!Number.isFinite(exact)) return `Your guess was ${typed(guess)}, but no batch is large enough: the ceiling is not above the ridge point.`;
  if (near(guess, exact)) return `Your guess of ${typed(guess)} is right: B* is ${formatQuantity(exact, "", 1, { places: 1 })}.`;
  if (near(guess, ridge)) return `Your guess of ${typed(guess)} is the rule of thumb. The activations, which also move, make B* ${formatQuantity(exact, "", 1, { places: 1 })}.`;
  if (near(guess, twice)) return `Your guess of ${typed(guess)} fits the sparse peak, twice the dense one. With the dense peak B* is ${formatQuantity(exact, "", 1, { places: 1 })}.`;
  const factor = guess > exact ? guess / exact : exact / guess;
  return `Your guess of ${typed(guess)} is ${distance(factor)} too ${guess > exact ? "high" : "low"}: B* is ${formatQuantity(exact, "", 1, { places: 1 })}.`;
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
  // Per FLOP/byte of the ridge point, B* for boundless matrices: the rule of thumb in this format.
  const boundless = { D: BOUNDLESS, F: BOUNDLESS, ...formats, bandwidth: roof.bandwidth };
  const rule = model.critical_batch({ ...boundless, peak: roof.peak });
  const twice = model.critical_batch({ ...boundless, peak: 2 * roof.peak });
  const first = Math.ceil(exact);
  const none = !Number.isFinite(exact);
  const threshold = none
    ? `No batch is large enough: the ceiling of ${formatQuantity(ceiling, "FLOP/B", 4)} is not above the ridge point of ${formatQuantity(ridge, "FLOP/B", 4)}.`
    : `It is compute-bound from B = ${typed(first)} on (B* = ${formatQuantity(exact, "", 1, { places: 1 })}).`;
  // What gives the answer away waits for it.
  const answer = (words) => (revealed ? words : "?");
  const readout = `B = ${typed(B)}: ${formatQuantity(chosen.intensity, "FLOP/B", 4)}, at least ${formatQuantity(chosen.time, "s", 4)}`
    + (revealed
      ? `, ${regimeName(chosen.computeBound)}, at most ${formatQuantity(chosen.share, "%", 2)} of peak. ${threshold}${another ? "" : ` ${remark(guess, exact, { ridge: rule, twice })}`}`
      : ". Guess B* and press Reveal.");
  const batches = [...new Set([1, 16, 64, 256, ...(none || !revealed ? [] : [first]), 1024, 4096, B])].sort((a, b) => a - b);
  return {
    state, roof, ridge, exact, ceiling, chosen, none, readout,
    curve: spread(...DOMAIN, 161).map((x) => at(x, state)),
    alt: `Intensity of a ${typed(D)} by ${typed(F)} matmul in ${format} against its batch. Ridge point of ${device}: ${formatQuantity(ridge, "FLOP/B", 4)}. ${readout}`,
    table: {
      columns: ["B", "FLOPs", "Bytes", "I (FLOP/byte)", "FLOPs/P", "bytes/BW", "Regime", "At most, of peak"],
      rows: batches.map((batch) => at(batch, state)).map((row) => [
        typed(row.B), formatQuantity(row.flops, "FLOP"), formatQuantity(row.nbytes, "B", 4), formatQuantity(row.intensity, "", 4),
        formatQuantity(row.compute_time, "s", 4), formatQuantity(row.memory_time, "s", 4), answer(regimeName(row.computeBound)), answer(formatQuantity(row.share, "%", 2)),
      ]),
    },
  };
}

function draw(svg, view, size, api) {
  const { state, ridge, exact, ceiling, chosen, none, curve } = view;
  const top = 1.16 * Math.max(ceiling, ridge);
  const chart = frame(svg, size, {
    x: { domain: DOMAIN, label: "B, tokens that share one weight read" },
    y: { kind: "linear", domain: [0, top], label: "intensity, FLOP/byte" },
  });
  const { group, x, y, inner } = chart;
  const level = (value, text, kind, end) => {
    group.append("line").attr("x2", inner.width).attr("y1", y(value)).attr("y2", y(value)).attr("class", kind);
    words(group, end === "end" ? inner.width - 4 : 4, y(value) - 6, text, { anchor: end, regime: kind.includes("compute") ? "compute" : "" });
  };
  level(ceiling, `ceiling, ${formatQuantity(ceiling, "", 4)}`, "guide", "start");
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
    level(ridge, `ridge point, ${formatQuantity(ridge, "", 4)}`, "curve compute", "end");
    if (inside) {
      group.append("line").attr("class", "guide").attr("x1", x(exact)).attr("x2", x(exact)).attr("y1", y(0)).attr("y2", y(ridge));
      words(group, x(exact) - 5, y(ridge) - 8, `B* = ${formatQuantity(exact, "", 1, { places: 1 })}`, { anchor: "end" });
    }
  }
  const guess = x(state.guess);
  group.append("line").attr("class", "guide guess").attr("x1", guess).attr("x2", guess).attr("y2", inner.height);
  // Above the chart, where no other words are.
  const leftwards = guess > inner.width * 0.5;
  words(group, guess + (leftwards ? 5 : -5), -6, `your guess, ${typed(state.guess)}`, { anchor: leftwards ? "end" : "start" });
  mark(group, x(chosen.B), y(chosen.intensity), state.revealed && chosen.computeBound, { size: 6, kind: "chosen draggable" });
  dragBatch(chart, api);
}

export function mount(panel) {
  interactive(panel, {
    look,
    draw,
    adjust: (state, name) => {
      const kept = keepFormat(state, panel.querySelector('[data-name="format"] select'), (text) => { panel.querySelector(".figure-note").textContent = text; });
      if (name === "guess") return { ...kept, revealed: false, another: false };
      // A guess was for one matmul on one GPU: on another it is neither right nor wrong.
      return ["D", "F", "device", "format"].includes(name) ? { ...kept, another: state.revealed } : kept;
    },
    presses: { reveal: (api) => api.set({ revealed: true, another: false }) },
  });
}
