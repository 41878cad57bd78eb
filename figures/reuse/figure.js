/** How much reuse does each device demand? A bar for each ridge point, a line for what the batch gives. */

import * as model from "../model.js";
import { boundOf, bytesOf, roofOf, storedIn } from "../shared/catalog.js";
import { bare, barKey, barsOf, frame, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { data as shared } from "../shared/sentences.js";
import { medianOf } from "../shared/statistics.js";
import { filled, headsOf, listed, rowOf, shown } from "../shared/template.js";
import { axes, columns, data, says } from "./description.js";

const DOMAIN = axes.x.domain;
/** A weight so large that the activations do not count; a power of two, so that nothing is rounded. */
const BOUNDLESS = data.boundless;
const ACTIVATIONS = bytesOf(data.activations);

/** The floating-point format in which a device has its highest peak. */
function bestFormat({ peaks }) {
  const candidates = Object.keys(model.bytes).filter((format) => format in peaks && !format.startsWith("int"));
  return candidates.reduce((best, format) => (peaks[format] > peaks[best] ? format : best));
}

/** One device: its ridge point, the matmul's intensity there, and from which batch on it would be compute-bound. */
function deviceRow(device, state) {
  const { name, year } = device;
  const format = state.view === "best" ? bestFormat(device) : state.format;
  const roof = roofOf(name, format);
  if (!roof) return { name, year, format, lacks: true };
  const weights = bytesOf(storedIn(state.weights, format));
  const sizes = { B: state.B, D: BOUNDLESS, F: BOUNDLESS, weights, activations: ACTIVATIONS, outputs: ACTIVATIONS };
  const { flops, nbytes } = model.kernels.matmul;
  return {
    ...boundOf({ flops: flops(sizes), nbytes: nbytes(sizes) }, roof),
    name, year, format, lacks: false,
    ridge: model.ridge(roof),
    needs: model.critical_batch({ ...roof, ...sizes }),
  };
}

/** By ridge point, or by year and then ridge point; what has no ridge point comes last. */
function order(view, rows) {
  const keys = ({ year, lacks, ridge }) => [view === "one" ? 0 : year, Number(lacks), ridge ?? 0];
  const before = (a, b) => a.map((key, i) => key - b[i]).find((difference) => difference !== 0) ?? 0;
  return rows.sort((a, b) => before(keys(a), keys(b)));
}

/** The middle ridge point of each year, of the devices that have one. */
function mediansOf(rows) {
  return [...new Set(rows.map(({ year }) => year))].flatMap((year) => {
    const ridge = medianOf(rows.filter((row) => row.year === year && !row.lacks).map((row) => row.ridge));
    return ridge === null ? [] : [{ year, ridge }];
  });
}

/** One number where both are the same, or else a range. */
function to([least, most]) {
  return least === most ? least : filled(says.to, { least, most });
}

/** The intensity of the matmul, or its range where the formats differ. */
function spanOf(rows) {
  const found = rows.map(({ intensity }) => intensity);
  return to([Math.min(...found), Math.max(...found)].map((intensity) => filled(says.intensity, { intensity })));
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const { B, view, format, weights } = state;
  const rows = order(view, model.devices.map((device) => deviceRow(device, state)));
  const having = rows.filter(({ lacks }) => !lacks);
  const lacking = rows.filter(({ lacks }) => lacks).map(({ name }) => name);
  const medians = view === "one" ? [] : mediansOf(rows);
  const span = spanOf(having);
  const blue = having.filter(({ computeBound }) => computeBound).length;
  const needs = having.map((row) => Math.ceil(row.needs));
  const needed = to([Math.min(...needs), Math.max(...needs)].map((need) => shown(need, "typed")));
  const bar = ({ name, ridge }) => filled(says.bar, { device: name, ridge });
  const group = (wanted) => listed(having.filter(({ computeBound }) => computeBound === wanted).map(bar)) || says.none;
  const said = {
    B, format, span, blue, count: rows.length,
    devices: having.length === 1 ? says.device : filled(says.devices, { count: having.length }),
    with: view === "best" ? "" : filled(says.with, { format }),
    rest: medians.length > 1
      ? filled(says.medians, { first: medians[0].ridge, since: String(medians[0].year), last: medians.at(-1).ridge, until: String(medians.at(-1).year) })
      : filled(says.needed, { needed, stored: weights === shared.same ? "" : filled(says.stored, { weights }) }),
    where: view === "best" ? says["in the best"] : filled(says.in, { format }),
    tokens: B === 1 ? says.token : filled(says.tokens, { B }),
    compute: group(true), memory: group(false),
    lacking: lacking.length ? filled(says.lacking, { format, devices: listed(lacking) }) : "",
  };
  const readout = filled(says.gives, said);
  return {
    state, rows, medians, readout, span, said,
    alt: `${filled(says.alt, said)} ${readout}`,
    table: {
      columns: headsOf(columns),
      rows: rows.map((row) => rowOf(columns, [row.name, String(row.year), ...(row.lacks
        ? [filled(says["no peak"], row), ...Array(4).fill(says.nothing)]
        : [row.format, row.ridge, row.intensity, row.needs, regimeName(row.computeBound)])])),
    },
  };
}

function draw(svg, view, size, api) {
  const { state, rows, medians, said } = view;
  const { group, x, y, inner, margin } = frame(svg, size, {
    x: axes.x,
    y: { ...bare([rows.length, 0]), title: says[state.view === "best" ? "best title" : "title"] },
    values: said,
    margin: { top: 72, left: 140, right: 20 },
  });
  const bar = barsOf(svg, group, api.panel.dataset.label);
  const at = (value) => x(Math.min(Math.max(value, DOMAIN[0]), DOMAIN[1]));
  const thick = y(1) * 0.62;

  barKey(group, bar, -margin.left + 4, -margin.top + 24);
  rows.forEach((row, i) => {
    const base = y(i + 0.5) + 4;
    words(group, -7, base, row.name, { anchor: "end", kind: "row-name" });
    if (state.view !== "one" && row.year !== rows[i - 1]?.year) words(group, -margin.left + 2, base, row.year, { kind: "axis-name" });
    if (row.lacks) words(group, 6, base, filled(says["no peak"], row), { kind: "axis-name" });
    else bar(0, y(i + 0.5) - thick / 2, Math.max(at(row.ridge), 3), thick, row.computeBound); // below the axis too, its colour shows
  });
  for (const { year, ridge } of medians) {
    const first = rows.findIndex((row) => row.year === year);
    const last = rows.findLastIndex((row) => row.year === year);
    group.append("line").attr("class", "guide median").attr("x1", at(ridge)).attr("x2", at(ridge)).attr("y1", y(first)).attr("y2", y(last + 1));
  }

  // One straight line, or a staircase where the weights of the devices differ.
  const steps = rows.flatMap((row, i) => (row.lacks ? [] : [`${at(row.intensity)},${y(i)}V${y(i + 1)}`]));
  group.append("path").attr("class", "curve given").attr("d", `M${steps.join("L")}`);
  const name = (left, top, text) => {
    const fits = left + 6 + 7.2 * text.length < inner.width + margin.right;
    const room = left - 5 - 7.2 * text.length > -margin.left;
    if (fits || room) words(group, left + (fits ? 6 : -5), top, text, { anchor: fits ? "start" : "end", kind: "value" });
    else words(group, inner.width + margin.right, top, text, { anchor: "end", kind: "value" });
  };
  // The numbers come last, so that no line crosses them out.
  rows.forEach((row, i) => {
    if (row.lacks) return;
    if (state.view === "best") words(group, 5, y(i + 0.5) + 4, row.format, { kind: "row-name" });
    name(at(row.ridge), y(i + 0.5) + 4, filled(says.ridge, row));
  });
  name(at(rows.find(({ lacks }) => !lacks).intensity) - 8, -8, filled(says.mark, said));
}

export function mount(panel) {
  const format = panel.querySelector('[data-name="format"] select');
  interactive(panel, {
    look,
    draw,
    adjust: (state) => {
      // In that view each device has a format of its own.
      format.disabled = state.view === "best";
      return state;
    },
  });
}
