/** The four steps for any kernel: count FLOPs and bytes, divide twice, keep the larger time. And what would change it? */

import * as model from "../model.js";
import { boundOf, bytesOf, costOf, keepFormat, roofOf } from "../shared/catalog.js";
import { bare, frame, hatch, regimeClass, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { perSecond } from "../shared/quantity.js";
import { filled, headsOf, shown } from "../shared/template.js";
import { axes, columns, data, says } from "./description.js";

const OWN = data.own;

function time(value) {
  return shown(value, "s");
}

/** A peak or a bandwidth with all the digits that the catalog gives it. */
function rate(value, unit) {
  const digits = [3, 4, 5, 6].find((count) => Number(value.toPrecision(count)) === value) ?? 6;
  return shown(value, `${unit} ${digits}`);
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
  if (state.kernel === OWN) return [says.typed];
  const required = sizesOf(state.kernel).filter((name) => !(name in model.kernels[state.kernel].defaults));
  return [state.kernel.replaceAll("_", " "), ...required.map((size) => filled(says.size, { size, value: state[size] }))];
}

/** The three changes and the bound after each; a null bound where the device has no peak for the format. */
function changesOf({ other, format }, { flops, nbytes }, roof) {
  const there = roofOf(other, format);
  return [
    { words: filled(says.other, { other }), limit: there && boundOf({ flops, nbytes }, there) },
    { words: says.half, limit: boundOf({ flops, nbytes: nbytes / 2 }, roof) },
    { words: says.twice, limit: boundOf({ flops, nbytes }, { ...roof, peak: 2 * roof.peak }) },
  ];
}

function gain({ words: change, limit, factor }, format) {
  if (!limit) return filled(says["no peak"], { change, format });
  const name = shown(factor, "×") === shown(1, "×") ? "no faster" : "faster";
  return filled(says[name], { change, factor, time: time(limit.time) });
}

/** A formula of the model with `e` for the bytes of an element, and the same formula with numbers. */
function written(formula, { formats }, state) {
  const fill = (name) => (formats.includes(name) ? String(bytesOf(state.format)) : shown(state[name], "typed"));
  return {
    symbols: formula.replaceAll(/[A-Za-z_]\w*/g, (name) => (formats.includes(name) ? "e" : name)),
    numbers: formula.replaceAll(/[A-Za-z_]\w*/g, fill),
  };
}

/** The values of the sentences' gaps. */
function saidOf(state, limit, roof) {
  return {
    kernel: namesOf(state).join(", "), device: state.device, format: state.format,
    flops: limit.flops, nbytes: limit.nbytes, intensity: limit.intensity, share: limit.share, ridge: model.ridge(roof),
    peak: rate(roof.peak, "FLOP/s"), bandwidth: rate(roof.bandwidth, "B/s"),
    compute: time(limit.compute_time), memory: time(limit.memory_time), time: time(limit.time),
    regime: regimeName(limit.computeBound), longer: says[limit.computeBound ? "longer compute" : "longer memory"],
  };
}

/** The arithmetic of the four steps, line by line. */
function working(state, said, computeBound) {
  const { kernel, format } = state;
  const say = (name, values = said) => filled(says[`working ${name}`], values);
  const [flops, nbytes] = ["flops", "nbytes"].map((name) => shown(said[name], data[name]));
  const lines = [said.kernel, say("where")];
  if (kernel === OWN) {
    lines.push(say("flops", { value: flops }), say("bytes", { value: nbytes }));
  } else {
    const cost = model.kernels[kernel];
    const count = (name, formula, total) => {
      const { symbols, numbers } = written(formula, cost, state);
      lines.push(say(name, { value: symbols }), say("more", { value: numbers }), say("more", { value: total }));
    };
    lines[1] += say("element", { bytes: bytesOf(format) });
    count("flops", cost.written.flops, flops);
    count("bytes", cost.written.nbytes, nbytes);
  }
  lines.push(say("compute"), say("memory"), say("larger"), say(computeBound ? "above" : "below"));
  return lines.join("\n");
}

/** The same as a script for the package. */
function python(state) {
  const { kernel, device, format, other } = state;
  const has = roofOf(other, format) !== null;
  const made = kernel === OWN
    ? `Kernel("my kernel", flops=${state.flops}, nbytes=${state.nbytes})`
    : `${kernel}(${sizesOf(kernel).map((name) => `${name}=${state[name]}`).join(", ")}, dtype="${format}")`;
  const names = ["Kernel", "Roof", "bound", "device", ...(kernel === OWN ? [] : [kernel]), "format_quantity"];
  return `from roofline import ${names.join(", ")}

kernel = ${made}
roof = device("${device}").roof("${format}")
limit = bound(kernel, roof)

print("1. FLOPs:", format_quantity(kernel.flops, "FLOP", 4))
print("2. Bytes:", format_quantity(kernel.nbytes, "B", 4))
print("3. Compute time:", format_quantity(limit.compute_time, "s"), "and memory time:", format_quantity(limit.memory_time, "s"))
print("4. At least", format_quantity(limit.time, "s") + ",", limit.regime)

changes = {
${has ? `    "on ${other}": bound(kernel, device("${other}").roof("${format}")),\n` : ""}    "half the bytes": bound(Kernel("half the bytes", kernel.flops, kernel.nbytes / 2), roof),
    "twice the FLOP/s": bound(kernel, Roof(2 * roof.peak, roof.bandwidth)),
}
for change, after in changes.items():
    print(f"What if, {change}: {format_quantity(after.time, 's')}, {format_quantity(limit.time / after.time, '×')} as fast")
`;
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { device, format } = state;
  const roof = roofOf(device, format);
  const limit = boundOf(costIn(state), roof);
  const changes = changesOf(state, limit, roof)
    .map((change) => ({ ...change, factor: change.limit && limit.time / change.limit.time }));
  const gains = changes.map((change) => gain(change, format));
  const said = { ...saidOf(state, limit, roof), gains: gains.join("; ") };
  const after = (change) => (change.limit ? `${time(change.limit.time)} ${shown(change.factor, data.columns.factor)}` : says["no such peak"]);
  return {
    state, roof, limit, changes, title: said.kernel, gains, said,
    readout: filled(says.readout, said),
    working: working(state, said, limit.computeBound),
    python: python(state),
    alt: filled(says.alt, said),
    table: {
      columns: headsOf(columns, said),
      rows: [
        [says["1"], shown(limit.flops, data.columns.flops)],
        [says["2"], shown(limit.nbytes, data.columns.nbytes)],
        [says["3 compute"], said.compute],
        [says["3 memory"], said.memory],
        [says["4 time"], said.time],
        [says["4 regime"], said.regime],
        ...changes.map((change) => [filled(says.row, { change: change.words }), after(change)]),
      ],
    },
  };
}

/** Room for a time at the end of the longest bar, px. */
const ROOM = 84;

function draw(svg, view, size, api) {
  const { state, roof, limit, changes, said } = view;
  const longest = Math.max(limit.time, ...changes.map((change) => change.limit?.time ?? 0));
  const unit = time(longest).split(" ").at(-1);
  const scale = perSecond(unit);
  const margin = { top: 46, left: 10, right: 10 };
  const full = size.width - margin.left - margin.right;
  // Where the chart is narrow, a time needs more room than the description gives it.
  const room = Math.max(data.room, full / (full - ROOM));
  const { group, x, inner } = frame(svg, size, {
    x: { ...axes.x, domain: [0, longest * scale * room] },
    y: bare([0, 1]),
    margin,
    values: { unit },
  });
  const stripes = hatch(svg, `${api.panel.dataset.label}-hatch`);
  const bar = (value, y, height, computeBound) => {
    const drawn = group.append("rect").attr("y", y).attr("width", x(value * scale)).attr("height", height)
      .attr("class", `bar ${regimeClass(computeBound)}`);
    if (!computeBound) drawn.style("fill", stripes);
  };
  const [name, ...sizes] = namesOf(state);
  words(group, 0, -30, filled(says.title, { ...said, kernel: name }));
  words(group, 0, -12, sizes.join(", ") || says["no sizes"], { kind: "axis-name" });
  // Two main bars, a line of words, three changes.
  const line = 18;
  const row = (inner.height - line) / 5.6;
  let y = 0;
  for (const [name, amount, speed, per, value, computeBound] of [
    ["compute", limit.flops, roof.peak, "FLOP/s", limit.compute_time, true],
    ["memory", limit.nbytes, roof.bandwidth, "B/s", limit.memory_time, false],
  ]) {
    const height = Math.min(row - line - 10, 56);
    const holds = computeBound === limit.computeBound;
    // A low bar has room for one line beside it.
    const low = height < 28;
    const title = says[low && holds ? `low ${name}` : name];
    // In full, as on the page, where there is room for it.
    const [inFull, short] = [rate(speed, per), shown(speed, per)].map((text) => filled(title, { amount, rate: text }));
    words(group, 0, y + line - 4, 7.3 * inFull.length < inner.width ? inFull : short, { regime: regimeClass(computeBound) });
    bar(value, y + line + 2, height, computeBound);
    const end = x(value * scale) + 6;
    const middle = y + line + 2 + height / 2;
    words(group, end, middle + (holds && !low ? -2 : 5), time(value), { kind: holds ? "strong" : "" });
    if (holds && !low) words(group, end, middle + 13, says.bound, { kind: "axis-name" });
    y += row * 1.15;
  }
  words(group, 0, y + line - 4, says["what if"], { kind: "strong" });
  y += line + 2;
  for (const [index, change] of changes.entries()) {
    words(group, 0, y + line - 4, view.gains[index]);
    if (change.limit) bar(change.limit.time, y + line + 1, Math.min(row - line - 8, 40), change.limit.computeBound);
    y += row * 1.1;
  }
  api.panel.querySelector('[data-lines="working"]').textContent = view.working;
}

/** Return the state corrected, and show only the sizes of the chosen kernel. */
function possible(state, name, panel, change) {
  const kept = keepFormat(state, change);
  const sizes = state.kernel === OWN ? ["flops", "nbytes"] : sizesOf(state.kernel);
  for (const control of panel.querySelectorAll(".control-number")) control.hidden = !sizes.includes(control.dataset.name);
  // A newly chosen kernel brings its own defaults: a softmax has more FLOPs for each element than a ReLU.
  const defaults = name === "kernel" && state.kernel !== OWN ? model.kernels[state.kernel].defaults : {};
  const put = Object.fromEntries(sizes.filter((size) => size in defaults).map((size) => [size, defaults[size]]));
  const all = { ...kept, ...put };
  if (state.kernel !== OWN && costIn(all).nbytes === 0) {
    change.note(says["one tensor"]);
    return { ...all, reads: 1 };
  }
  return all;
}

/** Copy a text; where that is not allowed, show it selected below the readout. */
async function copy({ panel, note }, text, copied) {
  try {
    await navigator.clipboard.writeText(text);
    note(copied);
  } catch {
    const lines = panel.querySelector('[data-lines="working"]');
    lines.textContent = text;
    getSelection().selectAllChildren(lines);
    note(says["not copied"]);
  }
}

export function mount(panel) {
  interactive(panel, {
    look,
    draw,
    adjust: (state, name, change) => possible(state, name, panel, change),
    presses: {
      text: (api) => copy(api, api.view.working, says["arithmetic copied"]),
      python: (api) => copy(api, api.view.python, says["script copied"]),
    },
  });
}
