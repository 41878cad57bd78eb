/** Read and write quantities, as roofline.quantity does in Python: "4.18 ms" <-> 0.00418. */

const PREFIXES = [["p", -12], ["n", -9], ["µ", -6], ["m", -3], ["", 0], ["k", 3], ["M", 6], ["G", 9], ["T", 12], ["P", 15], ["E", 18]];
const POWERS = new Map(PREFIXES);
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** A plain number and an intensity keep their size: 0.25 FLOP/byte, not 250 mFLOP/byte. */
const BARE = new Set(["", "FLOP/B"]);
const UNITS = { "FLOP/B": "FLOP/byte" };

/** Digits with thousands separators, as Python's `,` format writes them. */
function grouped(text) {
  const [whole, fraction] = text.split(".");
  const digits = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

/**
 * JavaScript rounds an exact half up, Python to the even digit. `short` is rounded, `long` has so many digits more that
 * a half shows as one.
 */
const MORE = 40;
function evenHalf(short, long) {
  const [digits, exponent] = long.split("e");
  const kept = digits.slice(0, -MORE).replace(/\.$/, "");
  const isHalf = /^50*$/.test(digits.slice(-MORE));
  return isHalf && /[02468]$/.test(kept) ? `${kept}${exponent ? `e${exponent}` : ""}` : short;
}

function fixed(number, places) {
  return evenHalf(number.toFixed(places), number.toFixed(places + MORE));
}

/** A number with so many significant digits, or places. Fewer digits than the whole number has show it whole. */
function digitsOf(number, digits, places) {
  if (places !== undefined) return grouped(fixed(number, places));
  if (number === 0) return "0";
  const rounded = Number(evenHalf(number.toExponential(digits - 1), number.toExponential(digits - 1 + MORE)));
  const wanted = digits - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return grouped(wanted > 0 ? rounded.toFixed(wanted) : fixed(number, 0));
}

/** The prefix whose mantissa, once rounded, lies between 1 and 1000. */
function fittingPrefix(number, digits, places) {
  if (number === 0) return "";
  for (const [prefix, power] of PREFIXES) {
    const mantissa = Math.abs(Number(digitsOf(number / 10 ** power, digits, places).replaceAll(",", "")));
    if (mantissa >= 1 && mantissa < 1000) return prefix;
  }
  return "";
}

/**
 * Write a number in SI units as a reader wants to see it.
 * `unit` is "s", "B", "FLOP", "FLOP/s", "B/s", "FLOP/B", "tokens/s", "%", "×" or "" for a plain number.
 */
export function write(value, unit = "", digits = 3, { places, prefix } = {}) {
  if (Number.isNaN(value)) throw new RangeError("NaN is not a quantity");
  if (!Number.isFinite(value)) return value < 0 ? "-∞" : "∞";
  if (unit === "%") return `${digitsOf(value * 100, digits, places)}%`;
  if (unit === "×") return `${digitsOf(value, digits, places)}×`;
  const chosen = prefix ?? (BARE.has(unit) ? "" : fittingPrefix(value, digits, places));
  return `${digitsOf(value / 10 ** POWERS.get(chosen), digits, places)} ${chosen}${UNITS[unit] ?? unit}`.trimEnd();
}

/** Read a number as people type it: 4096, 4,096, 1e6, 4k, 2.5 M, 10⁸. NaN where it is none. */
export function readNumber(text) {
  const plain = text.trim().replace(/[\s,_\u00a0\u202f\u2009]/g, "")
    .replace(/^10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/, (_, power) => `1e${[...power].map((c) => SUPERSCRIPTS.indexOf(c)).join("")}`)
    .replace(/^10\^(\d+)$/, "1e$1");
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([kKMGTmµ]?)$/.exec(plain);
  if (!match) return NaN;
  const power = match[2] === "K" ? 3 : POWERS.get(match[2]);
  return Number(`${match[1]}`) * 10 ** power;
}
