// Views of a sentence: coloured spans, tags under words, the tree. Every token is a stop for keys and pointer.
import { chooseHue, el, percent } from "./dom.js";
import { selectSpans } from "./sentence.js";
import { drawTree } from "./tree.js";

const MOST_TREE_WORDS = 200; // a wider drawing is of no use

/** Build the element of one view. `marks` tells what differs from the other model. */
export function renderView(sentence, view, annotation, marks) {
  if (view.kind === "spans") return renderSpans(sentence, view, marks);
  return view.kind === "tree" ? renderTree(sentence, annotation, marks) : renderTags(sentence, view, marks);
}

function renderSpans(sentence, view, marks) {
  const spans = selectSpans(sentence, view.name);
  const line = el("p", { class: "sentence", dir: "auto" });
  let at = 0;
  for (const span of spans) {
    line.append(...renderTokens(sentence, at, span.first, null, view));
    line.append(renderMark(sentence, span, view, marks.has(keySpan(sentence, span))));
    at = span.last;
  }
  line.append(...renderTokens(sentence, at, sentence.tokens.length, null, view));
  return line;
}

function renderMark(sentence, span, view, differs) {
  const gap = span.first ? findGap(sentence, span.first) : "";
  const classes = ["entity", differs && "differs", span.corrected && "corrected"].filter(Boolean).join(" ");
  const inside = renderTokens(sentence, span.first, span.last, span, view, true);
  const label = el("span", {
    class: "stop tag", role: "button", "data-first": span.first, "data-last": span.last, "data-layer": view.name,
    "aria-label": describeSpan(span),
  }, span.label);
  const mark = el("mark", { class: classes, vars: { hue: chooseHue(span.label) }, "data-label": span.label }, inside, label);
  const whole = document.createDocumentFragment();
  whole.append(gap, mark);
  return whole;
}

function describeSpan(span) {
  const score = span.score === undefined ? "" : `, probability ${percent(span.score)}`;
  return `${span.label}: ${span.text}${score}${span.corrected ? ", corrected" : ""}`;
}

/** The tokens from first to last, with what stands between them in the text. */
function renderTokens(sentence, first, last, span, view, bare = false) {
  return sentence.tokens.slice(first, last).flatMap((token, place) => {
    const gap = bare && place === 0 ? "" : findGap(sentence, token.index);
    return [gap, renderToken(token, span, view)];
  });
}

function findGap(sentence, index) {
  const before = index ? sentence.tokens[index - 1].end : 0;
  return sentence.characters.slice(before, Math.max(before, sentence.tokens[index].start));
}

function renderToken(token, span, view) {
  return el("span", { ...stopAttributes(token, view), "aria-label": span ? `${token.text} (${span.label})` : null }, token.text);
}

function stopAttributes(token, view) {
  return { class: "stop token", role: "button", "data-index": token.index, "data-view": view.name };
}

function renderTags(sentence, view, marks) {
  const parts = sentence.tokens.flatMap((token) => {
    const value = token[view.name];
    const differs = marks.has(keyTag(sentence, token, view.name));
    const classes = ["word stop token", differs && "differs", token.corrected && "corrected"].filter(Boolean).join(" ");
    const tag = el("small", { vars: { hue: chooseHue(value) } }, value);
    return [findGap(sentence, token.index),
      el("span", { ...stopAttributes(token, view), class: classes, "aria-label": `${token.text} ${value}` }, token.text, " ", tag)];
  });
  return el("p", { class: "sentence tags", dir: "auto" }, parts);
}

function renderTree(sentence, annotation, marks) {
  if (sentence.tokens.length > MOST_TREE_WORDS) {
    return el("p", { class: "note" }, `A tree of ${sentence.tokens.length} words is too wide to draw.`);
  }
  const tags = ["upos", "xpos", "pos", "tag"].find((name) => annotation.columns.includes(name));
  const words = sentence.tokens.map((token) => ({
    text: token.text, tag: tags && token[tags], head: Number(token[annotation.heads]),
    relation: annotation.relations && token[annotation.relations],
    differs: marks.has(keyArc(sentence, token, annotation)),
  }));
  const name = `Dependency tree of sentence ${sentence.index + 1}`;
  const drawing = drawTree(words, name, (word, index) => ({
    ...stopAttributes(sentence.tokens[index], { name: "tree" }), "aria-label": describeNode(words, word),
  }));
  return el("div", { class: "tree" }, drawing);
}

function describeNode(words, word) {
  const head = word.head ? `of ${words[word.head - 1].text}` : "of the sentence";
  return `${[word.text, word.tag].filter(Boolean).join(" ")}, ${word.relation || "dependent"} ${head}`;
}

// -- what two models may differ in: keys of spans, tags and arcs by their places in the whole text --------------------

export function keySpan(sentence, span) {
  return `${place(sentence, span)} ${span.label}`;
}

export function keyTag(sentence, token, name) {
  return `${token.start + sentence.start}:${token.end + sentence.start} ${token[name]}`;
}

export function keyArc(sentence, token, annotation) {
  const head = Number(token[annotation.heads]);
  const above = head ? sentence.tokens[head - 1].start + sentence.start : "root";
  return `${token.start + sentence.start}:${token.end + sentence.start} ${above} ${annotation.relations ? token[annotation.relations] : ""}`;
}

function place(sentence, span) {
  const first = sentence.tokens[span.first], last = sentence.tokens[span.last - 1];
  return `${first.start + sentence.start}:${last.end + sentence.start}`;
}
