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
 * JavaScript rounds an exact half up, Python to the even digit. `text(more)` writes the number with that many digits
 * more than wanted; `scaled` is the number in units of its last digit, a cheap way to see that it is not near a half.
 */
function evenHalf(scaled, text) {
  if (Math.abs((Math.abs(scaled) % 1) - 0.5) > 1e-6) return text(0);
  const [digits, exponent] = text(40).split("e");
  const kept = digits.slice(0, -40).replace(/\.$/, "");
  const isHalf = /^50*$/.test(digits.slice(-40));
  return isHalf && /[02468]$/.test(kept) ? `${kept}${exponent ? `e${exponent}` : ""}` : text(0);
}

function fixed(number, places) {
  return evenHalf(number * 10 ** places, (more) => number.toFixed(places + more));
}

function significant(number, digits) {
  const unit = 10 ** (digits - 1 - Math.floor(Math.log10(Math.abs(number))));
  return Number(evenHalf(number * unit, (more) => number.toExponential(digits - 1 + more)));
}

/** A number with that many significant digits, or decimal places; the digits of a whole number are never cut off. */
function digitsOf(number, digits, places) {
  if (places !== undefined) return grouped(fixed(number, places));
  if (number === 0) return "0";
  const rounded = significant(number, digits);
  const wanted = digits - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return grouped(wanted > 0 ? rounded.toFixed(wanted) : fixed(number, 0));
}

/** The prefix whose mantissa, once rounded, lies between 1 and 1000. */
function fittingPrefix(number, digits, places) {
  if (number === 0) return "";
  for (const [prefix, power] of PREFIXES) {
    // Rounding cannot bring a number that is this far out into the range, so most prefixes are ruled out at once.
    const rough = Math.abs(number) / 10 ** power;
    if (rough < 0.1 || rough > 1e4) continue;
    const mantissa = Math.abs(Number(digitsOf(number / 10 ** power, digits, places).replaceAll(",", "")));
    if (mantissa >= 1 && mantissa < 1000) return prefix;
  }
  return "";
}

/** A number as 1.30 × 10⁻¹⁵. */
function powerOfTen(number, digits) {
  const [mantissa, exponent] = number.toExponential(digits - 1).split("e");
  return `${mantissa} × 10${[...String(Number(exponent))].map((c) => (c === "-" ? "⁻" : SUPERSCRIPTS[c])).join("")}`;
}

/**
 * Write a number in SI units as a reader wants to see it.
 * `unit` is "s", "B", "FLOP", "FLOP/s", "B/s", "FLOP/B", "tokens/s", "%", "×" or "" for a plain number.
 */
export function formatQuantity(value, unit = "", digits = 3, { places, prefix } = {}) {
  if (Number.isNaN(value)) throw new RangeError("NaN is not a quantity");
  if (!Number.isFinite(value)) return value < 0 ? "-∞" : "∞";
  if (unit === "%") return `${digitsOf(value * 100, digits, places)}%`;
  if (unit === "×") return `${digitsOf(value, digits, places)}×`;
  const chosen = prefix ?? (BARE.has(unit) ? "" : fittingPrefix(value, digits, places));
  const size = Math.abs(value);
  // What is beyond all prefixes is written with a power of ten.
  if (places === undefined && !chosen && size > 0 && (size < 1e-12 || size >= 1e15)) return `${powerOfTen(value, digits)} ${UNITS[unit] ?? unit}`.trimEnd();
  return `${digitsOf(value / 10 ** POWERS.get(chosen), digits, places)} ${chosen}${UNITS[unit] ?? unit}`.trimEnd();
}

/** A number, shown in full as a reader would type it. */
export function typed(value) {
  return Number.isInteger(value) ? formatQuantity(value, "", 1, { places: 0 }) : String(Number(value.toPrecision(6)));
}

/** How many of a unit of time, such as "µs", make one second. */
export function perSecond(unit) {
  return 10 ** -POWERS.get(unit.slice(0, -1));
}

/** Read a number as people type it: 4096, 4,096, 1e6, 4k, 2.5 M, 10⁸. NaN for anything else. */
export function parseNumber(text) {
  const plain = text.trim().replace(/[\s,_\u00a0\u202f\u2009]/g, "")
    .replace(/^10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/, (_, power) => `1e${[...power].map((c) => SUPERSCRIPTS.indexOf(c)).join("")}`)
    .replace(/^10\^(\d+)$/, "1e$1");
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([kKMGTmµ]?)$/.exec(plain);
  if (!match) return NaN;
  const power = match[2] === "K" ? 3 : POWERS.get(match[2]);
  return Number(`${match[1]}`) * 10 ** power;
}
