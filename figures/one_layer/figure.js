/** One transformer layer, kernel by kernel: which bars are long, which are blue, and what the whole step makes of them. */

import * as model from "../model.js";
import { boundOf, bytesOf, deviceOf, keepFormat, roofOf, shapeOf, storedIn } from "../shared/catalog.js";
import { barKey, barsOf, firstWhole, frame, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { formatQuantity } from "../shared/quantity.js";
import { typed } from "../shared/state.js";

const PUBLISHED = "published";
/** The batches that the control has. */
const BATCHES = [1, 10_000];

function sum(items, name) {
  return items.reduce((whole, item) => whole + item[name], 0);
}

/** The sizes that the package's functions take, from the state. */
function sizesOf({ model: name, g, sequences, tokens, format, weights, cache }) {
  const shape = shapeOf(name);
  const kv_heads = g === PUBLISHED ? shape.kv_heads : shape.q_heads / Number(g);
  const formats = { weights: bytesOf(storedIn(weights, format)), cache: bytesOf(storedIn(cache, format)) };
  return { ...shape, kv_heads, sequences, tokens, context: tokens, prompt: tokens, ...formats };
}

/** Every kernel of a list of the model, with its bound. */
function boundsOf(kernels, sizes, roof) {
  return kernels.map(({ name, flops, nbytes }) => ({ name, ...boundOf({ flops: flops(sizes), nbytes: nbytes(sizes) }, roof) }));
}

/** The first batch with which a kernel is compute-bound, or null; with more sequences the intensity never falls. */
function firstBatch({ flops, nbytes }, sizes, roof) {
  return firstWhole(...BATCHES, (sequences) => {
    const changed = { ...sizes, sequences };
    return model.at_or_above_ridge({ flops: flops(changed), nbytes: nbytes(changed), ...roof });
  });
}

/** From which batch on which kernels of a decode layer are compute-bound, in a sentence. */
function turns(sizes, roof) {
  const found = model.decode_layer.map((kernel) => ({ name: kernel.name, first: firstBatch(kernel, sizes, roof) }));
  const names = found.filter(({ first }) => first !== null).map(({ name, first }) => `${name} from ${typed(first)}`);
  const attention = found.every(({ name, first }) => name !== "attention" || first === null);
  const rest = attention ? "attention at no batch" : "";
  if (!names.length) return `No kernel is compute-bound with up to ${typed(BATCHES[1])} sequences.`;
  return `Compute-bound as the batch grows: ${[...names, rest].filter(Boolean).join(", ")}.`;
}

/** Whether weights and cache have room in the memory of the device. */
function roomFor(weights, cache, device) {
  const memory = deviceOf(device).memory;
  const size = (value) => formatQuantity(value, "B");
  const room = formatQuantity(memory, "B", 2);
  if (weights > memory) return { fits: false, said: `The weights alone (${size(weights)}) do not fit into ${room}.` };
  if (cache > memory) return { fits: false, said: `The cache alone (${size(cache)}) does not fit into ${room}.` };
  const fits = weights + cache <= memory;
  return { fits, said: `Weights (${size(weights)}) and cache (${size(cache)}) ${fits ? "fit" : "do not fit"} into ${room}.` };
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
  const parts = { weights: model.step_weight_bytes(sizes), cache: model.cache_bytes(sizes) };
  const served = phase === "decode" ? sequences : sequences * tokens;
  const step = { flops, nbytes, time, rate: served / time, parts };
  const room = roomFor(model.weight_bytes(sizes), parts.cache, device);
  const g = model.g(sizes);
  const share = (value) => formatQuantity(value / nbytes, "%");
  const readout = `One layer: at least ${formatQuantity(total, "s")}. The whole step of ${sizes.layers} layers: at least ${formatQuantity(time, "s")}, `
    + `so at most ${formatQuantity(step.rate, "tokens/s", 3, { prefix: "" })}${phase === "decode" ? "" : " of prompt"}. `
    + `Of its bytes, ${share(parts.weights)} are weights and ${share(parts.cache)} cache (${g === 1 ? "MHA" : `GQA, g = ${g}`}). ${room.said}`
    + (phase === "decode" ? ` ${turns(sizes, roof)}` : "");
  const stored = { weights: storedIn(state.weights, format), cache: storedIn(state.cache, format) };
  const what = `${state.model}, ${phase}, ${typed(sequences)} × ${typed(tokens)} tokens`;
  const members = (computeBound) => layer.filter((one) => one.computeBound === computeBound).map((one) => `${one.name} ${formatQuantity(one.time, "s")}`).join(", ") || "none";
  const none = "–";
  const part = (name) => [`${name} among its bytes`, none, formatQuantity(parts[name], "B"), none, none, formatQuantity(parts[name] / nbytes, "%", 3, { places: 1 }), none];
  return {
    state, layer, total, step, room, g, stored, what, readout,
    alt: `Bars of the least time of each of the ${layer.length} kernels of one layer: ${what}, ${device}, ${format}, weights in ${stored.weights}, cache in ${stored.cache}. `
      + `Memory-bound: ${members(false)}. Compute-bound: ${members(true)}. ${readout}`,
    table: {
      columns: ["Kernel", "FLOPs", "Bytes", "Intensity (FLOP/byte)", "At least", "Of the sum", "Regime"],
      rows: [
        ...layer.map((one) => [
          one.name, formatQuantity(one.flops, "FLOP"), formatQuantity(one.nbytes, "B"), formatQuantity(one.intensity, "", 1, { places: 1 }),
          formatQuantity(one.time, "s"), formatQuantity(one.time / total, "%", 1, { places: 1 }), regimeName(one.computeBound),
        ]),
        ["one layer, the sum", none, none, none, formatQuantity(total, "s"), none, none],
        ["the whole step", formatQuantity(flops, "FLOP"), formatQuantity(nbytes, "B"), none, formatQuantity(time, "s"), none, none],
        part("weights"),
        part("cache"),
      ],
    },
  };
}

function draw(svg, view, size, api) {
  const { state, layer, total, stored, what } = view;
  const [, unit] = formatQuantity(total, "s").split(" ");
  const prefix = unit.slice(0, -1);
  const rows = layer.length + 1;
  const apart = stored.weights !== state.format || stored.cache !== "bf16";
  const { group, x, y, inner, margin } = frame(svg, size, {
    // The sum sits a little apart; there is room on the right for its value.
    x: { kind: "linear", domain: [0, (size.width < 480 ? 1.5 : 1.35) * total], label: "", tick: (value) => typed(Number(formatQuantity(value, "s", 4, { prefix }).split(" ")[0].replaceAll(",", ""))) },
    y: { kind: "linear", domain: [rows + 0.4, 0], label: what, tick: () => "" },
    margin: { top: 50, left: 126, bottom: apart ? 58 : 42 },
  });
  const bar = barsOf(svg, group, api.panel.dataset.label);
  const thick = 0.62 * y(1);
  barKey(group, bar, -margin.left + 4, -margin.top + 24);

  const row = (name, time, middle, kind) => {
    words(group, -8, middle + 4, name, { anchor: "end", kind: `row-name ${kind}` });
    words(group, x(time) + 6, middle + 4, formatQuantity(time, "s"), { kind: `bar-value ${kind}` });
  };
  layer.forEach(({ name, time, computeBound }, index) => {
    const middle = y(index + 0.5);
    bar(0, middle - thick / 2, x(time), thick, computeBound);
    row(name, time, middle, "");
  });
  const last = y(rows - 0.1);
  const memory = sum(layer.filter((one) => !one.computeBound), "time");
  bar(0, last - thick / 2, x(memory), thick, false);
  bar(x(memory), last - thick / 2, x(total - memory), thick, true);
  row("the sum", total, last, "strong");

  const centre = size.width / 2 - margin.left;
  words(group, centre, inner.height + 36, `least time on ${state.device}, ${state.format}, in ${unit}`, { anchor: "middle", kind: "axis-name" });
  if (apart) words(group, centre, inner.height + 52, `weights ${stored.weights}, cache ${stored.cache}`, { anchor: "middle", kind: "axis-name" });
}

/** Keep a state possible: g must divide the query heads of the model. */
function keepGroup(state, select, note) {
  const { q_heads, kv_heads } = shapeOf(state.model);
  for (const option of select.options) {
    if (option.value === PUBLISHED) option.textContent = `as published (g = ${q_heads / kv_heads})`;
    else option.disabled = q_heads % Number(option.value) !== 0;
  }
  if (state.g === PUBLISHED || q_heads % Number(state.g) === 0) return state;
  note(`${state.model} has ${q_heads} query heads, which ${state.g} does not divide: g is as published.`);
  return { ...state, g: PUBLISHED };
}

export function mount(panel) {
  const select = (name) => panel.querySelector(`[data-name="${name}"] select`);
  interactive(panel, {
    look,
    draw,
    adjust: (state) => {
      const said = [];
      const kept = keepGroup(keepFormat(state, select("format"), (text) => said.push(text)), select("g"), (text) => said.push(text));
      if (said.length) panel.querySelector(".figure-note").textContent = said.join(" ");
      return kept;
    },
  });
}
