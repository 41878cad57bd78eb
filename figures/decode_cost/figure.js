/** The time of a decode step as the batch grows: flat while the weights dominate, so that each token takes less, then rising. */

import * as model from "../model.js";
import { boundOf, bytesOf, derated, keepFormat, roofOf, storedIn } from "../shared/catalog.js";
import { dragBatch, frame, mark, pointKey, regimeName, spread, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { aboutShare, takesMeasured } from "../shared/share.js";
import { filled, headsOf, rowOf } from "../shared/template.js";
import { line } from "../vendor/d3.js";
import { axes, columns, data, says } from "./description.js";

const { samples: SAMPLES, few: FEW, more: MORE } = data;
const DOMAIN = axes.x.domain;

/** Bytes per element of the three matrices. */
function formatsOf({ format, weights, activations }) {
  const moved = bytesOf(storedIn(activations, format));
  return { weights: bytesOf(storedIn(weights, format)), activations: moved, outputs: moved };
}

/** Everything about one batch, by the package's own formulas. */
function at(B, state) {
  const roof = derated(roofOf(state.device, state.format), state.share);
  const sizes = { B, D: state.D, F: state.F, ...formatsOf(state) };
  const cost = { flops: model.kernels.matmul.flops(sizes), nbytes: model.kernels.matmul.nbytes(sizes) };
  return { B, ...boundOf(cost, roof), added: model.time_without_overlap({ ...cost, ...roof }) };
}

/** The bytes that are moved whatever the batch: those of a matmul without tokens. */
function weightBytes(state) {
  return model.kernels.matmul.nbytes({ B: 0, D: state.D, F: state.F, ...formatsOf(state) });
}

/** By how much the time grows, in words: in % while that is little, as a factor from 2 on. */
function growth(factor) {
  return factor < 2 ? filled(says["grown by"], { share: factor - 1 }) : filled(says["grown times"], { factor });
}

const told = (name, share) => aboutShare({ says, data }, name, share);

/** What the picture shows, from the state alone. */
export function look(state) {
  const { B, D, F, device, format, share } = state;
  const heads = { of: told("of", share), head: told("head", share) };
  const exact = model.critical_batch({ ...roofOf(device, format), D, F, ...formatsOf(state) });
  const none = !Number.isFinite(exact);
  const chosen = at(B, state);
  const [few, more] = [at(FEW, state), at(MORE, state)];
  const grown = more.time / few.time;
  const stored = { weights: storedIn(state.weights, format), activations: storedIn(state.activations, format) };
  const first = none ? [] : [Math.ceil(exact)];
  const batches = [...new Set([...SAMPLES, ...first, B])].sort((a, b) => a - b);
  const said = {
    B, D, F, device, format, exact, stored: "", limit: told("limit", share), what: told("what", share),
    few: FEW, more: MORE, time_few: few.time, time_more: more.time, growth: grown - 1,
    time: chosen.time, token: chosen.time / B, regime: regimeName(chosen.computeBound),
    without: state.sum ? filled(says.without, chosen) : "",
    work: MORE / FEW,
    grown: growth(grown),
    why: more.computeBound ? filled(says["follows the work"], { more: MORE }) : filled(says.weight, { more: MORE, share: weightBytes(state) / more.nbytes }),
    threshold: none ? says.never : filled(says.from, { first: first[0] }),
    turn: none ? says["no turn"] : filled(says.turn, { exact }),
    dashed: state.sum ? says.dashed : "",
  };
  if (stored.weights !== format || stored.activations !== format) said.stored = filled(says.stored, stored);
  const readout = filled(says.chosen, said);
  return {
    state, exact, none, chosen, few, more, grown, stored, said, readout,
    curve: spread(...DOMAIN, 121).map((batch) => at(batch, state)),
    meet: none || exact < DOMAIN[0] || exact > DOMAIN[1] ? [] : [at(exact, state)],
    samples: SAMPLES.map((batch) => at(batch, state)),
    alt: `${filled(says.alt, said)} ${readout}`,
    table: {
      columns: headsOf(columns, heads),
      rows: batches.map((batch) => at(batch, state)).map((row) => rowOf(columns, [
        row.B, row.compute_time, row.memory_time, row.time, row.time / row.B, row.added, regimeName(row.computeBound),
      ])),
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
  const { exact, curve, meet, said } = view;
  const top = 74;
  const bottom = 42;
  const between = 32;
  const tall = (size.height - top - between - bottom) / 2;
  const step = (point, time) => time;
  const token = (point, time) => time / point.B;
  const place = ([upper, value]) => {
    const least = Math.min(...curve.map((point) => value(point, point.time)));
    const most = Math.max(...curve.map((point) => value(point, point.added)));
    const [below, above] = data.room;
    // The upper chart has the same vertical lines as the lower one, but no numbers below them.
    return frame(svg, size, {
      x: upper ? { ...axes.x, title: "", named: false } : axes.x,
      y: { ...axes.y, domain: [below * least, above * most], title: upper ? axes.y.title : "", between: true },
      values: said,
      margin: { left: 54, top: upper ? top : top + tall + between, bottom: upper ? bottom + tall + between : bottom },
    });
  };
  const charts = [[true, step], [false, token]].map((one) => ({ chart: place(one), value: one[1] }));
  key(charts[0].chart, view.state);
  charts.forEach(({ chart, value }, index) => {
    words(chart.group, 0, -8, index ? says.token : told("step", view.state.share), { kind: "axis-name" });
    plot(chart, view, value);
  });
  const { group, x, inner } = charts[0].chart;
  if (meet.length) {
    const right = x(exact) < Math.min(120, inner.width / 2);
    words(group, x(exact) + (right ? 6 : -6), 14, filled(says["ridge batch"], { exact }), { anchor: right ? "start" : "end" });
  }
  for (const { chart } of charts) dragBatch(chart, api);
}

/** Draw the key of the marks and of the dashed curve. */
function key({ group, margin, inner }, { sum }) {
  pointKey(group, -margin.left + 4, -margin.top + 36);
  if (!sum) return;
  // To the right of the panel's name.
  group.append("line").attr("class", "curve added").attr("x1", inner.width - 100).attr("x2", inner.width - 76).attr("y1", -12).attr("y2", -12);
  words(group, inner.width, -8, says["no overlap"], { anchor: "end" });
}

export function mount(panel) {
  interactive(panel, { look, draw, presses: takesMeasured(data), adjust: (state, _, change) => keepFormat(state, change) });
}
