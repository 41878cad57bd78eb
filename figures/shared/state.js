/** The state of a figure: what its controls say, and the part of the page's address that keeps it. */

import { parseNumber, formatQuantity } from "./quantity.js";

/** A number, shown in full as a reader would type it. */
export function typed(value) {
  return Number.isInteger(value) ? formatQuantity(value, "", 1, { places: 0 }) : String(Number(value.toPrecision(6)));
}

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

/** What the controls say now: a reader may have used them before the script came. */
export function standing(schema) {
  return Object.fromEntries([...schema.values()].map((control) => {
    const { name, kind, box, slider, initial } = control;
    if (kind === "switch") return [name, box.checked];
    if (kind === "choice") return [name, box.value];
    if (box.value !== box.defaultValue) return [name, accept(control, box.value).value ?? initial];
    return [name, slider.value === slider.defaultValue ? initial : fromSlider(control, Number(slider.value))];
  }));
}

/** Some of a text that may be long, for a message. */
function some(text) {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** How a reader finds the first state of a control on the page. */
function initialWords({ kind, box, initial }) {
  if (kind === "switch") return initial ? "on" : "off";
  if (kind === "choice") return [...box.options].find((option) => option.value === initial).textContent;
  return typed(initial);
}

/**
 * A value for a control, from what was typed or linked: {value} or {value, said} where it had to be changed,
 * or {said} alone where it cannot be read.
 */
export function accept(control, text) {
  if (control.kind === "choice") {
    // Whether the rest of the state allows it is for the figure to say, once all of the state is known.
    const option = [...control.box.options].find((candidate) => candidate.value === text);
    return option ? { value: text } : { said: `${control.label}: “${some(text)}” is not on the list.` };
  }
  if (control.kind === "switch") {
    return ["0", "1"].includes(text) ? { value: text === "1" } : { said: `${control.label}: “${some(text)}” is neither 0 nor 1.` };
  }
  const number = parseNumber(text);
  if (Number.isNaN(number)) return { said: `${control.label}: “${some(text)}” is no number; type one such as 4096, 4k or 1e6.` };
  const rounded = control.whole ? Math.round(number) : number;
  const value = Math.min(Math.max(rounded, control.low), control.high);
  if (value !== rounded) {
    return { value, said: `${control.label} goes from ${typed(control.low)} to ${typed(control.high)}: set to ${typed(value)}.` };
  }
  return rounded === number ? { value } : { value, said: `${control.label} is a whole number: set to ${typed(value)}.` };
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
      said.push(`This figure has no “${some(name)}”.`);
      continue;
    }
    const result = accept(control, text);
    if ("value" in result) state[name] = result.value;
    if (result.said) said.push("value" in result ? result.said : `${result.said} It keeps ${initialWords(control)}.`);
  }
  return { state, said };
}

/** Where a value stands on a slider of 1000 steps, and back. */
export function toSlider({ low, high, log }, value) {
  return Math.round(1000 * (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)));
}

export function fromSlider({ low, high, log, whole }, position) {
  const share = position / 1000;
  const value = log ? low * (high / low) ** share : low + (high - low) * share;
  if (whole) return Math.round(value);
  return Number(value.toPrecision(4));
}
