/** What the cards page and the review share: the four grades to press, and a word on what is wrong. */

import { GRADES, history, outlook, span } from "./deck.js";
import { inWords } from "./store.js";

/** The four grades as buttons, each with the time after which the card would come back. */
export function gradeButtons(id, graded, { keys = false } = {}) {
  const group = document.createElement("div");
  group.className = "recall-grades";
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "How well did you know it?");
  const waits = outlook(id);
  for (const { grade, name, means } of GRADES) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.grade = grade;
    button.title = means;
    button.innerHTML = `<span class="recall-grade">${keys ? `<kbd aria-hidden="true">${grade}</kbd> ` : ""}${name}</span> <span class="recall-span">in ${span(waits[grade])}</span>`;
    if (keys) button.setAttribute("aria-keyshortcuts", String(grade));
    button.addEventListener("click", () => graded(grade));
    group.append(button);
  }
  return group;
}

/** What is wrong with keeping things, said after what was just done; "" if all is well. */
export const trouble = () => (history.problem() ? ` ${inWords(history.problem())}` : "");
