// Dependency trees: arcs above words, relations on arcs, tags below words.
import { svg } from "./dom.js";

const GAP = 16, MARGIN = 10, STEP = 26, RADIUS = 9, SPREAD = 5, WORD = 15, SMALL = 11;
const pen = document.createElement("canvas").getContext("2d");

function measure(text, size) {
  pen.font = `${size}px system-ui, sans-serif`;
  return pen.measureText(text).width;
}

/** Give arcs levels, from 1: an arc lies above all arcs below it, and arcs of one level do not overlap. */
export function assignLevels(arcs) {
  const levels = new Map();
  const sorted = [...arcs].sort((a, b) => (a.high - a.low) - (b.high - b.low) || a.low - b.low);
  for (const arc of sorted) {
    const others = [...levels].filter(([other]) => other.low < arc.high && arc.low < other.high);
    const inside = others.filter(([other]) => arc.low <= other.low && other.high <= arc.high).map(([, level]) => level);
    const taken = new Set(others.map(([, level]) => level));
    let level = 1 + Math.max(0, ...inside);
    while (taken.has(level)) level += 1;
    levels.set(arc, level);
  }
  return levels;
}

/** Draw a sentence. `words` have text, tag, head (from 1, 0 for the root) and relation; `build` makes their elements. */
export function drawTree(words, label, build) {
  const arcs = words.flatMap((word, index) => (word.head ? [buildArc(word, index)] : []));
  const levels = assignLevels(arcs);
  const top = 1 + Math.max(0, ...levels.values());
  const base = MARGIN + 14 + STEP * top;
  const { centres, width } = placeWords(words);
  const height = base + (words.some((word) => word.tag) ? 46 : 30);
  const drawn = arcs.map((arc) => drawArc(arc, levels.get(arc), words, centres, base));
  const roots = words.flatMap((word, index) => (word.head ? [] : [drawRoot(word, centres[index], base, STEP * top)]));
  const texts = words.map((word, index) => drawWord(word, centres[index], base, build(word, index)));
  const size = { width: Math.ceil(width), height, viewBox: `0 0 ${Math.ceil(width)} ${height}` };
  return svg("svg", { ...size, class: "arcs", role: "group", "aria-label": label }, drawn, roots, texts);
}

function buildArc(word, index) {
  const head = word.head - 1;
  return { head, dependent: index, low: Math.min(head, index), high: Math.max(head, index) };
}

function placeWords(words) {
  const halves = words.map((word) => Math.max(measure(word.text, WORD), measure(word.tag ?? "", SMALL)) / 2 + 3);
  const labels = words.map((word) => measure(word.relation ?? "", SMALL));
  const centres = [MARGIN + Math.max(halves[0], labels[0] / 2)];
  for (let right = 1; right < words.length; right += 1) {
    const left = right - 1;
    const joined = [[left, right], [right, left]].filter(([word, head]) => words[word].head === head + 1);
    const room = joined.map(([word]) => labels[word] + 2 * (RADIUS + SPREAD) + 4);
    centres.push(centres[left] + Math.max(halves[left] + GAP + halves[right], ...room));
  }
  return { centres, width: centres.at(-1) + Math.max(halves.at(-1), labels.at(-1) / 2) + MARGIN };
}

function drawArc(arc, level, words, centres, base) {
  const right = arc.dependent > arc.head;
  const start = centres[arc.head] + (right ? SPREAD : -SPREAD);
  const stop = centres[arc.dependent], top = base - STEP * level, turn = right ? RADIUS : -RADIUS;
  const path = `M${start} ${base}V${top + RADIUS}Q${start} ${top} ${start + turn} ${top}H${stop - turn}`
    + `Q${stop} ${top} ${stop} ${top + RADIUS}V${base - 4}`;
  const { relation, differs } = words[arc.dependent];
  const width = measure(relation ?? "", SMALL) + 8, middle = (start + stop) / 2;
  return svg("g", { class: differs ? "arc differs" : "arc", "aria-hidden": "true", "data-head": arc.head, "data-dependent": arc.dependent },
    svg("path", { d: path, class: "line" }),
    svg("path", { d: `M${stop} ${base}l-3.5 -7h7z`, class: "tip" }),
    relation && svg("rect", { x: middle - width / 2, y: top - 8, width, height: 16, rx: 4 }),
    relation && svg("text", { x: middle, y: top + 4, class: "relation" }, relation));
}

function drawRoot(word, x, base, height) {
  return svg("g", { class: "arc root", "aria-hidden": "true" },
    svg("path", { d: `M${x} ${base - height}V${base - 4}`, class: "line" }),
    svg("path", { d: `M${x} ${base}l-3.5 -7h7z`, class: "tip" }),
    svg("text", { x, y: base - height - 4, class: "relation" }, word.relation || "root"));
}

function drawWord(word, x, base, attributes) {
  const half = Math.max(measure(word.text, WORD), measure(word.tag ?? "", SMALL)) / 2 + 4;
  const box = { x: x - half, y: base + 2, width: 2 * half, height: word.tag ? 38 : 22, rx: 5 };
  return svg("g", { ...attributes, class: `${attributes.class} node` },
    svg("rect", box),
    svg("text", { x, y: base + 18, class: "word" }, word.text),
    " ",
    word.tag && svg("text", { x, y: base + 34, class: "tag" }, word.tag));
}
