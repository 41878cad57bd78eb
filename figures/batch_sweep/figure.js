/** The decode batch from 1 to 1024: one point climbs the memory roof to the ridge, two stay where they are. */

import * as model from "../model.js";
import { boundOf, bytesOf, keepFormat, roofOf, widthsOf } from "../shared/catalog.js";
import { dragBatch, firstWhole, frame, mark, pointKey, regimeName, words } from "../shared/chart.js";
import { interactive } from "../shared/figure.js";
import { filled, headsOf, rowOf } from "../shared/template.js";
import { axes, columns, data, says } from "./description.js";

/** Time from one power of two to the next, ms. */
const PACE = 700;

const { batches: BATCHES, steps: STEPS } = data;
const llama = widthsOf(data.model);
/** Bytes per element of the cache and the activations, whatever the format of the weights. */
const STORED = bytesOf(data.stored);

/** Where a kernel with these sizes is on the roofline. */
function at({ flops, nbytes }, sizes, roof) {
  return boundOf({ flops: flops(sizes), nbytes: nbytes(sizes) }, roof);
}

/** A matmul with one hidden × hidden weight: in decode its tokens are the batch, in prefill the prompt. */
function matmulAt(tokens, { device, format }) {
  const sizes = { B: tokens, D: llama.hidden, F: llama.hidden, weights: bytesOf(format), activations: STORED, outputs: STORED };
  return at(model.kernels.matmul, sizes, roofOf(device, format));
}

function grouping(mha) {
  return mha ? { g: 1, kv_heads: llama.q_heads } : { g: model.g(llama), kv_heads: llama.kv_heads };
}

function attentionAt(batch, { device, format, mha }) {
  const sizes = { T: data.context, d_h: llama.head_dim, dtype: STORED, sequences: batch, new_tokens: 1, ...grouping(mha) };
  return at(model.kernels.attention_decode, sizes, roofOf(device, format));
}

function kind(mha) {
  return filled(mha ? says.mha : says.gqa, { g: String(grouping(mha).g) });
}

/** What the picture shows, from the state alone. While it plays, `exactly` is the batch, which need not be whole. */
export function look(state) {
  const { B, device, format, mha, playing, exactly = B } = state;
  const roof = roofOf(device, format);
  const sizes = { D: llama.hidden, F: llama.hidden, weights: bytesOf(format), activations: STORED, outputs: STORED };
  const ridge = model.ridge(roof);
  const exact = model.critical_batch({ ...roof, ...sizes });
  const first = Math.ceil(exact);
  const never = !Number.isFinite(exact);
  const chosen = matmulAt(B, state);
  const attention = attentionAt(B, state);
  const prefill = matmulAt(data.prompt, state);
  const said = {
    B, device, format, ridge,
    model: llama.name,
    side: llama.hidden,
    regime: regimeName(chosen.computeBound),
    intensity: chosen.intensity,
    threshold: never ? says.never : filled(says.from, { first }),
    attention: attention.intensity,
    kind: kind(mha),
    prompt: data.prompt,
    prefill: prefill.intensity,
    prefill_regime: regimeName(prefill.computeBound),
  };
  // The same sentence throughout: someone who listens to the page should not hear every batch on the way.
  const readout = playing ? filled(says.playing, { last: BATCHES[1] }) : filled(says.readout, said);
  const batches = [...new Set([...STEPS, B, ...(first <= BATCHES[1] ? [first] : [])])].sort((a, b) => a - b);
  const cells = ({ intensity, time, share, computeBound }) => [intensity, time, share, regimeName(computeBound)];
  return {
    state, roof, ridge, exact, never, chosen, attention, prefill, readout, said,
    playing: Boolean(playing),
    moving: exactly === B ? chosen : matmulAt(exactly, state),
    trail: STEPS.map((batch) => matmulAt(batch, state)),
    alt: filled(says.alt, said),
    table: {
      columns: headsOf(columns),
      rows: [
        ...batches.map((batch) => {
          const { intensity, time } = attentionAt(batch, state);
          return rowOf(columns, [batch, ...cells(matmulAt(batch, state)), intensity, time]);
        }),
        rowOf(columns, [filled(says.prompt, { tokens: data.prompt }), ...cells(prefill), "–", "–"]),
      ],
    },
  };
}

function draw(svg, view, size, api) {
  const { roof, ridge, moving, attention, prefill, trail, said } = view;
  const chart = frame(svg, size, {
    x: axes.x,
    y: size.width < 440 ? { ...axes.y, title: says["narrow title"] } : axes.y,
    margin: { top: 54 },
    values: said,
  });
  const { group, x, y, inner, margin } = chart;
  pointKey(group, -margin.left + 4, -22);
  const [low, high] = axes.x.domain;
  const roofAt = (intensity) => y(model.attainable_at({ ...roof, intensity }));
  const line = (x1, x2, y1, y2, name) => group.append("line").attr("class", name).attr("x1", x1).attr("x2", x2).attr("y1", y1).attr("y2", y2);
  const corner = Math.max(x(ridge), 0);
  line(corner, corner, y(roof.peak), inner.height, "guide");
  line(x(low), corner, roofAt(low), y(roof.peak), "curve memory");
  line(corner, x(high), y(roof.peak), y(roof.peak), "curve compute");
  for (const { intensity, attainable, computeBound } of trail) mark(group, x(intensity), y(attainable), computeBound, { size: 3, kind: "trail" });

  const roomy = inner.width > 380;
  const labels = [
    [prefill, says.prefill, ""],
    [attention, filled(roomy ? says.attention : says["narrow attention"], said), ""],
    [moving, filled(roomy ? says.matmul : says["narrow matmul"], said), "chosen draggable"],
  ];
  const taken = [];
  const rows = [0, 16, 32, 48];
  place(group, taken, filled(says.ridge, said), [
    [corner + 6, inner.height - 8, "start"], [corner - 6, inner.height - 8, "end"], [corner + 6, y(roof.peak) + 40, "start"],
  ], inner, "axis-name");
  if (inner.width - corner > 90) place(group, taken, says["compute roof"], [[inner.width, y(roof.peak) + 18, "end"]], inner, "compute");
  nameSlope(group, [x(low), roofAt(low)], [corner, y(roof.peak)]);
  for (const [point, text, name] of labels) {
    const [px, py] = [x(point.intensity), y(point.attainable)];
    // Below the slope, or above the flat roof; further away where another name already is.
    const over = rows.flatMap((up) => [[px + 12, py - 14 - up, "end"], [inner.width, py - 14 - up, "end"], [px + 10, py - 14 - up, "start"]]);
    const under = [...rows.map((down) => [px + 10, py + 14 + down, "start"]), ...rows.map((down) => [inner.width + 10, py + 18 + down, "end"])];
    place(group, taken, text, point.computeBound ? [...over, ...under] : [...under, ...over], inner);
    mark(group, px, py, point.computeBound, { size: 6, kind: name });
  }
  dragBatch(chart, api, (intensity) => nearest(intensity, api.state));
  api.panel.querySelector('[data-press="play"]').textContent = view.playing ? says.pause : says.play;
}

/** Name the memory roof along its slope, above the middle, where it is long enough. */
function nameSlope(group, [x1, y1], [x2, y2]) {
  if (x2 - x1 < 100) return;
  const turned = `translate(${(x1 + x2) / 2},${(y1 + y2) / 2}) rotate(${Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI})`;
  words(group, 0, -12, says["memory roof"], { anchor: "middle", regime: "memory" }).attr("transform", turned);
}

/** Write a text at the one of some places where it covers the fewest other texts and stays in the picture. */
function place(group, taken, text, places, inner, name = "") {
  const wide = 6.7 * text.length;
  const boxes = places.map(([px, py, anchor]) => {
    const left = anchor === "end" ? px - wide : px;
    return { px, py, anchor, left, right: left + wide };
  });
  const inside = ({ left, right, py }) => left > -4 && right < inner.width + 12 && py > 10 && py < inner.height;
  const covered = ({ left, right, py }) => taken.filter((other) => left < other.right && other.left < right && Math.abs(py - other.py) < 15).length;
  const cost = (box) => covered(box) + (inside(box) ? 0 : 10);
  const box = boxes.reduce((best, other) => (cost(other) < cost(best) ? other : best));
  taken.push(box);
  words(group, box.px, box.py, text, { anchor: box.anchor, regime: name });
}

/** The first batch whose intensity reaches this one, or else the largest; the intensity rises with the batch. */
function nearest(intensity, state) {
  return firstWhole(...BATCHES, (batch) => matmulAt(batch, state).intensity >= intensity) ?? BATCHES[1];
}

/** The power of two after a batch, or before it. */
function stepFrom(batch, direction) {
  const power = direction > 0 ? Math.floor(Math.log2(batch)) + 1 : Math.ceil(Math.log2(batch)) - 1;
  return STEPS[Math.min(Math.max(power, 0), STEPS.length - 1)];
}

/** Slow at each power of two, and fast in between. */
function eased(power) {
  const whole = Math.floor(power);
  const part = power - whole;
  return whole + part * part * (3 - 2 * part);
}

/** The inverse of `eased`, so that playing resumes without a jump. */
function uneased(power) {
  const whole = Math.floor(power);
  return whole + 0.5 - Math.sin(Math.asin(1 - 2 * (power - whole)) / 3);
}

function settle(api, B) {
  api.set({ B });
}

function play(api) {
  if (api.state.playing) {
    settle(api, api.state.B);
    return;
  }
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    step(api, 1);
    return;
  }
  const top = STEPS.length - 1;
  const start = api.state.B >= BATCHES[1] ? BATCHES[0] : api.state.B;
  // Each run has a mark of its own, so that a paused one cannot continue beside the next.
  const playing = Symbol("playing");
  let power = uneased(Math.log2(start));
  let before = performance.now();
  const tick = (now) => {
    if (api.state.playing !== playing) return;
    // A tab that comes back from the background continues where it was.
    power += Math.min(Math.max(now - before, 0), 50) / PACE;
    before = now;
    if (power >= top) {
      settle(api, BATCHES[1]);
      return;
    }
    const exactly = 2 ** eased(power);
    api.set({ playing, exactly, B: Math.round(exactly) }, { settled: false });
    requestAnimationFrame(tick);
  };
  api.set({ playing, exactly: start, B: start }, { settled: false });
  requestAnimationFrame(tick);
}

function step(api, direction) {
  settle(api, stepFrom(api.state.B, direction));
}

export function mount(panel) {
  interactive(panel, {
    look,
    draw,
    adjust: (state, name, change) => {
      const kept = keepFormat(state, change);
      // Setting the batch, a reset or a link ends the playing; choosing another device does not.
      if (name !== "B" && name !== null) return kept;
      const { playing, exactly, ...still } = kept;
      return still;
    },
    presses: { play, back: (api) => step(api, -1), forward: (api) => step(api, 1) },
  });
}
