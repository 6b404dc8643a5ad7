// Two models beside each other: what they agree on, and what only one of them says.
import { chooseHue, count, el } from "./dom.js";
import { selectSpans } from "./sentence.js";
import { keyArc, keySpan, keyTag } from "./view.js";

const NOUNS = { spans: "span", tags: "tag", tree: "arc" };
const MOST_ROWS = 50;

/** List what a result says, by keys that are the same if both models say the same. */
function listFacts(result, view) {
  const facts = new Map();
  for (const sentence of result.sentences) {
    if (view.kind === "spans") {
      for (const span of selectSpans(sentence, view.name)) {
        facts.set(keySpan(sentence, span), { text: span.text, label: span.label, start: sentence.start + sentence.tokens[span.first].start });
      }
    } else {
      for (const token of sentence.tokens) facts.set(...describeToken(sentence, token, view, result.annotation));
    }
  }
  return facts;
}

function describeToken(sentence, token, view, annotation) {
  const start = sentence.start + token.start;
  if (view.kind === "tags") return [keyTag(sentence, token, view.name), { text: token.text, label: token[view.name], start }];
  const head = Number(token[annotation.heads]);
  const above = head ? sentence.tokens[head - 1].text : "root";
  const relation = annotation.relations ? `${token[annotation.relations]} ` : "";
  return [keyArc(sentence, token, annotation), { text: token.text, label: `${relation}← ${above}`, start, plain: true }];
}

/** Compare two results in the last view that both have. */
export function compareResults(left, right) {
  const pair = ["spans", "tree", "tags"].map((kind) => [left, right].map((each) => each.views.filter((view) => view.kind === kind).at(-1)))
    .find(([a, b]) => a && b);
  if (!pair) return null;
  const [a, b] = [listFacts(left, pair[0]), listFacts(right, pair[1])];
  const onlyLeft = new Map([...a].filter(([key]) => !b.has(key))), onlyRight = new Map([...b].filter(([key]) => !a.has(key)));
  return { kind: pair[0].kind, same: a.size - onlyLeft.size, marks: [new Set(onlyLeft.keys()), new Set(onlyRight.keys())], onlyLeft, onlyRight };
}

/** Show a comparison as one line, and a table of the differences. */
export function renderComparison(found, names) {
  if (!found) return [el("p", { class: "note" }, "These models say different kinds of things, so there is nothing to compare.")];
  const noun = NOUNS[found.kind], differ = found.onlyLeft.size + found.onlyRight.size;
  if (!differ) return [el("p", {}, `Both models agree: ${count(found.same, noun)}.`)];
  const line = el("p", {}, `${count(found.same, noun)} in common, ${found.onlyLeft.size} only by ${names[0]}, ${found.onlyRight.size} only by ${names[1]}.`);
  const rows = groupRows(found);
  const head = el("thead", {}, el("tr", {}, ["Text", ...names].map((name) => el("th", { scope: "col" }, name))));
  const body = el("tbody", {}, rows.slice(0, MOST_ROWS).map(renderRow));
  const rest = rows.length > MOST_ROWS && el("p", { class: "note" }, `… and ${rows.length - MOST_ROWS} more.`);
  return [line, el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table of differences" }, el("table", {}, head, body)), rest].filter(Boolean);
}

/** Put what both say about the same words on one row. */
function groupRows({ onlyLeft, onlyRight }) {
  const rows = new Map();
  for (const [side, facts] of [[0, onlyLeft], [1, onlyRight]]) {
    for (const fact of facts.values()) {
      const key = `${fact.start} ${fact.text}`;
      if (!rows.has(key)) rows.set(key, { start: fact.start, text: fact.text, sides: [null, null] });
      rows.get(key).sides[side] = fact;
    }
  }
  return [...rows.values()].sort((a, b) => a.start - b.start);
}

function renderRow(row) {
  const cells = row.sides.map((fact) => el("td", {}, fact ? renderLabel(fact) : el("span", { class: "note" }, "–")));
  return el("tr", {}, el("th", { scope: "row", dir: "auto" }, row.text), cells);
}

function renderLabel({ label, plain }) {
  return plain ? label : el("span", { class: "badge", vars: { hue: chooseHue(label) } }, label);
}
