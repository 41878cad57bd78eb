/** The state of a figure: what its controls say, and the part of the page's address that keeps it. */

import { parseNumber, typed } from "./quantity.js";
import { data, says } from "./sentences.js";
import { filled } from "./template.js";

/** What one control of the panel allows, read from its HTML. */
function describe(element) {
  const { name, low, high } = element.dataset;
  if (element.classList.contains("control-number")) {
    const box = element.querySelector(".control-box");
    return {
      kind: "number", name, element, box,
      slider: element.querySelector(".control-slider"),
      says: element.querySelector(".control-says"),
      low: Number(low), high: Number(high),
      whole: "whole" in element.dataset, log: "log" in element.dataset,
      initial: parseNumber(box.defaultValue),
      label: element.querySelector("label").textContent,
    };
  }
  if (element.classList.contains("control-choice")) {
    const box = element.querySelector("select");
    const initial = [...box.options].find((option) => option.defaultSelected)?.value ?? box.options[0].value;
    return { kind: "choice", name, element, box, initial, label: element.querySelector("label").textContent };
  }
  const box = element.querySelector("input");
  return { kind: "switch", name, element, box, initial: box.defaultChecked, label: element.querySelector("label").textContent };
}

/** All controls of a panel, by name. */
export function schemaOf(panel) {
  return new Map([...panel.querySelectorAll(".control")].map(describe).map((control) => [control.name, control]));
}

/** The state that the page was built with. */
export function initialState(schema) {
  return Object.fromEntries([...schema.values()].map(({ name, initial }) => [name, initial]));
}

/** What the controls are set to now: a reader may have used them before the script was loaded. */
export function standing(schema) {
  return Object.fromEntries([...schema.values()].map((control) => {
    const { name, kind, box, slider, initial } = control;
    if (kind === "switch") return [name, box.checked];
    if (kind === "choice") return [name, box.value];
    if (box.value !== box.defaultValue) return [name, accept(control, box.value).value ?? initial];
    return [name, slider.value === slider.defaultValue ? initial : fromSlider(control, Number(slider.value))];
  }));
}

/** The beginning of a text that may be too long for a message. */
function some(text) {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** The initial value of a control, as the page shows it. */
function initialWords({ kind, box, initial }) {
  if (kind === "switch") return initial ? says.on : says.off;
  if (kind === "choice") return [...box.options].find((option) => option.value === initial).textContent;
  return typed(initial);
}

/**
 * A value for a control, from what was typed or linked: {value} or {value, said} where it had to be changed,
 * or {said} alone where it cannot be read.
 */
export function accept(control, text) {
  const { label, low, high } = control;
  const refused = (name) => ({ said: filled(says[name], { label, text: some(text) }) });
  if (control.kind === "choice") {
    // The figure decides whether it goes with the rest of the state, once all of the state is known.
    const option = [...control.box.options].find((candidate) => candidate.value === text);
    return option ? { value: text } : refused("not listed");
  }
  if (control.kind === "switch") {
    return ["0", "1"].includes(text) ? { value: text === "1" } : refused("neither");
  }
  const number = parseNumber(text);
  if (Number.isNaN(number)) return refused("no number");
  const rounded = control.whole ? Math.round(number) : number;
  const value = Math.min(Math.max(rounded, low), high);
  const put = (name) => ({ value, said: filled(says[name], { label, low, high, value }) });
  if (value !== rounded) return put("out of range");
  return rounded === number ? { value } : put("not whole");
}

/** The state as the end of an address: `#fig-batch?B=64&D=4096`. */
export function toHash(label, schema, state) {
  const pairs = [...schema.values()].map(({ name, kind }) => {
    const value = kind === "switch" ? Number(state[name]) : state[name];
    return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  });
  return `#${label}?${pairs.join("&")}`;
}

/** The state in an address, or null where the address is not about this figure; `said` lists what could not be used. */
export function fromHash(hash, label, schema) {
  const [target, query] = hash.slice(1).split("?", 2);
  if (target !== label || query === undefined) return null;
  const state = initialState(schema);
  const said = [];
  for (const [name, text] of new URLSearchParams(query)) {
    const control = schema.get(name);
    if (!control) {
      said.push(filled(says.unknown, { text: some(name) }));
      continue;
    }
    const result = accept(control, text);
    if ("value" in result) state[name] = result.value;
    if (result.said) said.push("value" in result ? result.said : filled(says.kept, { said: result.said, value: initialWords(control) }));
  }
  return { state, said };
}

/** The step of the slider that is nearest to a value. */
export function toSlider({ low, high, log }, value) {
  return Math.round(data.steps * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
}

/** The value at a step of the slider; one that need not be whole has four digits. */
export function fromSlider({ low, high, log, whole }, position) {
  const share = position / data.steps;
  const value = log ? low * (high / low) ** share : low + (high - low) * share;
  if (whole) return Math.round(value);
  return Number(value.toPrecision(4));
}
