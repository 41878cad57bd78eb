/**
 * Sentences with gaps, and numbers in their form, as template.py has them: `{time:s 4}` is a time with four digits.
 * The sentences themselves are those of a figure's description, which its Python side draws from.
 */

import { formatQuantity, typed } from "./quantity.js";
import { data } from "./sentences.js";

/** A value in its form; a text stays as it is. */
export function shown(value, form = "") {
  if (typeof value === "string") return value;
  const [unit, ...options] = form.split(" ");
  if (unit === "typed" || unit === "") return typed(value);
  let digits = 3;
  let places;
  for (const option of options) {
    if (/^\d+$/.test(option)) digits = Number(option);
    else if (option.startsWith(".")) places = Number(option.slice(1));
    else if (option === "ridge") places = value < data.tenths_below ? 1 : 0;
    else if (option === "short" && (value >= 100 || Number.isInteger(value))) places = 0;
  }
  const prefix = options.includes("plain") ? "" : undefined;
  const text = formatQuantity(value, unit === "number" ? "" : unit, digits, { places, prefix });
  return options.includes("bare") && text.endsWith(unit) ? text.slice(0, -unit.length).trimEnd() : text;
}

/** A sentence with its gaps filled; a gap without a value is a mistake in the figure's script. */
export function filled(template, values) {
  return template.replaceAll(/\{(\w+)(?::([^}]*))?\}/g, (_, name, form) => {
    if (!(name in values)) throw new RangeError(`nothing fills {${name}} of “${template}”`);
    return shown(values[name], form ?? "");
  });
}

/** A list as a sentence has it: "a, b and c". */
export function listed(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** The cells of a row of a table, each in the form of its column. */
export function rowOf(columns, values) {
  return values.map((value, index) => shown(value, columns[index].form));
}

/** The heads of a table. */
export function headsOf(columns, values = {}) {
  return columns.map(({ head }) => filled(head, values));
}
