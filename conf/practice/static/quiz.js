/**
 * Quick checks, predictions, and predictions held against the answer.
 *
 * The page holds all of it already: questions, options and, under a fold, answers with an explanation each. This script shows the one
 * explanation that belongs to what was chosen, and remembers what was answered right and what was guessed. Without it the fold stays.
 */

import { kept } from "./kept.js";
import { inWords } from "./store.js";

/** A guess within this factor of a number counts as that number. */
const NEAR = 1.15;

/** A guess as a number: "1.6", "1,6", "1,000", "1.6×" and "3e2" are; NaN for anything else, and for what is not above 0. */
export function numberIn(text) {
  const plain = text.trim().replace(/\s*[x×]$/i, "").replace(/(\d),(?=\d{3}(?:\D|$))/g, "$1").replace(",", ".");
  const number = /^\+?(?:\d+\.?\d*|\.\d+)(?:e\+?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
  return number > 0 && Number.isFinite(number) ? number : Number.NaN;
}

/** Which of the remarks a guess gets: the one about the nearest number if that is near, else "less" or "more" than the first. */
export function remarkFor(guess, abouts) {
  const numbers = abouts.filter((about) => about !== "less" && about !== "more");
  const distance = (about) => Math.abs(Math.log(guess / Number(about)));
  const nearest = numbers.reduce((best, about) => (distance(about) < distance(best) ? about : best));
  const side = guess < Number(numbers[0]) ? "less" : "more";
  return distance(nearest) <= Math.log(NEAR) || !abouts.includes(side) ? nearest : side;
}

function paragraph(text, name = "") {
  const made = document.createElement("p");
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

/** What the reader should know about the storage, as paragraphs: none while it works. */
const troubles = () => (kept.problem() ? [paragraph(inWords(kept.problem()), "practice-trouble")] : []);

/** Copies of elements of the page, without their ids, which must stay unique. */
function copies(elements) {
  return Array.from(elements, (element) => {
    const copy = element.cloneNode(true);
    for (const named of [copy, ...copy.querySelectorAll("[id]")]) named.removeAttribute("id");
    return copy;
  });
}

/** A region that speaks when the reader has done something, and not when the page only shows what it remembers. */
class Feedback {
  constructor(root) {
    this.element = root.querySelector(".practice-feedback");
    this.element.setAttribute("aria-live", "off");
    root.addEventListener("focusin", () => this.element.removeAttribute("aria-live"), { once: true });
  }

  show(...children) {
    this.element.replaceChildren(...children);
  }
}

class QuickCheck {
  #judged = false;
  #remembered = false;

  constructor(root) {
    this.id = root.id;
    this.root = root;
    this.radios = [...root.querySelectorAll("input[type=radio]")];
    this.button = root.querySelector(".practice-button");
    this.answers = root.querySelector(".practice-answers");
    this.feedback = new Feedback(root);
    this.right = this.answers.querySelector("[data-right]").dataset.option;

    for (const radio of this.radios) {
      radio.addEventListener("change", () => this.unjudge());
      radio.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || this.#judged) return;
        event.preventDefault();
        this.judge();
      });
    }
    this.button.addEventListener("click", () => (this.#judged ? this.again() : this.judge()));
    this.answers.hidden = true;
    this.button.hidden = false;
    this.recall(kept.get());
    kept.subscribe((value) => this.recall(value));
  }

  /** Show what was answered right before or in another tab; leave alone what the reader is in the middle of. */
  recall({ checks }) {
    const before = checks[this.id] === true;
    if (before && !this.#judged && !this.radios.some((radio) => radio.checked)) {
      this.radios.find((radio) => radio.value === this.right).checked = true;
      this.#remembered = true;
      this.show(this.right, "You had this one right.");
    } else if (!before && this.#remembered) {
      this.clear();
    }
  }

  judge() {
    const chosen = this.radios.find((radio) => radio.checked)?.value;
    if (chosen === undefined) {
      this.feedback.show(paragraph("Choose one of the answers first."));
      return;
    }
    this.#remembered = false;
    if (chosen === this.right) {
      this.#judged = true; // before the store tells everyone
      kept.update((value) => ({ ...value, checks: { ...value.checks, [this.id]: true } }));
    }
    this.show(chosen, chosen === this.right ? "Right." : "Not this one.", ...(chosen === this.right ? troubles() : []));
  }

  show(chosen, verdict, ...more) {
    this.#judged = true;
    const why = this.answers.querySelector(`[data-option="${chosen}"]`);
    const words = copies([...why.children].filter((child) => !child.matches(".practice-verdict")));
    this.feedback.show(paragraph(verdict, "practice-said"), ...words, ...more);
    this.root.dataset.answer = chosen === this.right ? "right" : "wrong";
    this.button.textContent = "Try again";
  }

  unjudge() {
    this.#judged = false;
    this.#remembered = false;
    delete this.root.dataset.answer;
    this.feedback.show();
    this.button.textContent = "Check";
  }

  clear() {
    for (const radio of this.radios) radio.checked = false;
    this.unjudge();
  }

  again() {
    this.clear();
    this.radios[0].focus();
  }
}

class Prediction {
  constructor(root) {
    this.id = root.id;
    this.root = root;
    this.radios = [...root.querySelectorAll("input[type=radio]")];
    this.box = root.querySelector(".practice-number input");
    this.unit = this.box ? this.box.parentElement.lastChild.textContent.trim() : "";
    this.button = root.querySelector(".practice-button");
    this.feedback = new Feedback(root);

    for (const input of this.inputs) {
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || input.disabled) return;
        event.preventDefault();
        this.commit();
      });
    }
    this.button.addEventListener("click", () => (this.committed ? this.open() : this.commit()));
    for (const hidden of root.querySelectorAll(".practice-number, .practice-options, .practice-button")) hidden.hidden = false;
    this.recall(kept.get());
    kept.subscribe((value) => this.recall(value));
  }

  get inputs() {
    return this.box ? [this.box] : this.radios;
  }

  recall({ guesses }) {
    const guess = guesses[this.id];
    if (guess) this.show(guess);
    else if (this.committed) this.open({ silent: true });
  }

  commit() {
    const chosen = this.box ? this.box.value : (this.radios.find((radio) => radio.checked)?.value ?? "");
    const number = numberIn(chosen);
    if (Number.isNaN(number)) {
      const ask = this.box ? "Write a number above 0, such as 12 or 0.5." : "Choose one of the answers first.";
      this.feedback.show(paragraph(ask));
      this.box?.setAttribute("aria-invalid", "true");
      this.inputs[0].focus();
      return;
    }
    const shown = this.box ? `${number} ${this.unit}`.trim() : chosen;
    kept.update((value) => ({ ...value, guesses: { ...value.guesses, [this.id]: { number, shown } } }));
  }

  show(guess) {
    this.committed = true;
    if (this.box) {
      this.box.value = String(guess.number);
      this.box.removeAttribute("aria-invalid");
    }
    for (const radio of this.radios) radio.checked = Number(radio.value) === guess.number;
    const focused = this.inputs.includes(document.activeElement);
    for (const input of this.inputs) input.disabled = true;
    if (focused) this.button.focus(); // what is disabled cannot keep it
    this.feedback.show(paragraph(`Your guess is noted: ${guess.shown}. You will meet it again beside the answer.`), ...troubles());
    this.button.textContent = "Change my guess";
  }

  open({ silent = false } = {}) {
    this.committed = false;
    for (const input of this.inputs) input.disabled = false;
    this.feedback.show();
    this.button.textContent = "Commit";
    if (!silent) (this.radios.find((radio) => radio.checked) ?? this.inputs[0]).focus();
  }
}

class Comparison {
  constructor(root) {
    this.id = root.dataset.of;
    this.place = root.querySelector(".comparison-guess");
    this.fold = root.querySelector(".practice-remarks");
    this.remarks = [...root.querySelectorAll(".practice-remark")];
    this.show(kept.get());
    kept.subscribe((value) => this.show(value));
  }

  show({ guesses }) {
    const guess = guesses[this.id];
    this.place.hidden = false;
    this.fold.hidden = Boolean(guess);
    if (!guess) {
      this.place.replaceChildren(paragraph("You have not committed a guess to this one."), ...troubles());
      return;
    }
    const about = remarkFor(guess.number, this.remarks.map((remark) => remark.dataset.about));
    const words = copies(this.remarks.find((remark) => remark.dataset.about === about).children);
    this.place.replaceChildren(paragraph(`Your guess: ${guess.shown}`, "practice-said"), ...words, ...troubles());
  }
}

if (globalThis.document) {
  for (const root of document.querySelectorAll(".quick-check")) new QuickCheck(root);
  for (const root of document.querySelectorAll(".prediction")) new Prediction(root);
  for (const root of document.querySelectorAll(".comparison")) new Comparison(root);
}
