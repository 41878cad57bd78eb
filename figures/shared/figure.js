/**
 * What makes a figure interactive: the state comes from the controls or the address, each frame redraws at most once,
 * and the address keeps the state.
 *
 * A figure gives `look(state)`, a pure function from the state to what is drawn, and `draw(svg, view, size)`, which
 * describes the picture. Its controls, its readout and its static picture are already on the page.
 */

import { download, toCsv, toPng, toSvgText } from "./export.js";
import { typed } from "./quantity.js";
import { says } from "./sentences.js";
import { show, sketch } from "./sketch.js";
import { accept, fromHash, fromSlider, initialState, schemaOf, standing, toHash, toSlider } from "./state.js";

const SVG = "http://www.w3.org/2000/svg";
/** The state of every figure of this page, as the end of an address. Each entry of the history keeps all of them. */
const shown = {};

/** Write a text only where it differs: otherwise a screen reader would repeat the same sentence. */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Show a table as rows of cells: the heads, then each row, whose first cell names it. */
function showTable(table, { columns, rows }) {
  const cells = (texts, tag) => texts.map((text, index) => {
    const cell = document.createElement(index === 0 || tag === "th" ? "th" : "td");
    cell.scope = tag === "th" ? "col" : index === 0 ? "row" : "";
    if (!cell.scope) cell.removeAttribute("scope");
    cell.textContent = text;
    return cell;
  });
  const line = (texts, tag) => {
    const row = document.createElement("tr");
    row.append(...cells(texts, tag));
    return row;
  };
  const head = document.createElement("thead");
  head.append(line(columns, "th"));
  const body = document.createElement("tbody");
  body.append(...rows.map((row) => line(row, "td")));
  table.replaceChildren(head, body);
}

/**
 * Make a figure interactive.
 *
 * @param {HTMLElement} panel  the panel that the page was built with
 * @param {object} parts
 *   look(state): everything that is shown, with `readout` (a sentence), `table` ({columns, rows}) and `alt`
 *   draw(svg, view, size, api): describes it, in the empty sketch of an svg
 *   adjust(state, name, { note, select }): the state, with whatever the change of `name` made impossible corrected;
 *     `note(text)` says so to the reader, `select(name)` is the list of a control; may be left out
 *   presses: {name: (api) => void}, the jobs of the figure's own buttons
 *   ready(api): called once at the end, may be left out
 */
export function interactive(panel, { look, draw, adjust = (state) => state, presses = {}, ready = () => {} }) {
  const figure = panel.previousElementSibling?.matches("figure") ? panel.previousElementSibling : panel.closest("figure");
  const { label } = panel.dataset;
  const schema = schemaOf(panel);
  const readout = panel.querySelector(".figure-readout");
  const note = panel.querySelector(".figure-note");
  const table = document.querySelector(`#${CSS.escape(label)}-data table`);
  const still = figure.querySelector("svg");
  const stillTable = table?.cloneNode(true);
  const fold = table?.closest("details");
  const holder = still.parentElement;
  const svg = document.createElementNS(SVG, "svg");
  // `adjust` may note more than one thing about a change.
  const change = {
    note: (text) => say(note, `${note.textContent} ${text}`.trim()),
    select: (name) => schema.get(name).box,
  };
  const adjusted = (next, name) => adjust(next, name, change);
  let state = adjusted(initialState(schema), null);
  let view = null;
  let pending = 0;
  let quiet = 0;
  let late = 0;
  let moved = { name: null, at: 0 };
  let coming = "";
  let wasOpen = false;

  const api = {
    get state() { return state; },
    get view() { return view; },
    schema, panel, svg,
    /** Change some of the state; `settled` puts it into the address. */
    set(some, { settled = true, name = Object.keys(some)[0] } = {}) {
      api.note("");
      state = adjusted({ ...state, ...some }, name);
      showControls();
      schedule();
      if (settled) remember(name);
    },
    note(text) { say(note, text); },
    schedule,
  };

  function schedule() {
    panel.dataset.busy = "";
    if (pending) return;
    pending = requestAnimationFrame(redraw);
  }

  /** Tell whoever waits for the figure, such as a test, that all of its state is shown. */
  function rest() {
    if (!pending && !quiet && !late) delete panel.dataset.busy;
  }

  function redraw() {
    pending = 0;
    view = look(state);
    const width = Math.max(Math.round(holder.clientWidth), 280);
    const height = Math.max(Math.round(holder.clientHeight), 240);
    // Setting even the same box again would make the browser lay out the whole picture.
    const box = `0 0 ${width} ${height}`;
    if (svg.getAttribute("viewBox") !== box) svg.setAttribute("viewBox", box);
    svg.setAttribute("aria-label", view.alt ?? view.readout);
    const picture = sketch();
    draw(picture, view, { width, height }, api);
    show(svg, picture);
    // A screen reader should hear where a slider came to rest, not every step on the way.
    if (view.readout !== coming) {
      coming = view.readout;
      clearTimeout(quiet);
      quiet = setTimeout(() => {
        quiet = 0;
        say(readout, coming);
        rest();
      }, 120);
    }
    // A table that is folded away can wait too.
    clearTimeout(late);
    late = 0;
    if (fold?.open) showTable(table, view.table);
    else if (table) {
      late = setTimeout(() => {
        late = 0;
        showTable(table, view.table);
        rest();
      }, 120);
    }
    rest();
  }

  function remember(name) {
    const hash = toHash(label, schema, state);
    shown[label] = hash;
    if (hash === location.hash) return;
    // Ten presses of an arrow key count as one move, so that going back does not take ten steps.
    const goesOn = name && name === moved.name && performance.now() - moved.at < 1000;
    if (goesOn) history.replaceState({ figures: { ...shown } }, "", hash);
    else history.pushState({ figures: { ...shown } }, "", hash);
    moved = { name, at: performance.now() };
  }

  function showControls() {
    for (const control of schema.values()) {
      const value = state[control.name];
      if (control.kind === "switch") control.box.checked = value;
      else if (control.kind === "choice") control.box.value = value;
      else {
        if (document.activeElement !== control.box) control.box.value = typed(value);
        control.slider.value = toSlider(control, value);
        control.slider.setAttribute("aria-valuetext", typed(value));
      }
    }
  }

  function listen(control) {
    if (control.kind !== "number") {
      control.box.addEventListener("change", () => {
        api.set({ [control.name]: control.kind === "switch" ? control.box.checked : control.box.value });
      });
      return;
    }
    const { box, slider, says } = control;
    /** Use what the box holds, and say what is wrong with it. */
    const take = (settled) => {
      const result = accept(control, box.value);
      say(says, result.said ?? "");
      if ("value" in result) box.removeAttribute("aria-invalid");
      else box.setAttribute("aria-invalid", "true");
      if ("value" in result) api.set({ [control.name]: result.value }, { settled });
      return result;
    };
    box.addEventListener("input", () => {
      // While someone is typing, a number that is still too small is not yet a mistake.
      const result = accept(control, box.value);
      if ("value" in result && !result.said) take(false);
    });
    box.addEventListener("change", () => {
      // What Enter corrected was explained then, and the explanation stays when the reader leaves the box.
      if (box.value === typed(state[control.name]) && !box.hasAttribute("aria-invalid")) remember(control.name);
      else if ("value" in take(true)) box.value = typed(state[control.name]);
    });
    box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        if ("value" in take(true)) box.value = typed(state[control.name]);
      }
    });
    let byKey = false;
    slider.addEventListener("keydown", () => (byKey = true));
    slider.addEventListener("keyup", () => (byKey = false));
    slider.addEventListener("pointerdown", () => (byKey = false));
    slider.addEventListener("input", () => {
      say(says, "");
      box.removeAttribute("aria-invalid");
      const position = Number(slider.value);
      const before = state[control.name];
      const value = fromSlider(control, position);
      // Whole numbers may be farther apart than the steps of the slider: then a key goes to the next one.
      const stuck = byKey && control.whole && value === before;
      const next = Math.min(Math.max(before + Math.sign(position - toSlider(control, before)), control.low), control.high);
      api.set({ [control.name]: stuck ? next : value }, { settled: false });
    });
    slider.addEventListener("change", () => remember(control.name));
  }

  /** Take back every message about an input. */
  function forget() {
    for (const { kind, box, says } of schema.values()) {
      if (kind !== "number") continue;
      say(says, "");
      box.removeAttribute("aria-invalid");
    }
  }

  /** Show the state in the address, or else the one that this entry of the history keeps, or else `otherwise`. */
  function restore(otherwise) {
    const kept = history.state?.figures;
    const linked = fromHash(location.hash, label, schema);
    // A link to another place of the page leaves its figures as they are.
    if (!linked && !kept && !otherwise) {
      history.replaceState({ ...history.state, figures: { ...shown } }, "");
      return null;
    }
    const found = linked ?? fromHash(kept?.[label] ?? "", label, schema);
    api.note("");
    forget();
    state = adjusted(found?.state ?? otherwise ?? initialState(schema), null);
    if (found) shown[label] = toHash(label, schema, state);
    else delete shown[label];
    // First what the link had wrong, then what `adjust` had to say about the rest.
    api.note([...(found?.said ?? []), note.textContent].filter(Boolean).join(" "));
    showControls();
    schedule();
    return linked;
  }

  const tools = {
    reset() {
      forget();
      api.set(initialState(schema), { name: null });
      api.note(says.reset);
    },
    async link() {
      remember();
      const address = new URL(toHash(label, schema, state), location.href).href;
      try {
        await navigator.clipboard.writeText(address);
        api.note(says["link copied"]);
      } catch {
        api.note(says["link shown"]);
      }
    },
    svg: () => download(`${label}.svg`, new Blob([toSvgText(svg)], { type: "image/svg+xml" })),
    png: async () => download(`${label}.png`, await toPng(svg)),
    csv: () => download(`${label}.csv`, new Blob([toCsv(view.table)], { type: "text/csv" })),
  };
  for (const button of panel.querySelectorAll("[data-tool]")) {
    button.addEventListener("click", () => tools[button.dataset.tool]());
  }
  for (const button of panel.querySelectorAll("[data-press]")) {
    button.addEventListener("click", () => presses[button.dataset.press](api, button));
  }
  for (const control of schema.values()) listen(control);
  addEventListener("popstate", () => restore());
  addEventListener("hashchange", () => restore());

  svg.setAttribute("role", "img");
  svg.classList.add("figure-live");
  new ResizeObserver(schedule).observe(holder);
  const linked = restore(standing(schema));
  if (!history.state?.figures) history.replaceState({ ...history.state, figures: {} }, "");
  // The first picture is drawn before the static one goes, so that no frame is empty.
  cancelAnimationFrame(pending);
  still.replaceWith(svg);
  redraw();
  say(readout, view.readout);
  if (table) showTable(table, view.table);
  panel.dataset.live = "";
  // The caption speaks of the picture that the page was built with, so that is the one on paper, with its table.
  const paper = (on) => {
    if (on === still.isConnected) return;
    (on ? svg : still).replaceWith(on ? still : svg);
    if (!table) return;
    (on ? table : stillTable).replaceWith(on ? stillTable : table);
    if (on) wasOpen = fold.open;
    fold.open = on || wasOpen;
    if (!on) schedule();
  };
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
  matchMedia("print").addEventListener("change", ({ matches }) => paper(matches));
  if (linked) figure.scrollIntoView({ block: "start" });
  ready(api);
  return api;
}
