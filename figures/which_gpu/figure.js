/** Which GPU? The bound on the tokens that each device decodes in a second, and how many devices hold the model. */

import * as model from "../model.js";
import { boundOf, bytesOf, roofOf, shapeOf } from "../shared/catalog.js";
import { barKey, barsOf, frame, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { formatQuantity } from "../shared/quantity.js";
import { typed } from "../shared/state.js";

const BF16 = bytesOf("bf16");

/** One device: how many of it hold the weights and the caches, and what so many together allow. */
function rowOf(device, step, held, { B, format }) {
  const { name } = device;
  const needed = Math.ceil(held / device.memory);
  const roof = roofOf(name, format);
  const title = needed > 1 ? `${name} × ${typed(needed)}` : name;
  if (!roof) return { name, title, needed, lacks: true, rate: 0 };
  const limits = step.map((kernel) => boundOf(kernel, roof));
  const sum = (some) => some.reduce((total, { time }) => total + time, 0);
  const time = sum(limits);
  const memoryShare = sum(limits.filter(({ computeBound }) => !computeBound)) / time;
  return { name, title, needed, lacks: false, time: time / needed, rate: (needed * B) / time, memoryShare, computeBound: memoryShare <= 0.5 };
}

function rateOf(value, unit = "tokens/s") {
  return formatQuantity(value, unit, 3, { places: 0, prefix: "" });
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { B, context, format, weights, cache, alone } = state;
  const shape = shapeOf(state.model);
  const sizes = {
    ...shape, sequences: B, context, tokens: context, new_tokens: 1,
    weights: bytesOf(weights), cache: bytesOf(cache), activations: BF16, outputs: BF16,
  };
  const held = model.weight_bytes(sizes) + model.cache_bytes(sizes);
  const step = model.decode_step.map(({ flops, nbytes }) => ({ flops: flops(sizes), nbytes: nbytes(sizes) }));
  const all = model.devices.map((device) => rowOf(device, step, held, state));
  const holding = all.filter(({ needed }) => needed === 1);
  const keys = ({ lacks, needed, rate }) => [Number(lacks), Number(needed > 1), -rate];
  const before = (a, b) => a.map((key, i) => key - b[i]).find((difference) => difference !== 0) ?? 0;
  const rows = (alone ? holding : [...all]).sort((a, b) => before(keys(a), keys(b)));
  const bars = rows.filter(({ lacks }) => !lacks);
  const lacking = rows.filter(({ lacks }) => lacks).map(({ name }) => name);
  const fastest = bars.length ? bars.reduce((best, row) => (row.rate > best.rate ? row : best)) : null;
  const what = `${state.model}, ${typed(B)} × ${typed(context)} tokens`;
  const readout = `Weights and caches take ${formatQuantity(held, "B")}: ${holding.length} of ${all.length} devices hold them alone. `
    + (fastest
      ? `The highest bound is ${rateOf(fastest.rate)} on ${fastest.title}, ${formatQuantity(fastest.time, "s")} for each token. No device is faster than its bound; most are slower.`
      : "No device of the list has this format.");
  return {
    state, rows, bars, held, readout, what,
    alt: `Bars of the most tokens a second that each device can decode, bounds and not measurements: ${what}, in ${format}. ${readout} `
      + `${bars.map(({ title, rate }) => `${title} ${rateOf(rate)}`).join("; ")}.${lacking.length ? ` No ${format} peak: ${lacking.join(", ")}.` : ""}`,
    table: {
      columns: ["Device", "Needed, at least", "Time per token, at least", "Tokens/s, at most", "Memory-bound share"],
      rows: rows.map((row) => [row.name, typed(row.needed), ...(row.lacks
        ? [`no ${format} peak`, "–", "–"]
        : [formatQuantity(row.time, "s"), rateOf(row.rate), formatQuantity(row.memoryShare, "%", 3, { places: 0 })])]),
    },
  };
}

function draw(svg, view, size, api) {
  const { state, rows, bars, what } = view;
  const most = Math.max(...bars.map(({ rate }) => rate), 1e-9);
  // Room for the number behind the longest bar, on a phone too.
  const room = size.width < 480 ? 1.45 : 1.14;
  const { group, x, y, inner, margin } = frame(svg, size, {
    x: { kind: "linear", domain: [0, room * most], label: "tokens/s at most, a bound" },
    y: { kind: "linear", domain: [Math.max(rows.length, 1), 0], tick: () => "", label: "" },
    margin: { top: 68, left: Math.max(148, 7.3 * Math.max(...rows.map(({ title }) => title.length)) + 12), right: 20 },
  });
  const bar = barsOf(svg, group, api.panel.dataset.label);
  words(group, -margin.left + 4, -margin.top + 14, what);
  barKey(group, bar, -margin.left + 4, -margin.top + 22);
  words(group, -margin.left + 4, -margin.top + 52, "× 2: two devices hold it, one does not", { kind: "axis-name" });
  // With few devices left, bars as thick as the plot would say nothing more.
  const thick = Math.min(y(1) * 0.62, 22);
  // In an order that stays: another rank then only moves a row, whose words need not be laid out again.
  const byName = rows.map((row, rank) => ({ ...row, rank })).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const row of byName) {
    const line = group.append("g").attr("transform", `translate(0,${y(row.rank + 0.5)})`);
    words(line, -7, 4, row.title, { anchor: "end", kind: "row-name" });
    if (row.lacks) {
      words(line, 6, 4, `no ${state.format} peak`, { kind: "axis-name" });
      continue;
    }
    const wide = Math.max(x(row.rate), 2);
    bar(0, -thick / 2, wide, thick, row.computeBound, { into: line });
    const number = rateOf(row.rate, "");
    const fits = wide + 6 + 7.2 * number.length < inner.width + margin.right;
    words(line, wide + (fits ? 6 : -5), 4, number, { anchor: fits ? "start" : "end", kind: "value" });
  }
}

export function mount(panel) {
  interactive(panel, { look, draw });
}
