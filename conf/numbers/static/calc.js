/**
 * Checked numbers show their working: the expression, the value to six digits and, for a datasheet figure, its source.
 *
 * One tip serves all elements with class "calc", HTML or MathML. It opens on hover, keyboard focus and tap; Escape, leaving, blur, a tap
 * elsewhere and scrolling close it; the pointer may move onto it. Without this script a checked number is plain text.
 */

const LEAVE_MS = 250; // time to cross the gap between the number and the tip
const ENTER_MS = 120; // a pointer that only passes by opens nothing
const GAP = 6;
const EDGE = 8;

/** What the tip says about a number, as [class, tag, text] rows. */
export function working({ expr, value, source }) {
  const rows = [];
  if (expr) rows.push(["calc-expr", "code", expr]);
  if (value) rows.push(["calc-value", "p", `= ${value}`]);
  if (source) rows.push(["calc-source", "p", source]);
  return rows;
}

/** Where the tip goes: under its number, above it where there is no room, always inside the window. */
export function place(number, tip, view) {
  const below = number.bottom + GAP;
  const above = number.top - GAP - tip.height;
  const top = below + tip.height > view.height - EDGE && above >= EDGE ? above : below;
  const left = Math.max(EDGE, Math.min(number.left + number.width / 2 - tip.width / 2, view.width - EDGE - tip.width));
  return { left, top };
}

class Tip {
  #timer = 0;
  #number = null;
  #openedAt = { x: 0, y: 0 };

  constructor() {
    this.element = document.createElement("div");
    this.element.id = "calc-tip";
    this.element.setAttribute("role", "tooltip");
    this.element.hidden = true;
    (document.querySelector("main") ?? document.body).append(this.element); // in a landmark, as all content should be
  }

  get number() {
    return this.#number;
  }

  open(number) {
    this.cancel();
    if (this.#number === number) return;
    this.close();
    this.element.replaceChildren(
      ...working(number.dataset).map(([name, tag, text]) => {
        const row = document.createElement(tag);
        row.className = name;
        row.textContent = text;
        return row;
      }),
    );
    this.element.hidden = false;
    this.#number = number;
    number.classList.add("calc-open");
    number.setAttribute("aria-describedby", this.element.id);
    this.element.style.left = "0px";
    this.element.style.top = "0px";
    // A number that wraps has two boxes; the last is where the reader's eye is.
    const boxes = number.getClientRects();
    const box = boxes[boxes.length - 1] ?? number.getBoundingClientRect();
    const view = { width: document.documentElement.clientWidth, height: innerHeight };
    const origin = this.element.getBoundingClientRect(); // at 0, 0 of whatever it is positioned in
    const { left, top } = place(box, origin, view);
    this.element.style.left = `${left - origin.left}px`;
    this.element.style.top = `${top - origin.top}px`;
    this.#openedAt = { x: scrollX, y: scrollY };
  }

  close() {
    this.cancel();
    if (!this.#number) return;
    this.#number.classList.remove("calc-open");
    this.#number.removeAttribute("aria-describedby");
    this.#number = null;
    this.element.hidden = true;
  }

  openSoon(number) {
    this.cancel();
    this.#timer = setTimeout(() => this.open(number), ENTER_MS);
  }

  closeSoon() {
    this.cancel();
    this.#timer = setTimeout(() => this.close(), LEAVE_MS);
  }

  cancel() {
    clearTimeout(this.#timer);
  }

  /** Focus may scroll the page a little; only a scroll that the reader makes closes the tip. */
  closeIfScrolled() {
    if (Math.hypot(scrollX - this.#openedAt.x, scrollY - this.#openedAt.y) > 40) this.close();
  }
}

// A heading's number shows up again in the contents, inside a link; there it must not be a control of its own.
const isOurs = (number) => number.closest("a, nav") === null;

/** Let the keyboard reach the numbers below an element. */
function prepare(element) {
  for (const number of element.querySelectorAll(".calc[data-expr]")) {
    if (!isOurs(number)) {
      number.removeAttribute("tabindex");
      continue;
    }
    number.setAttribute("tabindex", "0");
    // A described element needs a role that may carry a name; "note" is read as the number, then its description.
    if (number.localName === "span") number.setAttribute("role", "note");
  }
}

/** A script that adds numbers to the page says so by an event "calc-added" on the element that holds them. */
function start() {
  if (document.querySelector(".calc[data-expr]") === null) {
    document.addEventListener("calc-added", start, { once: true });
    return;
  }
  const tip = new Tip();
  prepare(document);
  document.addEventListener("calc-added", (event) => prepare(event.target));

  const numberOf = (event) => {
    const number = event.target instanceof Element ? event.target.closest(".calc[data-expr]") : null;
    return number && isOurs(number) ? number : null;
  };
  const inTip = (event) => event.target instanceof Node && tip.element.contains(event.target);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const number = numberOf(event);
    if (number) tip.openSoon(number);
    else if (inTip(event)) tip.cancel();
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType === "touch") return;
    const focused = tip.number !== null && tip.number === document.activeElement;
    if (numberOf(event) || inTip(event)) {
      if (focused) tip.cancel();
      else tip.closeSoon();
    }
  });
  document.addEventListener("focusin", (event) => {
    const number = numberOf(event);
    if (number) tip.open(number);
  });
  document.addEventListener("focusout", (event) => {
    if (numberOf(event)) tip.closeSoon();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!numberOf(event) && !inTip(event)) tip.close();
  });
  document.addEventListener("click", (event) => {
    const number = numberOf(event);
    if (number) tip.open(number);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && tip.number) {
      event.stopPropagation();
      tip.close();
    }
  });
  document.addEventListener("scroll", (event) => {
    if (!inTip(event)) tip.closeIfScrolled();
  }, { capture: true, passive: true });
  addEventListener("resize", () => tip.close());
}

start();
