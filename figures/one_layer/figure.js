/** One transformer layer, kernel by kernel: which bars are long, which are blue, and what the whole step adds up to. */

import * as model from "../model.js";
import { boundOf, bytesOf, deviceOf, keepFormat, roofOf, widthsOf, storedIn } from "../shared/catalog.js";
import { bare, barKey, barsOf, firstWhole, frame, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { perSecond } from "../shared/quantity.js";
import { filled, headsOf, listed, rowOf, shown } from "../shared/template.js";
import { axes, columns, data, says } from "./description.js";

/** The smallest and the largest batch of the control, and the choice of KV heads as published. */
const { batches: BATCHES, published: PUBLISHED } = data;

function sum(items, name) {
  return items.reduce((whole, item) => whole + item[name], 0);
}

/** The sizes that the package's functions take, from the state. */
function sizesOf({ model: name, g, sequences, tokens, format, weights, cache }) {
  const widths = widthsOf(name);
  const kv_heads = g === PUBLISHED ? widths.kv_heads : widths.q_heads / Number(g);
  const formats = { weights: bytesOf(storedIn(weights, format)), cache: bytesOf(storedIn(cache, format)) };
  return { ...widths, kv_heads, sequences, tokens, context: tokens, prompt: tokens, ...formats };
}

/** Every kernel of a list of the model, with its bound. */
function boundsOf(kernels, sizes, roof) {
  return kernels.map(({ name, flops, nbytes }) => ({ name, ...boundOf({ flops: flops(sizes), nbytes: nbytes(sizes) }, roof) }));
}

/** The first batch with which a kernel is compute-bound, or null; more sequences never lower the intensity. */
function firstBatch({ flops, nbytes }, sizes, roof) {
  return firstWhole(...BATCHES, (sequences) => {
    const changed = { ...sizes, sequences };
    return model.at_or_above_ridge({ flops: flops(changed), nbytes: nbytes(changed), ...roof });
  });
}

/** From which batch on each kernel of a decode layer is compute-bound, in a sentence. */
function turns(sizes, roof) {
  const found = model.decode_layer.map((kernel) => ({ name: kernel.name, first: firstBatch(kernel, sizes, roof) }));
  const names = found.filter(({ first }) => first !== null).map((one) => filled(says.turn, one));
  const attention = found.every(({ name, first }) => name !== "attention" || first === null);
  const rest = attention ? says["attention never"] : "";
  if (!names.length) return filled(says["no turns"], { most: BATCHES[1] });
  return filled(says.turns, { kernels: [...names, rest].filter(Boolean).join(", ") });
}

/** Whether the weights and the cache fit into the memory of the device. */
function roomFor(weights, cache, device) {
  const { memory } = deviceOf(device);
  const say = (fits, name) => ({ fits, said: filled(says[name], { weights, cache, memory }) });
  if (weights > memory) return say(false, "weights alone");
  if (cache > memory) return say(false, "cache alone");
  return weights + cache <= memory ? say(true, "fits") : say(false, "does not fit");
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { phase, sequences, tokens, device, format } = state;
  const sizes = sizesOf(state);
  const roof = roofOf(device, format);
  const layer = boundsOf(model[`${phase}_layer`], sizes, roof);
  const total = sum(layer, "time");
  const kernels = boundsOf(model[`${phase}_step`], sizes, roof);
  const [flops, nbytes, time] = ["flops", "nbytes", "time"].map((name) => sum(kernels, name));
  // However the kernels are fused, all FLOPs are done, and weights and cache cross once.
  const least = boundOf({ flops, nbytes: model.unavoidable_bytes(sizes) }, roof);
  const parts = { weights: model.step_weight_bytes(sizes), cache: model.cache_bytes(sizes) };
  const served = phase === "decode" ? sequences : sequences * tokens;
  const step = { flops, nbytes, time, fused: least.time, rate: served / time, parts };
  const room = roomFor(model.weight_bytes(sizes), parts.cache, device);
  const g = model.g(sizes);
  const stored = { weights: storedIn(state.weights, format), cache: storedIn(state.cache, format) };
  const apart = stored.weights !== format || stored.cache !== data.activations;
  const group = (computeBound) => listed(layer.filter((one) => one.computeBound === computeBound).map((one) => filled(says.bar, one))) || says.none;
  const said = {
    model: state.model, phase, sequences, tokens, device, format, total,
    count: layer.length, memory: group(false), compute: group(true), step: time, fused: least.time,
    stored: apart ? filled(says["alt stored"], { stored: filled(says.stored, stored) }) : "",
  };
  const readout = filled(says.readout, {
    total, step: time, fused: least.time, layers: sizes.layers, rate: step.rate, served: phase === "decode" ? "" : says["of prompt"],
    weights: parts.weights / nbytes, cache: parts.cache / nbytes, kind: g === 1 ? says.mha : filled(says.gqa, { g }),
    room: room.said, turns: phase === "decode" ? turns(sizes, roof) : "",
  });
  const none = says.nothing;
  const part = (name) => [says[name], none, parts[name], none, none, parts[name] / nbytes, none];
  return {
    state, layer, total, step, room, g, stored, apart, said, readout,
    alt: `${filled(says.alt, said)} ${readout}`,
    table: {
      columns: headsOf(columns),
      rows: [
        ...layer.map((one) => [one.name, one.flops, one.nbytes, one.intensity, one.time, one.time / total, regimeName(one.computeBound)]),
        [says["sum row"], none, none, none, total, none, none],
        [says["step row"], flops, nbytes, none, time, none, none],
        [says["fused row"], flops, least.nbytes, none, least.time, none, none],
        part("weights"),
        part("cache"),
      ].map((row) => rowOf(columns, row)),
    },
  };
}

function draw(svg, view, size, api) {
  const { layer, total, stored, apart, said } = view;
  const unit = shown(total, "s").split(" ").at(-1);
  const scale = perSecond(unit);
  const rows = layer.length + 1;
  const room = size.width < 480 ? data["narrow room"] : data.room;
  const { group, x: across, y, inner, margin } = frame(svg, size, {
    x: { ...axes.x, domain: [0, room * total * scale] },
    // The sum sits a little apart.
    y: { ...bare([rows + 0.4, 0]), title: says.title },
    margin: { top: 50, left: 126, bottom: apart ? 58 : 42 },
    values: { ...said, unit },
  });
  const x = (time) => across(time * scale);
  const bar = barsOf(svg, group, api.panel.dataset.label);
  const thick = 0.62 * y(1);
  barKey(group, bar, -margin.left + 4, -margin.top + 24);

  const row = (name, time, middle, kind) => {
    words(group, -8, middle + 4, name, { anchor: "end", kind: `row-name ${kind}` });
    words(group, x(time) + 6, middle + 4, shown(time, "s"), { kind: `bar-value ${kind}` });
  };
  layer.forEach(({ name, time, computeBound }, index) => {
    const middle = y(index + 0.5);
    bar(0, middle - thick / 2, x(time), thick, computeBound);
    row(name, time, middle, "");
  });
  const last = y(rows - 0.1);
  const memory = layer.some((one) => one.computeBound) ? sum(layer.filter((one) => !one.computeBound), "time") : total;
  if (memory > 0) bar(0, last - thick / 2, x(memory), thick, false);
  if (memory < total) bar(x(memory), last - thick / 2, x(total - memory), thick, true);
  row(says.sum, total, last, "strong");

  if (apart) words(group, inner.width / 2, inner.height + 52, filled(says.stored, stored), { anchor: "middle", kind: "axis-name" });
}

/** Return the state with a g that divides the query heads of the model. */
function keepGroup(state, { note, select }) {
  const { q_heads, kv_heads } = widthsOf(state.model);
  for (const option of select("g").options) {
    if (option.value === PUBLISHED) option.textContent = filled(says.published, { g: q_heads / kv_heads });
    else option.disabled = q_heads % Number(option.value) !== 0;
  }
  if (state.g === PUBLISHED || q_heads % Number(state.g) === 0) return state;
  note(filled(says["not divided"], { model: state.model, heads: q_heads, g: state.g }));
  return { ...state, g: PUBLISHED };
}

export function mount(panel) {
  interactive(panel, { look, draw, adjust: (state, _, change) => keepGroup(keepFormat(state, change), change) });
}
