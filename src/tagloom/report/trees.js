// Two trees of one sentence: the arcs of gold above the words, those of a model below them; arcs that differ stand out.
const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes, text) => {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
};
const STEP = 22, RADIUS = 8, SPREAD = 5, GAP = 16, MARGIN = 14;
const pen = document.createElement("canvas").getContext("2d");
const widthOf = (text, size) => { pen.font = `${size}px system-ui, sans-serif`; return pen.measureText(text).width; };

// The level of every arc: one above all arcs that lie below it.
const findLevels = (heads) => {
  const arcs = heads.map((head, n) => (head > 0 ? { word: n, low: Math.min(n, head - 1), high: Math.max(n, head - 1) } : null)).filter(Boolean);
  arcs.sort((a, b) => (a.high - a.low) - (b.high - b.low) || a.low - b.low);
  const levels = [];
  for (const arc of arcs) {
    const below = levels.filter((other) => other.low < arc.high && arc.low < other.high);
    arc.level = 1 + Math.max(0, ...below.map((other) => other.level));
    levels.push(arc);
  }
  return levels;
};

const placeWords = (words, tags, sides) => {
  const halves = words.map((word, n) => Math.max(widthOf(word, 14), widthOf(tags[n] ?? "", 11)) / 2);
  const centres = [];
  halves.forEach((half, n) => {
    const before = n ? centres[n - 1] + halves[n - 1] + GAP + half : MARGIN + half;
    const room = sides.flatMap(({ heads, relations }) => [[n, n - 1], [n - 1, n]]
      .filter(([word, head]) => n && heads[word] === head + 1).map(([word]) => widthOf(relations[word], 11) + 2 * (RADIUS + SPREAD)));
    centres.push(Math.max(before, n ? centres[n - 1] + Math.max(0, ...room) : 0));
  });
  return { centres, width: centres.length ? centres.at(-1) + halves.at(-1) + MARGIN : 2 * MARGIN };
};

// The arcs of one side; direction is -1 above the words and 1 below them.
const drawArcs = (svg, side, levels, centres, base, direction, classes) => {
  const top = 1 + Math.max(0, ...levels.map((arc) => arc.level));
  const labels = [];
  for (const arc of levels) {
    const head = side.heads[arc.word] - 1, right = arc.word > head ? 1 : -1;
    const from = centres[head] + SPREAD * right, to = centres[arc.word], y = base + direction * STEP * arc.level, turn = RADIUS * right;
    const end = base + direction * 4, bend = y - direction * RADIUS, style = classes[arc.word];
    svg.append(draw("path", { class: `arc ${style}`, d: `M${from} ${base} V${bend} Q${from} ${y} ${from + turn} ${y} H${to - turn} Q${to} ${y} ${to} ${bend} V${end}` }));
    svg.append(draw("path", { class: `tip ${style}`, d: `M${to} ${base} l-3.5 ${direction * 7} h7 z` }));
    labels.push([(from + to) / 2, y, side.relations[arc.word], style]);
  }
  side.heads.forEach((head, n) => {
    if (head > 0) return;
    const y = base + direction * STEP * top, style = classes[n];
    svg.append(draw("path", { class: `arc ${style}`, d: `M${centres[n]} ${y} V${base + direction * 4}` }));
    svg.append(draw("path", { class: `tip ${style}`, d: `M${centres[n]} ${base} l-3.5 ${direction * 7} h7 z` }));
    labels.push([centres[n], y, head < 0 ? "another token" : side.relations[n] || "root", style]);
  });
  for (const [x, y, text, style] of labels) {
    const width = widthOf(text, 11) + 4;
    svg.append(draw("rect", { class: "patch", x: x - width / 2, y: y - 7, width, height: 14 }));
    svg.append(draw("text", { class: `relation ${style}`, x, y: y + 4, "text-anchor": "middle" }, text));
  }
};

const drawPair = (sentence, gold, guess, place, name) => {
  const tags = sentence.t ?? [], words = sentence.w;
  const { centres, width } = placeWords(words, tags, [gold, guess]);
  const levels = [findLevels(gold.heads), findLevels(guess.heads)];
  const heights = levels.map((arcs) => STEP * (2 + Math.max(0, ...arcs.map((arc) => arc.level))));
  const base = heights[0], below = base + (tags.length ? 44 : 28), height = below + heights[1];
  const isRight = (n) => gold.heads[n] === guess.heads[n] && gold.relations[n] === guess.relations[n];
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  const wrong = words.filter((_, n) => !isRight(n));
  svg.append(draw("title", {}, `Gold above, ${name} below; ${wrong.length} words with another head or relation: ${wrong.join(", ")}`));
  drawArcs(svg, gold, levels[0], centres, base, -1, words.map((_, n) => (isRight(n) ? "" : "good")));
  drawArcs(svg, guess, levels[1], centres, below, 1, words.map((_, n) => (isRight(n) ? "" : "bad")));
  words.forEach((word, n) => {
    const isHere = place && n >= place[0] && n < place[1];
    svg.append(draw("text", { x: centres[n], y: base + 18, "text-anchor": "middle", class: isHere ? "focus" : "" }, word));
    if (tags[n]) svg.append(draw("text", { x: centres[n], y: base + 34, "text-anchor": "middle", class: "small" }, tags[n]));
  });
  return make("div", { class: "tree", tabindex: 0, role: "region", "aria-label": `Trees: gold and ${name}` }, svg);
};

const showTrees = (sentence, shown, place) => {
  const names = data.models.length > 1 ? data.models : ["the prediction"];
  const parts = [[names[0], shown.p], ...(shown.q ? [[names[1], shown.q]] : [])].flatMap(([name, side]) => [
    make("p", { class: "note" }, `Above the words: gold. Below: ${name}.`), drawPair(sentence, shown.g, side, place, name)]);
  return make("div", {}, ...parts);
};
