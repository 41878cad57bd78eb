/**
 * A description of an SVG, and the elements that show it.
 *
 * A figure describes its whole picture anew for each redraw, which is cheap because no element is made. Then only what
 * differs from the last description is written to the page, so that one step of a slider costs the browser little layout.
 * The methods are those of d3-selection, as far as figures need them.
 */

const SVG = "http://www.w3.org/2000/svg";

class Sketch {
  constructor(name) {
    this.name = name;
    this.attributes = new Map();
    this.children = [];
    this.words = null;
    this.handlers = new Map();
  }

  append(name) {
    const child = new Sketch(name);
    this.children.push(child);
    return child;
  }

  attr(name, value) {
    this.attributes.set(name, String(value));
    return this;
  }

  /** A property of the style; null leaves it to the sheet. */
  style(name, value) {
    if (value !== null) this.attr("style", `${this.attributes.get("style") ?? ""}${name}:${value};`);
    return this;
  }

  text(words) {
    this.words = String(words);
    return this;
  }

  on(type, handler) {
    this.handlers.set(type, handler);
    return this;
  }
}

/** For each element: the description that it shows, and the types of events that it listens for. */
const shown = new WeakMap();
const heard = new WeakMap();

export function sketch() {
  return new Sketch("svg");
}

function made(description) {
  const element = document.createElementNS(SVG, description.name);
  shown.set(element, new Sketch(description.name));
  update(element, description);
  return element;
}

/** Listen for a type of event. The handler is looked up when the event comes: a later description may have another. */
function hear(element, type) {
  if (!heard.has(element)) heard.set(element, new Set());
  if (heard.get(element).has(type)) return;
  heard.get(element).add(type);
  element.addEventListener(type, (event) => shown.get(element).handlers.get(type)?.(event));
}

function update(element, now) {
  const before = shown.get(element);
  shown.set(element, now);
  for (const [name, value] of now.attributes) if (before.attributes.get(name) !== value) element.setAttribute(name, value);
  for (const name of before.attributes.keys()) if (!now.attributes.has(name)) element.removeAttribute(name);
  for (const type of now.handlers.keys()) hear(element, type);
  if (now.words !== before.words) element.textContent = now.words ?? "";
  now.children.forEach((child, index) => {
    const there = element.childNodes[index];
    if (before.children[index]?.name === child.name) update(there, child);
    else if (there) there.replaceWith(made(child));
    else element.append(made(child));
  });
  for (let extra = before.children.length; extra > now.children.length; extra -= 1) element.lastChild.remove();
}

/** Let an svg show a description; attributes that its owner has set stay. */
export function show(svg, description) {
  if (!shown.has(svg)) shown.set(svg, new Sketch("svg"));
  update(svg, description);
}
