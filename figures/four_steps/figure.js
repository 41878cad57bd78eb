/** The four steps for any kernel: count FLOPs and bytes, divide twice, keep the larger time. And what would change it? */

import * as model from "../model.js";
import { boundOf, bytesOf, costOf, keepFormat, roofOf } from "../shared/catalog.js";
import { frame, hatch, regimeClass, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { formatQuantity } from "../shared/quantity.js";
import { typed } from "../shared/state.js";

/** The kernel's choice where FLOPs and bytes are typed. */
const OWN = "own";

/** A time; below a picosecond there is no prefix that `write` would take by itself. */
function time(value) {
  return value > 0 && value < 1e-12 ? formatQuantity(value, "s", 3, { prefix: "p" }) : formatQuantity(value, "s");
}

/** A peak or a bandwidth with all the digits that the catalog gives it. */
function rate(value, unit) {
  const digits = [3, 4, 5, 6].find((count) => Number(value.toPrecision(count)) === value) ?? 6;
  return formatQuantity(value, unit, digits);
}

/** The sizes of a kernel: its parameters without the number formats. */
function sizesOf(kernel) {
  const { parameters, formats } = model.kernels[kernel];
  return parameters.filter((name) => !formats.includes(name));
}

function costIn(state) {
  return state.kernel === OWN ? { flops: state.flops, nbytes: state.nbytes } : costOf(state.kernel, state, state.format);
}

/** What the kernel is called, and the sizes that say which one it is. */
function namesOf(state) {
  if (state.kernel === OWN) return ["typed FLOPs and bytes"];
  const required = sizesOf(state.kernel).filter((name) => !(name in model.kernels[state.kernel].defaults));
  return [state.kernel.replaceAll("_", " "), ...required.map((name) => `${name} = ${typed(state[name])}`)];
}

/** The three changes and the bound after each; a null bound where the device has no peak for the format. */
function changesOf({ other, format }, { flops, nbytes }, roof) {
  const there = roofOf(other, format);
  return [
    { words: `on ${other}`, limit: there && boundOf({ flops, nbytes }, there) },
    { words: "half the bytes", limit: boundOf({ flops, nbytes: nbytes / 2 }, roof) },
    { words: "twice the FLOP/s", limit: boundOf({ flops, nbytes }, { ...roof, peak: 2 * roof.peak }) },
  ];
}

function gain({ words: what, limit, factor }, format) {
  if (!limit) return `${what}: no ${format} peak`;
  const shown = formatQuantity(factor, "×");
  return `${what}: ${time(limit.time)}, ${shown === "1.00×" ? "no faster" : `${shown} as fast`}`;
}

/** A formula of the model with its formats as `e`, and the same with the numbers in it. */
function written(formula, { formats }, state) {
  const fill = (name) => (formats.includes(name) ? String(bytesOf(state.format)) : typed(state[name]));
  return {
    symbols: formula.replaceAll(/[A-Za-z_]\w*/g, (name) => (formats.includes(name) ? "e" : name)),
    numbers: formula.replaceAll(/[A-Za-z_]\w*/g, fill),
  };
}

/** The arithmetic of the four steps, line by line. */
function working(state, limit, roof) {
  const { kernel, device, format } = state;
  const [flops, nbytes] = [formatQuantity(limit.flops, "FLOP", 4), formatQuantity(limit.nbytes, "B", 4)];
  const [peak, bandwidth] = [rate(roof.peak, "FLOP/s"), rate(roof.bandwidth, "B/s")];
  const lines = [namesOf(state).join(", "), `on ${device}, ${format}: P = ${peak}, BW = ${bandwidth}`];
  if (kernel === OWN) {
    lines.push(`1. FLOPs = ${flops}`, `2. bytes = ${nbytes}`);
  } else {
    const cost = model.kernels[kernel];
    const count = (step, name, formula, total) => {
      const { symbols, numbers } = written(formula, cost, state);
      lines.push(`${step}. ${name} = ${symbols}`, `         = ${numbers}`, `         = ${total}`);
    };
    lines[1] += `, e = ${bytesOf(format)} B`;
    count(1, "FLOPs", cost.written.flops, flops);
    count(2, "bytes", cost.written.nbytes, nbytes);
  }
  const [longer, sign] = limit.computeBound ? ["compute", "≥"] : ["memory", "<"];
  lines.push(
    `3. compute time = FLOPs ÷ P = ${flops} ÷ ${peak} = ${time(limit.compute_time)}`,
    `   memory time = bytes ÷ BW = ${nbytes} ÷ ${bandwidth} = ${time(limit.memory_time)}`,
    `4. The ${longer} time is the larger: ${regimeName(limit.computeBound)}, at least ${time(limit.time)}.`,
    `   I = FLOPs ÷ bytes = ${formatQuantity(limit.intensity, "FLOP/B")} ${sign} ridge point ${formatQuantity(model.ridge(roof), "FLOP/B")}`,
  );
  return lines.join("\n");
}

/** The same as a script for the package. */
function python(state) {
  const { kernel, device, format, other } = state;
  const has = roofOf(other, format) !== null;
  const made = kernel === OWN
    ? `Kernel("my kernel", flops=${state.flops}, nbytes=${state.nbytes})`
    : `${kernel}(${sizesOf(kernel).map((name) => `${name}=${state[name]}`).join(", ")}, dtype="${format}")`;
  const names = ["Kernel", "Roof", "bound", "device", ...(kernel === OWN ? [] : [kernel]), "write"];
  return `from roofline import ${names.join(", ")}

kernel = ${made}
roof = device("${device}").roof("${format}")
limit = bound(kernel, roof)

print("1. FLOPs:", formatQuantity(kernel.flops, "FLOP", 4))
print("2. Bytes:", formatQuantity(kernel.nbytes, "B", 4))
print("3. Compute time:", formatQuantity(limit.compute_time, "s"), "and memory time:", formatQuantity(limit.memory_time, "s"))
print("4. At least", formatQuantity(limit.time, "s") + ",", limit.regime)

changes = {
${has ? `    "on ${other}": bound(kernel, device("${other}").roof("${format}")),\n` : ""}    "half the bytes": bound(Kernel("half the bytes", kernel.flops, kernel.nbytes / 2), roof),
    "twice the FLOP/s": bound(kernel, Roof(2 * roof.peak, roof.bandwidth)),
}
for change, after in changes.items():
    print(f"What if, {change}: {formatQuantity(after.time, 's')}, {formatQuantity(limit.time / after.time, '×')} as fast")
`;
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { device, format } = state;
  const roof = roofOf(device, format);
  const limit = boundOf(costIn(state), roof);
  const changes = changesOf(state, limit, roof)
    .map((change) => ({ ...change, factor: change.limit && limit.time / change.limit.time }));
  const title = namesOf(state).join(", ");
  const gains = changes.map((change) => gain(change, format)).join("; ");
  const readout = `${title}, on ${device}, ${format}: compute time ${time(limit.compute_time)}, memory time ${time(limit.memory_time)}, so ${regimeName(limit.computeBound)}, at least ${time(limit.time)}, at most ${formatQuantity(limit.share, "%", 2)} of peak. What if? ${gains}.`;
  const after = (change) => (change.limit ? `${time(change.limit.time)} ${formatQuantity(change.factor, "×")}` : "no such peak");
  return {
    state, roof, limit, changes, title, readout,
    gains: changes.map((change) => gain(change, format)),
    working: working(state, limit, roof),
    python: python(state),
    alt: `The four steps: two bars, and the bound after each of three changes. ${readout}`,
    table: {
      columns: ["Step", title],
      rows: [
        ["1. FLOPs", formatQuantity(limit.flops, "FLOP")],
        ["2. Bytes", formatQuantity(limit.nbytes, "B")],
        ["3. Compute time", time(limit.compute_time)],
        ["3. Memory time", time(limit.memory_time)],
        ["4. The larger: at least", time(limit.time)],
        ["4. Regime", regimeName(limit.computeBound)],
        ...changes.map((change) => [`What if: ${change.words}`, after(change)]),
      ],
    },
  };
}

const UNITS = { s: 1, ms: 1e3, "µs": 1e6, ns: 1e9, ps: 1e12, ks: 1e-3, Ms: 1e-6, Gs: 1e-9, Ts: 1e-12, Ps: 1e-15, Es: 1e-18 };
/** Room for a time at the end of the longest bar, px. */
const ROOM = 84;

function draw(svg, view, size, api) {
  const { state, roof, limit, changes } = view;
  const longest = Math.max(limit.time, ...changes.map((change) => change.limit?.time ?? 0));
  const unit = time(longest).split(" ")[1];
  const margin = { top: 46, left: 10, right: 10 };
  const full = size.width - margin.left - margin.right;
  const { group, x, inner } = frame(svg, size, {
    x: { kind: "linear", domain: [0, (longest * UNITS[unit] * full) / (full - ROOM)], label: `least time, in ${unit}` },
    y: { kind: "linear", domain: [0, 1], label: "", tick: () => "" },
    margin,
  });
  const stripes = hatch(svg, `${api.panel.dataset.label}-hatch`);
  const bar = (value, y, height, computeBound) => {
    const shape = group.append("rect").attr("y", y).attr("width", x(value * UNITS[unit])).attr("height", height)
      .attr("class", `bar ${regimeClass(computeBound)}`);
    if (!computeBound) shape.style("fill", stripes);
  };
  const [name, ...sizes] = namesOf(state);
  words(group, 0, -30, `${name} on ${state.device}, ${state.format}`);
  words(group, 0, -12, sizes.join(", "), { kind: "axis-name" });
  // Two main bars, a line of words, three changes.
  const line = 18;
  const row = (inner.height - line) / 5.6;
  let y = 0;
  for (const [name, amount, speed, per, value, computeBound] of [
    ["compute time", formatQuantity(limit.flops, "FLOP"), roof.peak, "FLOP/s", limit.compute_time, true],
    ["memory time", formatQuantity(limit.nbytes, "B"), roof.bandwidth, "B/s", limit.memory_time, false],
  ]) {
    const height = Math.min(row - line - 10, 56);
    const holds = computeBound === limit.computeBound;
    // A low bar has room for one line beside it.
    const low = height < 28;
    const title = low && holds ? name.replace("time", "(bound)") : name;
    // In full, as on the page, where there is room for it.
    const [inFull, short] = [rate(speed, per), formatQuantity(speed, per)].map((text) => `${title}: ${amount} ÷ ${text}`);
    words(group, 0, y + line - 4, 7.3 * inFull.length < inner.width ? inFull : short, { regime: regimeClass(computeBound) });
    bar(value, y + line + 2, height, computeBound);
    const end = x(value * UNITS[unit]) + 6;
    const middle = y + line + 2 + height / 2;
    words(group, end, middle + (holds && !low ? -2 : 5), time(value), { kind: holds ? "strong" : "" });
    if (holds && !low) words(group, end, middle + 13, "the bound", { kind: "axis-name" });
    y += row * 1.15;
  }
  words(group, 0, y + line - 4, "What if?", { kind: "strong" });
  y += line + 2;
  for (const [index, change] of changes.entries()) {
    words(group, 0, y + line - 4, view.gains[index]);
    if (change.limit) bar(change.limit.time, y + line + 1, Math.min(row - line - 8, 40), change.limit.computeBound);
    y += row * 1.1;
  }
  api.panel.querySelector('[data-lines="working"]').textContent = view.working;
}

/** The state put right, and only the chosen kernel's own sizes in sight. */
function possible(state, name, panel) {
  const note = panel.querySelector(".figure-note");
  const kept = keepFormat(state, panel.querySelector('[data-name="format"] select'), (text) => { note.textContent = text; });
  const sizes = state.kernel === OWN ? ["flops", "nbytes"] : sizesOf(state.kernel);
  for (const control of panel.querySelectorAll(".control-number")) control.hidden = !sizes.includes(control.dataset.name);
  // Another kernel brings its own defaults: a softmax does more with each element than a ReLU.
  const defaults = name === "kernel" && state.kernel !== OWN ? model.kernels[state.kernel].defaults : {};
  const put = Object.fromEntries(sizes.filter((size) => size in defaults).map((size) => [size, defaults[size]]));
  const all = { ...kept, ...put };
  if (state.kernel !== OWN && costIn(all).nbytes === 0) {
    note.textContent = "A kernel moves at least one tensor: one is read.";
    return { ...all, reads: 1 };
  }
  return all;
}

/** Copy a text; where that is not allowed, show it selected below the readout. */
async function copy({ panel, note }, text, what) {
  try {
    await navigator.clipboard.writeText(text);
    note(`${what} copied.`);
  } catch {
    const lines = panel.querySelector('[data-lines="working"]');
    lines.textContent = text;
    getSelection().selectAllChildren(lines);
    note("This browser does not let the page copy; the text is selected, copy it from there.");
  }
}

export function mount(panel) {
  interactive(panel, {
    look,
    draw,
    adjust: (state, name) => possible(state, name, panel),
    presses: {
      text: (api) => copy(api, api.view.working, "The arithmetic is"),
      python: (api) => copy(api, api.view.python, "The script is"),
    },
  });
}
