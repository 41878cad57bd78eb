/**
 * What the reader remembers: the history of grades, and what FSRS makes of it.
 *
 * Only the history is kept, as [time, grade] of every answer to every card; the dates are computed from it anew each time. So two histories
 * join without loss, a better algorithm may take over, and a card that has left the deck waits in the history for its return.
 */

import { createEmptyCard, fsrs } from "../figures/vendor/fsrs.js";
import { openStore } from "./store.js";

/** The grades, by their number; 0 in a history is a grade that was taken back. */
export const GRADES = [
  { grade: 1, name: "Again", means: "wrong, or no idea" },
  { grade: 2, name: "Hard", means: "right, but it took a while" },
  { grade: 3, name: "Good", means: "right" },
  { grade: 4, name: "Easy", means: "right at once" },
];

const TAKEN_BACK = 0;
const DAY = 24 * 60 * 60 * 1000;
const scheduler = fsrs(); // a card is due when nine in ten are still known, and the dates are not varied at random

const isEntry = (entry) =>
  Array.isArray(entry) && entry.length === 2 && Number.isFinite(entry[0]) && entry[0] > 0 && Number.isInteger(entry[1]) && entry[1] >= 0 && entry[1] <= 4;
const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Is this a history? */
export const isHistory = (value) =>
  isRecord(value) &&
  isRecord(value.log) &&
  Object.entries(value.log).every(([id, entries]) => /^card-[a-z0-9-]+$/.test(id) && Array.isArray(entries) && entries.every(isEntry));

/** One history with the grades of both. The same grade, known to both, counts once; taken back in one, it is taken back. */
export function join(mine, theirs) {
  const log = {};
  for (const id of new Set([...Object.keys(mine.log), ...Object.keys(theirs.log)])) {
    const byTime = new Map();
    for (const [time, grade] of [...(mine.log[id] ?? []), ...(theirs.log[id] ?? [])]) {
      byTime.set(time, Math.min(grade, byTime.get(time) ?? grade));
    }
    log[id] = [...byTime].sort(([a], [b]) => a - b);
  }
  return { log };
}

export const history = openStore("review", { version: 1, empty: { log: {} }, check: isHistory, merge: join });

const entriesOf = (id) => (history.get().log[id] ?? []).filter(([, grade]) => grade !== TAKEN_BACK);

/** What FSRS knows after some [time, grade] entries; null before the first. */
export function memory(entries) {
  let card = null;
  for (const [time, grade] of entries) {
    card = scheduler.next(card ?? createEmptyCard(new Date(time)), new Date(time), grade).card;
  }
  return card;
}

/** When a card is due, in milliseconds. One that waits for days is due from the morning of its day, not from its minute. */
export function dueTime(card) {
  const due = new Date(card.due);
  if (due - card.last_review >= DAY / 2) due.setHours(0, 0, 0, 0);
  return Math.max(due.getTime(), card.last_review.getTime());
}

/** The cards of a deck, by what to do with them now: {due, fresh, later} of {id, due, times}, the most urgent first. */
export function plan(ids, now = Date.now()) {
  const { log } = history.get();
  const all = ids.map((id) => {
    const entries = (log[id] ?? []).filter(([, grade]) => grade !== TAKEN_BACK);
    const card = memory(entries);
    return { id, due: card && dueTime(card), times: entries.length };
  });
  const byDate = (a, b) => a.due - b.due;
  return {
    fresh: all.filter(({ due }) => due === null),
    due: all.filter(({ due }) => due !== null && due <= now).sort(byDate),
    later: all.filter(({ due }) => due !== null && due > now).sort(byDate),
    retired: Object.keys(log).filter((id) => !ids.includes(id)),
  };
}

/** How many milliseconds a card would wait, for each grade from 1 to 4. */
export function outlook(id, now = Date.now()) {
  const entries = entriesOf(id);
  const at = moment(entries, now);
  const card = memory(entries) ?? createEmptyCard(new Date(at));
  return Object.fromEntries(GRADES.map(({ grade }) => [grade, scheduler.next(card, new Date(at), grade).card.due - at]));
}

/** Grade a card. Returns when it is due next, and the time under which the grade can be taken back. */
export function give(id, grade, now = Date.now()) {
  let time;
  history.update((value) => {
    const entries = value.log[id] ?? [];
    time = moment(entries, now);
    value.log[id] = [...entries, [time, grade]];
  });
  return { time, due: dueTime(memory(entriesOf(id))) };
}

/** Take a grade back. */
export function takeBack(id, time) {
  history.update((value) => {
    value.log[id] = (value.log[id] ?? []).map((entry) => (entry[0] === time ? [time, TAKEN_BACK] : entry));
  });
}

/** Now, or just after the last grade if the clock has been set back since. */
function moment(entries, now) {
  return Math.max(now, ...entries.map(([time]) => time + 1));
}

const UNITS = [
  ["minute", 60_000, 60],
  ["hour", 3_600_000, 24],
  ["day", DAY, 30],
  ["month", 30.44 * DAY, 12],
  ["year", 365.25 * DAY, Infinity],
];

/** A time from now in words, such as "10 minutes". */
export function span(milliseconds) {
  if (milliseconds < 60_000) return "1 minute";
  for (const [unit, length, most] of UNITS) {
    const count = Math.round(milliseconds / length);
    if (count < most) return `${count} ${unit}${count === 1 ? "" : "s"}`;
  }
  return "";
}

/** When, in words for a sentence: "in 10 minutes", "tomorrow", "in 5 days, on Friday, 4 December". */
export function when(time, now = Date.now()) {
  const midnight = (moment) => new Date(moment).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(time) - midnight(now)) / DAY);
  if (time <= now) return "now";
  if (days === 0 || time - now < DAY / 2) return `in ${span(time - now)}`;
  if (days === 1) return "tomorrow";
  const long = { weekday: "long", day: "numeric", month: "long", ...(days > 300 && { year: "numeric" }) };
  return `in ${span(days * DAY)}, on ${new Intl.DateTimeFormat("en-GB", long).format(time)}`;
}

/** The deck of this site: [{id, front, back, page, source}]. Addresses in it begin at `root`, the root of the site. */
export async function fetchDeck(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the deck is missing (${response.status})`);
  return (await response.json()).cards;
}
