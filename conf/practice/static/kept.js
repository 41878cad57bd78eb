/** How far the reader is: pages read, checks passed, guesses made. One store for all pages of the lesson. */

import { openStore } from "./store.js";

const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const all = (record, test) => isRecord(record) && Object.values(record).every(test);

export const kept = openStore("progress", {
  version: 1,
  // pages and checks: {id: true}; guesses: {id: {number, shown}}, where shown is the guess as the reader saw it
  empty: { pages: {}, checks: {}, guesses: {} },
  check: ({ pages, checks, guesses }) =>
    all(pages, (done) => done === true) &&
    all(checks, (done) => done === true) &&
    all(guesses, (guess) => Number.isFinite(guess?.number) && guess.number > 0 && typeof guess.shown === "string"),
  merge: (mine, theirs) => ({
    pages: { ...mine.pages, ...theirs.pages },
    checks: { ...mine.checks, ...theirs.checks },
    guesses: { ...mine.guesses, ...theirs.guesses },
  }),
});
