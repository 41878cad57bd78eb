/** Which GPU? The bound on the tokens that each device decodes in a second, and how many devices hold the model. */

import * as model from "../model.js";
import { boundOf, bytesOf, derated, roofOf, widthsOf } from "../shared/catalog.js";
import { bare, barKey, barsOf, frame, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { aboutShare, takesMeasured } from "../shared/share.js";
import { filled, headsOf, listed, rowOf } from "../shared/template.js";
import { axes, columns, data, says } from "./description.js";

const ACTIVATIONS = bytesOf(data.activations);

/** One device: how many of it hold the weights and the caches, and what so many together allow. */
function deviceRow(device, step, least, held, { B, format, share }) {
  const { name } = device;
  const needed = Math.ceil(held / device.memory);
  const whole = roofOf(name, format);
  const title = needed > 1 ? filled(says.row, { device: name, needed }) : name;
  if (!whole) return { name, title, needed, lacks: true, rate: 0 };
  const roof = derated(whole, share);
  const limits = step.map((kernel) => boundOf(kernel, roof));
  const sum = (some) => some.reduce((total, { time }) => total + time, 0);
  const time = sum(limits);
  const memoryShare = sum(limits.filter(({ computeBound }) => !computeBound)) / time;
  const fused = boundOf(least, roof).time / needed;
  return { name, title, needed, lacks: false, time: time / needed, fused, rate: (needed * B) / time, memoryShare, computeBound: memoryShare <= 0.5 };
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { B, context, format, weights, cache, alone, share } = state;
  const told = (name, values) => aboutShare({ says, data }, name, share, values);
  const widths = widthsOf(state.model);
  const sizes = {
    ...widths, sequences: B, context, tokens: context, new_tokens: 1,
    weights: bytesOf(weights), cache: bytesOf(cache), activations: ACTIVATIONS, outputs: ACTIVATIONS,
  };
  const held = model.weight_bytes(sizes) + model.cache_bytes(sizes);
  const step = model.decode_step.map(({ flops, nbytes }) => ({ flops: flops(sizes), nbytes: nbytes(sizes) }));
  // However the kernels are fused, all FLOPs are done, and weights and cache are read.
  const least = { flops: step.reduce((total, { flops }) => total + flops, 0), nbytes: model.unavoidable_bytes(sizes) };
  const all = model.devices.map((device) => deviceRow(device, step, least, held, state));
  const holding = all.filter(({ needed }) => needed === 1);
  const keys = ({ lacks, needed, rate }) => [Number(lacks), Number(needed > 1), -rate];
  const before = (a, b) => a.map((key, i) => key - b[i]).find((difference) => difference !== 0) ?? 0;
  const rows = (alone ? holding : [...all]).sort((a, b) => before(keys(a), keys(b)));
  const bars = rows.filter(({ lacks }) => !lacks);
  const lacking = rows.filter(({ lacks }) => lacks).map(({ name }) => name);
  const fastest = bars.length ? bars.reduce((best, row) => (row.rate > best.rate ? row : best)) : null;
  const best = fastest && { rate: fastest.rate, device: fastest.title, time: fastest.time, fused: fastest.fused };
  const said = {
    model: state.model, B, context, format, held, limit: told("limit"), what: told("what"), count: all.length, alone: holding.length,
    fastest: best ? told("fastest", best) : says["no device"],
    first: best ? filled(says.first, { ...best, kind: told("kind") }) : "",
    bars: bars.map(({ title, rate }) => filled(says.bar, { device: title, rate })).join("; "),
    lacking: lacking.length ? filled(says.lacking, { format, devices: listed(lacking) }) : "",
  };
  const readout = filled(says.readout, said);
  return {
    state, rows, bars, held, readout, said,
    alt: `${filled(says.alt, said)} ${readout}`,
    table: {
      // Time and rates are what a share of the roof changes.
      columns: headsOf(columns).map((head, index) => (share < data.bound && [2, 3, 4].includes(index) ? filled(says["head at a share"], { head, share }) : head)),
      rows: rows.map((row) => rowOf(columns, [row.name, row.needed, ...(row.lacks
        ? [filled(says["no peak"], state), says.nothing, says.nothing, says.nothing]
        : [row.time, row.fused, row.rate, row.memoryShare])])),
    },
  };
}

function draw(svg, view, size, api) {
  const { rows, bars, said } = view;
  const most = Math.max(...bars.map(({ rate }) => rate), 1e-9);
  // Room for the number behind the longest bar, on a phone too.
  const room = size.width < 480 ? data["narrow room"] : data.room;
  const { group, x, y, inner, margin } = frame(svg, size, {
    x: { ...axes.x, domain: [0, room * most] },
    y: bare([Math.max(rows.length, 1), 0]),
    values: said,
    margin: { top: 68, left: Math.max(148, 7.3 * Math.max(...rows.map(({ title }) => title.length)) + 12), right: 20 },
  });
  const bar = barsOf(svg, group, api.panel.dataset.label);
  words(group, -margin.left + 4, -margin.top + 14, filled(says[size.width < 440 ? "narrow title" : "title"], said));
  barKey(group, bar, -margin.left + 4, -margin.top + 22);
  words(group, -margin.left + 4, -margin.top + 52, says.several, { kind: "axis-name" });
  // With few devices left, bars that filled the plot would say nothing more.
  const thick = Math.min(y(1) * 0.62, 22);
  // Drawn in a fixed order, so that a new rank only moves a row and its words need not be laid out again.
  const byName = rows.map((row, rank) => ({ ...row, rank })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const row of byName) {
    const line = group.append("g").attr("transform", `translate(0,${y(row.rank + 0.5)})`);
    words(line, -7, 4, row.title, { anchor: "end", kind: "row-name" });
    if (row.lacks) {
      words(line, 6, 4, filled(says["no peak"], said), { kind: "axis-name" });
      continue;
    }
    const wide = Math.max(x(row.rate), 2);
    bar(0, -thick / 2, wide, thick, row.computeBound, { into: line });
    const number = filled(says.rate, row);
    const fits = wide + 6 + 7.2 * number.length < inner.width + margin.right;
    words(line, wide + (fits ? 6 : -5), 4, number, { anchor: fits ? "start" : "end", kind: "value" });
  }
}

export function mount(panel) {
  interactive(panel, { look, draw, presses: takesMeasured(data) });
}
