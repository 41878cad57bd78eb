/**
 * The tables of the atlas: filter and sort the devices, and choose the device whose regimes the models are shown on.
 * What was chosen is kept in the address, as the figures keep theirs: `#tab-devices?vendor=AMD&sort=-memory`.
 */

/** The text of a cell with plain spaces, in place of those that keep a number and its unit together. */
function textOf(cell) {
  return cell.textContent.replaceAll("\u00a0", " ").trim();
}

/** The number of a cell, or null where it holds a dash. */
export function numberOf(text) {
  const number = Number(text.replaceAll(",", ""));
  return text === "" || Number.isNaN(number) ? null : number;
}

/** The name of a column in the address: "Memory (GB)" is memory. */
export function keyOf(head) {
  return head.split(" (")[0].toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}

/** The rows sorted by a column, as numbers or words, up or down; what a device lacks comes last either way. */
export function order(rows, column, down) {
  const compare = (a, b) => {
    const [x, y] = [a, b].map((row) => row.texts[column]);
    const [m, n] = [numberOf(x), numberOf(y)];
    if (x === "–" || y === "–") return Number(x === "–") - Number(y === "–");
    const forward = m !== null && n !== null ? m - n : x.localeCompare(y, "en");
    return down ? -forward : forward;
  };
  return [...rows].sort(compare);
}

/** Whether a device is among those that were asked for. */
export function wanted(device, { vendor, format, memory, year }) {
  return (!vendor || device.vendor === vendor)
    && (!format || device[format] !== undefined && device[format] !== "–")
    && (!memory || numberOf(device.memory) >= memory)
    && (!year || numberOf(device.year) >= Number(year));
}

/** The part of the address after the label, or null where it is about something else. */
function fromHash(label) {
  const [target, query] = location.hash.slice(1).split("?", 2);
  return target === label && query !== undefined ? new URLSearchParams(query) : null;
}

function toHash(label, pairs) {
  const query = new URLSearchParams(pairs.filter(([, value]) => value)).toString();
  const { pathname, search } = location;
  // Where nothing is chosen, the page has its plain address.
  history.replaceState(null, "", query ? `#${label}?${query}` : pathname + search);
}

/** A table whose heads are buttons. Rows are {row, texts}, in the order in which the page was built. */
class Sortable {
  constructor(table, changed) {
    this.table = table;
    this.heads = [...table.tHead.rows[0].cells];
    this.keys = this.heads.map((head) => keyOf(textOf(head)));
    this.rows = [...table.tBodies[0].rows].map((row) => ({ row, texts: [...row.cells].map(textOf) }));
    this.sorted = "";
    table.classList.add("atlas-sortable");
    this.heads.forEach((head, column) => {
      const holder = head.querySelector("p") ?? head;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "atlas-sort";
      button.append(...holder.childNodes);
      holder.append(button);
      button.addEventListener("click", () => {
        this.sort(this.next(column));
        changed();
      });
    });
  }

  /** The order after a press: the more useful way first, then the other, then that of the catalog. */
  next(column) {
    const key = this.keys[column];
    const numbers = this.rows.some(({ texts }) => numberOf(texts[column]) !== null);
    const [first, second] = numbers ? [`-${key}`, key] : [key, `-${key}`];
    return { [first]: second, [second]: "" }[this.sorted] ?? first;
  }

  /** Sort by a column, such as "-memory" for the most first; "" is the order of the catalog. Says whether it could. */
  sort(by) {
    const down = by.startsWith("-");
    const column = this.keys.indexOf(down ? by.slice(1) : by);
    this.sorted = column < 0 ? "" : by;
    this.heads.forEach((head, index) => {
      if (index === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    const rows = column < 0 ? this.rows : order(this.rows, column, down);
    this.table.tBodies[0].append(...rows.map(({ row }) => row));
    return column >= 0 || by === "";
  }

  devices() {
    return this.rows.map(({ row, texts }) => ({
      row, name: texts[0], ...Object.fromEntries(this.keys.map((key, column) => [key, texts[column]])),
    }));
  }
}

function tableOf(label) {
  const found = document.getElementById(label);
  return found?.matches("table") ? found : found?.querySelector("table");
}

/** Let the controls narrow down the tables, and the heads sort them. */
function filters(panel) {
  const labels = panel.dataset.tables.split(" ");
  const controls = [...panel.querySelectorAll("select, input")];
  const said = panel.querySelector(".atlas-said");
  const names = ["sort", ...labels.slice(1).map((_, index) => `sort${index + 2}`)];
  const tables = labels.map((label) => new Sortable(tableOf(label), () => remember()));
  const shown = tables.map((table) => table.devices());

  function remember() {
    const chosen = controls.map(({ name, value }) => [name, value.trim()]);
    toHash(labels[0], [...chosen, ...tables.map(({ sorted }, index) => [names[index], sorted])]);
  }

  function apply(faults = []) {
    const asked = Object.fromEntries(controls.map(({ name, value }) => [name, value.trim()]));
    const memory = panel.querySelector('[name="memory"]');
    const number = numberOf(asked.memory);
    const fault = asked.memory !== "" && (number === null || number < 0);
    if (fault) memory.setAttribute("aria-invalid", "true");
    else memory.removeAttribute("aria-invalid");
    if (fault) faults = [...faults, `“${asked.memory}” is no size; type a number of GB such as 80.`];
    const state = { ...asked, memory: fault ? 0 : number };
    // The first table tells what a device has; the others show the same devices.
    const names = new Set(shown[0].filter((device) => wanted(device, state)).map(({ name }) => name));
    for (const device of shown.flat()) device.row.hidden = !names.has(device.name);
    const all = shown[0].length;
    const count = names.size === all ? `All ${all} devices.` : names.size === 0 ? "No device has all of this." : `${names.size} of ${all} devices.`;
    said.textContent = [count, ...faults].join(" ");
  }

  function restore(first = false) {
    const query = fromHash(labels[0]);
    if (!query && !first) return;
    const faults = [];
    for (const control of controls) {
      const value = query?.get(control.name) ?? "";
      const known = control.tagName !== "SELECT" || [...control.options].some((option) => option.value === value);
      control.value = known ? value : "";
      if (!known) faults.push(`There is no “${value}” to choose.`);
    }
    tables.forEach((table, index) => {
      const by = query?.get(names[index]) ?? "";
      if (!table.sort(by)) faults.push(`No column is called “${by}”.`);
    });
    apply(faults);
    if (query) tableOf(labels[0]).scrollIntoView({ block: "start" });
  }

  for (const control of controls) {
    control.addEventListener(control.tagName === "SELECT" ? "change" : "input", () => {
      apply();
      remember();
    });
  }
  panel.querySelector(".atlas-reset").addEventListener("click", () => {
    for (const control of controls) control.value = "";
    for (const table of tables) table.sort("");
    apply();
    remember();
  });
  addEventListener("hashchange", () => restore());
  restore(true);
}

const ROOF = /device\("([^"]+)"\)\.roof\("([^"]+)"\)\)\.regime$/;

/** Show the regimes of all tables on the chosen device, by the package's own formula. */
async function choice(panel) {
  const model = await import("../figures/model.js");
  const { shown } = await import("../figures/shared/template.js");
  const select = panel.querySelector("select");
  const said = panel.querySelector(".atlas-said");
  const regimes = [...document.querySelectorAll(".calc[data-expr]")].filter((cell) => ROOF.test(cell.dataset.expr));
  const first = select.value;

  function apply(fault = "") {
    const [name, format] = select.selectedOptions[0].textContent.split(", ");
    const { bandwidth, peaks } = model.devices.find((device) => device.name === name);
    const roof = { peak: peaks[format], bandwidth };
    for (const cell of regimes) {
      const costs = [...cell.closest("tr").cells];
      const place = costs.indexOf(cell.closest("td"));
      const intensity = numberOf(costs[place - 1].querySelector(".calc").dataset.value.split(" ")[0]);
      const regime = model.at_or_above_ridge({ flops: intensity, nbytes: 1, ...roof }) ? "compute-bound" : "memory-bound";
      cell.textContent = regime;
      cell.dataset.value = regime;
      cell.dataset.expr = cell.dataset.expr.replace(ROOF, `device("${name}").roof("${format}")).regime`);
      delete cell.dataset.source;
    }
    const blue = regimes.filter((cell) => cell.textContent === "compute-bound").length;
    said.textContent = `${fault}The tables below show the regimes on ${name} in ${format}: ridge point ${shown(model.ridge(roof), "FLOP/B ridge")}, ${blue} of ${regimes.length} kernels compute-bound.`;
  }

  function restore() {
    const query = fromHash(panel.dataset.label);
    if (!query) return;
    const value = query.get("device") ?? first;
    const known = [...select.options].some((option) => option.value === value);
    select.value = known ? value : first;
    apply(known ? "" : `There is no “${value}” to choose. `);
    panel.scrollIntoView({ block: "start" });
  }

  select.addEventListener("change", () => {
    apply();
    toHash(panel.dataset.label, [["device", select.value]]);
  });
  addEventListener("hashchange", restore);
  restore();
  panel.dataset.live = "";
}

for (const panel of document.querySelectorAll(".atlas-filters")) filters(panel);
for (const panel of document.querySelectorAll(".atlas-choice")) {
  choice(panel).catch((error) => {
    panel.hidden = true;
    console.info(`The tables stay as they are: ${error.message}`);
  });
}
