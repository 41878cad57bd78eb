/** Downloads of a figure: SVG, PNG and CSV. */

const COLOURS = ["--rl-memory", "--rl-compute", "--rl-ink", "--rl-muted", "--rl-grid", "--rl-surface"];

/** The box of the picture, with the words that stick out of it, such as the last number of an axis: a file would cut them off. */
function boxOf(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const drawn = svg.getBBox();
  const left = Math.floor(Math.min(0, drawn.x));
  const top = Math.floor(Math.min(0, drawn.y));
  return {
    left, top,
    width: Math.ceil(Math.max(width, drawn.x + drawn.width)) - left,
    height: Math.ceil(Math.max(height, drawn.y + drawn.height)) - top,
  };
}

/** The picture as a file of its own: the page's colours and font are written into it. */
export function toSvgText(svg) {
  const page = getComputedStyle(document.documentElement);
  const copy = svg.cloneNode(true);
  const { left, top, width, height } = boxOf(svg);
  copy.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  const colours = COLOURS.map((name) => `${name}: ${page.getPropertyValue(name).trim()}`).join("; ");
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].filter((rule) => rule.selectorText?.includes(".figure-live")).map((rule) => rule.cssText);
    } catch {
      return []; // a sheet of another origin, such as a reader's extension, may not be read
    }
  });
  style.textContent = `svg { ${colours}; background: ${page.getPropertyValue("--rl-surface").trim()}; font-family: sans-serif }\n${rules.join("\n")}`;
  copy.prepend(style);
  return new XMLSerializer().serializeToString(copy);
}

/** The picture as PNG, with `scale` pixels for each one of the page. */
export async function toPng(svg, scale = 2) {
  const { width, height } = boxOf(svg);
  const image = new Image(width * scale, height * scale);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvgText(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

/** The table as comma-separated values (RFC 4180). */
export function toCsv({ columns, rows }) {
  const field = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${[columns, ...rows].map((row) => row.map(field).join(",")).join("\r\n")}\r\n`;
}

export function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
