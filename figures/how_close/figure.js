/** How close does real code come? Every published measurement as a share of its bound, by kind, device and batch. */

import { bare, frame, mark, pointKey, regimeClass, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { medianOf } from "../shared/statistics.js";
import { filled, headsOf, listed, rowOf } from "../shared/template.js";
import { axes, columns, data, says } from "./description.js";

/** The middle of what keeps its bound, or null where nothing does. */
function middleOf(points) {
  return medianOf(points.filter(({ above }) => !above).map(({ share }) => share));
}

/** Whether a measurement is among those that the reader chose to see. */
function wanted(point, { kind, device, batch }) {
  const [low, high] = data.batches[batch] ?? [];
  return (kind === data.all || point.kind === kind)
    && (device === data.all || point.device === device)
    && (batch === data.all || (low === null ? point.batch === null : point.batch !== null && point.batch >= low && point.batch <= (high ?? Infinity)));
}

/** What the picture shows, from the state alone. */
export function look(state) {
  const points = data.points.filter((point) => wanted(point, state));
  const rows = data.rows.map((kind) => {
    const those = points.filter((point) => point.kind === kind);
    return { kind, points: those, median: middleOf(those) };
  });
  const one = points.find(({ id }) => id === state.point);
  const median = middleOf(points);
  const readout = filled(says.readout, {
    shown: points.length, count: data.points.length,
    middle: median === null ? says["no middle"] : filled(says.middle, { median }),
    chosen: one ? filled(says.chosen, { ...one, cause: one.above ? filled(says.cause, one) : "" }) : "",
  });
  const [least, most] = axes.x.domain;
  const medians = rows.filter((row) => row.median !== null).map((row) => filled(says.row, { kind: row.kind, share: row.median }));
  return {
    state, rows, one, readout,
    alt: filled(says.alt, {
      count: points.length, least, most,
      medians: listed(medians) || says.nothing,
      above: points.filter(({ above }) => above).length,
    }),
    table: {
      columns: headsOf(columns),
      rows: points.map(({ id, kind, on, code, measured, share, above }) => rowOf(columns, [id, kind, on, code, measured, share, above])),
    },
  };
}

function draw(svg, { rows, one }, size, api) {
  const left = size.width < 440 ? 118 : 142;
  const { group, x, y, inner, margin } = frame(svg, size, {
    x: axes.x,
    y: bare([rows.length, 0]),
    margin: { top: 76, left, right: 24 },
  });
  const tall = y(1) - y(0);
  pointKey(group, -margin.left + 4, -margin.top + 18);
  words(group, -margin.left + 4, -margin.top + 40, says.key, { kind: "axis-name" });
  words(group, x(1), -9, says.bound, { anchor: "middle" });
  words(group, -12, -9, says.median, { anchor: "end", kind: "axis-name" });
  group.append("line").attr("class", "bound-line").attr("x1", x(1)).attr("x2", x(1)).attr("y2", inner.height);
  for (const [index, { kind, points, median }] of rows.entries()) {
    const middle = y(index + 0.5);
    if (index) group.append("line").attr("class", "row-line").attr("x2", inner.width).attr("y1", y(index)).attr("y2", y(index));
    words(group, -margin.left + 4, middle - 5, kind);
    words(group, -margin.left + 4, middle + 15, points.length === 1 ? says.point : filled(says.points, { count: points.length }), { kind: "axis-name" });
    words(group, -12, middle + 5, median === null ? says.nothing : filled(says.share, { share: median }), { anchor: "end" });
    // The marks of a row keep within it, however tall the picture is.
    const scale = Math.min(tall / (2 * data.reach + 14), 1.4);
    for (const point of points) {
      const at = { x: x(point.share), y: middle - point.off * scale };
      const form = mark(group, at.x, at.y, point.compute, { size: 3.2 });
      if (point.above) form.attr("class", `over ${regimeClass(point.compute)}`);
      form.style("cursor", "pointer").on("click", () => api.set({ point: point.id }));
      form.append("title").text(filled(says.mark, point));
      if (point === one) group.append("circle").attr("class", "ring").attr("cx", at.x).attr("cy", at.y).attr("r", 8);
    }
    if (median !== null) {
      group.append("line").attr("class", "median-line").attr("x1", x(median)).attr("x2", x(median))
        .attr("y1", middle - data.reach * scale).attr("y2", middle + data.reach * scale);
    }
  }
}

/** A measurement that a filter leaves out can no longer be told of. */
function adjust(state, name, { note }) {
  const one = data.points.find(({ id }) => id === state.point);
  if (!one || wanted(one, state)) return state;
  note(filled(says["left out"], one));
  return { ...state, point: data.none };
}

export function mount(panel) {
  interactive(panel, { look, draw, adjust });
}
