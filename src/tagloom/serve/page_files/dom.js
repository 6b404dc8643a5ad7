// Elements, and texts whose places are counted in characters, as the server does.

/** Build an element: attributes, then children; "on…" are listeners, "vars" are CSS variables, null is left out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Build an element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, each] of Object.entries(value)) node.style.setProperty(`--${key}`, each);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A text cut into characters: JavaScript counts some of them twice, Python and the server do not. */
export class Characters {
  constructor(text) {
    this.units = Array.from(text);
  }

  slice(start, end) {
    return this.units.slice(start, end).join("");
  }
}

/** Write a probability as a person does. */
export function percent(value) {
  if (value > 0.9995) return "100%";
  return value < 0.0005 ? "<0.1%" : `${(value * 100).toFixed(value < 0.1 ? 1 : 0)}%`;
}

export function count(number, noun, nouns = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
}

const hues = new Map();

/** Remember the hues that the server gives to labels. */
export function learnHues(models) {
  for (const model of models) {
    for (const layer of model.layers) for (const { label, hue } of layer.labels) hues.set(label, hue);
  }
}

/** The hue of a label; one that the server has not told gets that of its checksum, as in all pages of tagloom. */
export function chooseHue(label) {
  if (!hues.has(label)) hues.set(label, checksum(new TextEncoder().encode(label)) % 360);
  return hues.get(label);
}

/** CRC-32. */
function checksum(bytes) {
  let found = 0xffffffff;
  for (const byte of bytes) {
    found ^= byte;
    for (let bit = 0; bit < 8; bit += 1) found = (found >>> 1) ^ (0xedb88320 & -(found & 1));
  }
  return (found ^ 0xffffffff) >>> 0;
}
