/**
 * The review: one card at a time, first those that are due, then new ones.
 *
 * The element that the page has for it, .review, says that JavaScript is needed until this script takes over. All keys work only while
 * the focus is on the card, so that they are in nobody's way.
 */

import { fetchDeck, GRADES, give, history, plan, takeBack, when } from "./deck.js";
import { gradeButtons, trouble } from "./grades.js";
import { inWords } from "./store.js";

const root = document.documentElement.dataset.content_root ?? "./";

/** An element with attributes and children; a function among the attributes listens. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

/** HTML of the deck, which begins all addresses at the root of the site, as nodes for this page. */
function content(html) {
  const box = document.createElement("template");
  box.innerHTML = html;
  for (const link of box.content.querySelectorAll("a[href]")) {
    const address = link.getAttribute("href");
    if (!/^[a-z]+:/i.test(address)) link.setAttribute("href", root + address);
  }
  return box.content;
}

function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

class Review {
  #cards;
  #ids;
  #shown = null; // the card on the table: {id, times}
  #isOpen = false; // is its answer shown?
  #started = false;
  #last = null; // the last grade, to take back: {id, time, name}
  #timer = 0;

  constructor(place, cards) {
    this.#cards = new Map(cards.map((card) => [card.id, card]));
    this.#ids = [...this.#cards.keys()];
    this.notice = make("div", { class: "review-notice", role: "alert", hidden: true });
    this.counts = make("p", { class: "review-counts" });
    this.said = make("p", { class: "review-said", role: "status" });
    this.start = make("button", { type: "button", class: "review-start", click: () => this.begin() });
    this.undo = make("button", { type: "button", class: "recall-undo", hidden: true, click: () => this.takeBack() });
    this.table = make("div", { class: "review-card", role: "group", "aria-label": "Card", tabindex: "-1", hidden: true });
    this.table.addEventListener("keydown", (event) => this.press(event));
    place.replaceChildren(this.notice, this.counts, this.start, this.table, this.said, this.undo, this.#keeping());
    history.subscribe(() => this.refresh());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.refresh());
    this.refresh();
  }

  /** Show what is true now: after a grade, in this tab or another, and when time has passed. */
  refresh() {
    const now = Date.now();
    const { due, fresh, later, retired } = plan(this.#ids, now);
    this.counts.textContent = [`${due.length} due`, `${fresh.length} new`, `${later.length} later`].join(", ") + ".";
    this.#next = due[0] ?? fresh[0] ?? null;
    const waiting = due.length + fresh.length;
    this.start.textContent = due.length ? `Review ${count(waiting, "card")}` : `Learn ${count(waiting, "new card")}`;
    this.start.hidden = this.#started || waiting === 0;

    if (!this.#next) {
      this.counts.textContent += later.length ? ` Nothing is due. The next card is due ${when(later[0].due, now)}.` : " The deck is empty.";
    }
    if (this.#shown && this.#times(this.#shown.id) !== this.#shown.times) {
      this.#shown = null;
      this.said.textContent = "You graded that card elsewhere.";
      this.undo.hidden = true;
    }
    if (this.#started && !this.#shown) this.deal();
    clearTimeout(this.#timer);
    if (later.length) this.#timer = setTimeout(() => this.refresh(), Math.min(later[0].due - now, 2 ** 31 - 1));
    this.#list(due, fresh, later, retired, now);
    this.#warn();
  }

  #next = null;
  #times = (id) => history.get().log[id]?.filter(([, grade]) => grade > 0).length ?? 0;

  begin() {
    this.#started = true;
    this.start.hidden = true;
    this.said.textContent = "";
    this.deal();
    this.table.focus();
  }

  /** Put the next card on the table. */
  deal() {
    const hadFocus = this.table.contains(document.activeElement);
    this.#isOpen = false;
    const card = this.#next && this.#cards.get(this.#next.id);
    this.#shown = card && { id: card.id, times: this.#next.times };
    this.table.hidden = !card;
    if (!card) {
      this.#started = false;
      if (hadFocus) this.focusEnd();
      this.table.replaceChildren();
      return;
    }
    this.table.setAttribute("aria-label", this.#next.times ? "Card, due" : "Card, new");
    this.show = make("button", { type: "button", class: "review-show", "aria-keyshortcuts": "Space", click: () => this.reveal() });
    this.show.append("Show the answer ", make("kbd", { "aria-hidden": "true" }, "space"));
    this.table.replaceChildren(make("div", { class: "recall-front" }, content(card.front)), this.show);
    this.#settle();
    if (hadFocus) this.table.focus();
  }

  reveal() {
    if (!this.#shown || this.#isOpen) return;
    this.#isOpen = true;
    const card = this.#cards.get(this.#shown.id);
    const source = make("p", { class: "recall-source" }, "From ", make("a", { href: root + card.source.href }, card.source.title), ".");
    const answer = make("div", { class: "recall-back", role: "group", "aria-label": "Answer", tabindex: "-1" }, content(card.back), source);
    this.show.replaceWith(answer, gradeButtons(card.id, (grade) => this.grade(grade), { keys: true }));
    answer.focus();
    this.#settle();
  }

  grade(grade) {
    if (!this.#shown || !this.#isOpen) return;
    const { id } = this.#shown;
    const { name } = GRADES[grade - 1];
    this.#shown = null;
    const { time, due } = give(id, grade); // which refreshes, and deals
    this.#last = { id, time, name };
    this.said.textContent = `${name}. That card comes back ${when(due)}.${trouble()}`;
    this.undo.textContent = `Take back “${name}”`;
    this.undo.hidden = false;
  }

  /** Take the last grade back, and put its card on the table again. */
  takeBack() {
    const { id, time, name } = this.#last;
    this.#last = null;
    this.undo.hidden = true;
    takeBack(id, time);
    this.#started = true;
    this.start.hidden = true;
    this.#next = { id, times: this.#times(id) };
    this.deal();
    this.said.textContent = `“${name}” is taken back.`;
    this.table.focus();
  }

  focusEnd() {
    this.counts.tabIndex = -1;
    this.counts.focus();
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing) return;
    if (event.target.closest("input, select, textarea, summary")) return;
    if (event.key === " " && !this.#isOpen && event.target.closest("a, button") === null) {
      event.preventDefault();
      this.reveal();
    } else if (/^[1-4]$/.test(event.key) && this.#isOpen) {
      event.preventDefault();
      this.grade(Number(event.key));
    }
  }

  /** Make the numbers and formulas that were just put into the page work like all others. */
  #settle() {
    this.table.dispatchEvent(new CustomEvent("calc-added", { bubbles: true }));
    dispatchEvent(new Event("resize"));
  }

  #warn() {
    const kept = history.corruptText();
    const problem = history.problem() ?? (kept === null ? null : "corrupt");
    this.notice.hidden = problem === null;
    if (this.notice.dataset.problem === String(problem)) return; // said already
    this.notice.dataset.problem = String(problem);
    this.notice.replaceChildren(make("p", {}, inWords(problem)));
    if (problem === "corrupt" && kept !== null) {
      this.notice.append(
        make("p", {}, "If you have saved your history to a file, load it below. The unreadable text itself can be saved, too."),
        make("button", { type: "button", click: () => save("roofline-review-unreadable.txt", kept, "text/plain") }, "Save the unreadable text"),
        " ",
        make("button", { type: "button", click: () => this.#discard() }, "Delete it"),
      );
    }
  }

  #discard() {
    history.discardCorrupt();
    this.focusEnd();
  }

  /** The fold with the history: when each card is due, and the file. */
  #keeping() {
    this.rows = make("tbody");
    this.left = make("p", { hidden: true });
    this.outcome = make("p", { role: "status" });
    const file = make("input", { type: "file", id: "review-file", accept: ".json,application/json" });
    file.addEventListener("change", async () => {
      if (!file.files.length) return;
      const refused = history.importText(await file.files[0].text());
      file.value = "";
      this.outcome.textContent = refused ?? `The file is loaded, and joined with what this browser knew.${trouble()}`;
    });
    const head = ["Card", "Answers", "Due"].map((title) => make("th", { scope: "col" }, title));
    return make(
      "details",
      { class: "review-history" },
      make("summary", {}, "Your history"),
      make(
        "div",
        { class: "review-file" },
        make("button", { type: "button", click: () => this.#save() }, "Save to a file"),
        make("div", {}, make("label", { for: "review-file" }, "Load from a file"), file),
        make("button", { type: "button", click: () => this.#clear() }, "Forget everything"),
      ),
      this.outcome,
      make("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "When each card is due" }, make("table", {}, make("thead", {}, make("tr", {}, ...head)), this.rows)),
      this.left,
    );
  }

  #save() {
    save("roofline-review.json", history.exportText(), "application/json");
    this.outcome.textContent = "Saved as roofline-review.json.";
  }

  #clear() {
    if (!confirm("Forget all your grades in this browser? A file that you saved stays.")) return;
    this.#last = null;
    this.#shown = null;
    this.#started = false;
    this.table.hidden = true;
    this.undo.hidden = true;
    this.said.textContent = "";
    history.clear();
    this.outcome.textContent = "Everything is forgotten.";
  }

  #list(due, fresh, later, retired, now) {
    const row = ({ id, times, due }) => {
      const card = this.#cards.get(id);
      const link = make("a", { href: root + card.page }, id.replace(/^card-/, "").replaceAll("-", " "));
      return make("tr", {}, make("td", {}, link), make("td", {}, String(times)), make("td", {}, due === null ? "new" : when(due, now)));
    };
    this.rows.replaceChildren(...[...due, ...later, ...fresh].map(row));
    this.left.hidden = retired.length === 0;
    this.left.textContent = `${count(retired.length, "card")} that you graded ${retired.length === 1 ? "is" : "are"} no longer in the deck. The history is kept.`;
  }
}

async function start(place) {
  try {
    new Review(place, await fetchDeck(place.dataset.deck));
  } catch (error) {
    place.prepend(make("p", { role: "alert" }, `The review cannot start: ${error.message}. The cards can be read all the same.`));
  }
}

document.querySelectorAll(".review").forEach(start);
