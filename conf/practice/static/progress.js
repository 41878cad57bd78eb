/**
 * How far the reader is. On a page of the lesson it notes when its end has come into view; on the contents page it shows, for each page,
 * whether it was read and how many of its checks were passed, and how many cards are due.
 */

import { kept } from "./kept.js";
import { inWords } from "./store.js";

/** The line of one page; "" where nothing was done yet. */
export function line(page, ids, { pages, checks }) {
  const passed = ids.filter((id) => checks[id]).length;
  const read = pages[page] === true;
  if (!read && passed === 0) return "";
  const words = read ? ["read"] : [];
  if (ids.length) words.push(ids.length === 1 ? (passed ? "check passed" : "check open") : `checks ${passed} of ${ids.length}`);
  return words.join(", ");
}

function noteReading(page) {
  const article = document.querySelector("article");
  if (!article || kept.get().pages[page]) return;
  const end = document.createElement("div");
  end.setAttribute("aria-hidden", "true");
  article.append(end);
  const watch = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    end.remove();
    kept.update((value) => ({ ...value, pages: { ...value.pages, [page]: true } }));
  });
  watch.observe(end);
}

/** A sentence about the cards that are due now and later; "" for a reader who has graded none. */
export function cardsLine({ due, later }) {
  if (due.length) return due.length === 1 ? "1 card is due" : `${due.length} cards are due`;
  return later.length ? "No card is due" : "";
}

/** Say how many cards are due. Their schedule is fetched only for a reader who has one. */
async function showCards(place, { review, deck }) {
  let begun = false;
  try {
    begun = Boolean(localStorage.getItem("roofline:review"));
  } catch {
    // storage is forbidden, so there is no history
  }
  if (!review || !begun) return;
  const { fetchDeck, plan } = await import("./deck.js");
  const words = cardsLine(plan((await fetchDeck(deck)).map(({ id }) => id)));
  if (!words) return;
  const link = document.createElement("a");
  link.href = review;
  link.textContent = words;
  place.replaceChildren(link, ".");
  place.hidden = false;
}

class Contents {
  constructor(controls) {
    this.lines = [...document.querySelectorAll(".progress-line")];
    this.ask = controls.querySelector(".progress-ask");
    this.note = controls.querySelector(".progress-note");
    this.said = controls.querySelector(".progress-said");
    this.controls = controls;
    const clear = controls.querySelector(".progress-clear");
    clear.addEventListener("click", () => this.asking(true));
    controls.querySelector(".progress-no").addEventListener("click", () => {
      this.asking(false);
      clear.focus();
    });
    controls.querySelector(".progress-yes").addEventListener("click", () => {
      kept.clear();
      this.asking(false);
      this.said.textContent = "Forgotten.";
      this.said.tabIndex = -1;
      this.said.focus();
    });
    controls.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.ask.hidden) {
        this.asking(false);
        clear.focus();
      }
    });
    this.show(kept.get());
    kept.subscribe((value) => this.show(value));
  }

  asking(yes) {
    this.ask.hidden = !yes;
    this.note.hidden = yes || this.empty;
    this.said.textContent = "";
    if (yes) this.controls.querySelector(".progress-no").focus();
  }

  show(value) {
    for (const place of this.lines) {
      const text = line(place.dataset.page, place.dataset.checks.split(" ").filter(Boolean), value);
      place.textContent = text && `(${text})`;
    }
    this.empty = Object.values(value).every((record) => Object.keys(record).length === 0);
    this.note.hidden = this.empty || !this.ask.hidden;
    this.controls.hidden = false;
    const problem = kept.problem();
    if (problem) this.said.textContent = inWords(problem);
  }
}

if (globalThis.document) {
  const page = document.querySelector("script[data-page]")?.dataset.page;
  if (page) noteReading(page);
  const controls = document.querySelector(".progress-controls");
  if (controls) {
    new Contents(controls);
    // Without the deck there is nothing to say, and the rest of the page does not need it.
    showCards(controls.querySelector(".progress-cards"), controls.dataset).catch(() => {});
  }
}
