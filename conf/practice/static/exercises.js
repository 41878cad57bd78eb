/** Exercises: one button opens or closes all solutions of a page, for a print with them or without. */

const WORDS = { open: "Open all solutions for printing", close: "Close all solutions" };

const place = document.querySelector(".solutions-place");
const solutions = [...document.querySelectorAll("details.solution")];

if (place && solutions.length) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "solutions-switch";

  const allOpen = () => solutions.every((solution) => solution.open);
  const label = () => { button.textContent = allOpen() ? WORDS.close : WORDS.open; };

  button.addEventListener("click", () => {
    const open = !allOpen();
    for (const solution of solutions) solution.open = open;
    label();
  });
  // A reader who opens the last one by hand must not be offered to open them all.
  for (const solution of solutions) solution.addEventListener("toggle", label);
  label();
  place.after(button);
}
