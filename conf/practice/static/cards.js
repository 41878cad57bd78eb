/** On a page with recall cards: grades below each answer, which go to the reader's history. */

import { GRADES, give, takeBack, when } from "./deck.js";
import { gradeButtons, trouble } from "./grades.js";

function enliven(card) {
  const answer = card.querySelector("details");
  const box = document.createElement("div");
  const said = document.createElement("p");
  said.className = "recall-said";
  said.setAttribute("role", "status");
  const undo = document.createElement("button");
  undo.type = "button";
  undo.className = "recall-undo";
  undo.textContent = "Take it back";
  undo.hidden = true;
  let given;

  const offer = () => box.replaceChildren(gradeButtons(card.id, graded));
  function graded(grade) {
    given = give(card.id, grade);
    const { name } = GRADES[grade - 1];
    box.replaceChildren();
    said.textContent = `${name}. The review shows this card again ${when(given.due)}.${trouble()}`;
    undo.hidden = false;
    undo.focus();
  }
  undo.addEventListener("click", () => {
    takeBack(card.id, given.time);
    undo.hidden = true;
    said.textContent = "Taken back.";
    offer();
    box.querySelector("button").focus();
  });
  answer.append(box, said, undo);
  answer.addEventListener("toggle", () => {
    if (!answer.open) return;
    undo.hidden = true;
    said.textContent = "";
    offer();
  });
  if (answer.open) offer();
}

document.querySelectorAll(".recall-card").forEach(enliven);
