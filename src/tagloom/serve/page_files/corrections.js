// Sentences that somebody has corrected or confirmed: kept in this browser, downloaded as training data.
import { count } from "./dom.js";

const KEY = "tagloom.corrections";

/** Corrections by their text and what they correct; the newest is the last. */
export class Corrections {
  constructor(onChange) {
    this.onChange = onChange;
    this.records = new Map(load());
  }

  /** Keep what a sentence should be: its spans or its tags. */
  keep(sentence, view) {
    this.records.delete(keyOf(sentence, view));
    this.records.set(keyOf(sentence, view), buildRecord(sentence, view));
    this.store();
  }

  find(sentence, view) {
    return this.records.get(keyOf(sentence, view)) ?? null;
  }

  forget(sentence, view) {
    this.records.delete(keyOf(sentence, view));
    this.store();
  }

  clear() {
    this.records.clear();
    this.store();
  }

  describe() {
    return `${count(this.records.size, "sentence")} to learn from.`;
  }

  /** The lines of a file that `tagloom train` reads. Records of spans and of tags are different data. */
  toLines() {
    return [...this.records.values()].map((record) => `${JSON.stringify(record)}\n`).join("");
  }

  store() {
    try {
      localStorage.setItem(KEY, JSON.stringify([...this.records]));
    } catch { /* they last as long as the page */ }
    this.onChange();
  }
}

function load() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]");
  } catch {
    return [];
  }
}

function keyOf(sentence, view) {
  return `${view.kind} ${sentence.text}`;
}

/** A record of JSONL: spans are counted in characters, or in tokens where words stand in the text together. */
function buildRecord(sentence, view) {
  const tokens = sentence.tokens.map((token) => token.text);
  const base = sentence.hidden ? { tokens } : { text: sentence.text, tokens };
  if (view.kind === "tags") return { ...base, tags: sentence.tokens.map((token) => token[view.name]) };
  const spans = sentence.spans.filter((span) => span.layer === view.name).sort((a, b) => a.first - b.first)
    .map(({ first, last, label }) => (sentence.hidden ? [first, last, label]
      : [sentence.tokens[first].start, sentence.tokens[last - 1].end, label]));
  return { ...base, spans };
}

/** Put a record that was kept in the place of what the model says. */
export function applyRecord(sentence, view, record) {
  if (view.kind === "tags") {
    sentence.tokens.forEach((token, place) => setTag(token, view.name, record.tags[place]));
    return;
  }
  const starts = new Map(sentence.tokens.map((token, place) => [sentence.hidden ? place : token.start, place]));
  const ends = new Map(sentence.tokens.map((token, place) => [sentence.hidden ? place + 1 : token.end, place + 1]));
  const own = record.spans.filter(([start, end]) => starts.has(start) && ends.has(end))
    .map(([start, end, label]) => buildSpan(sentence, starts.get(start), ends.get(end), label, view));
  const said = new Map(sentence.spans.filter((span) => span.layer === view.name).map((span) => [`${span.first} ${span.last} ${span.label}`, span]));
  sentence.spans = [...sentence.spans.filter((span) => span.layer !== view.name),
    ...own.map((span) => said.get(`${span.first} ${span.last} ${span.label}`) ?? span)];
}

/** Label the tokens from first to last; spans that they overlap with are removed. A label of null removes only. */
export function labelTokens(sentence, view, first, last, label) {
  if (view.kind === "tags") {
    if (label !== null) sentence.tokens.slice(first, last).forEach((token) => setTag(token, view.name, label));
    return;
  }
  const kept = sentence.spans.filter((span) => span.layer !== view.name || span.last <= first || last <= span.first);
  sentence.spans = label === null ? kept : [...kept, buildSpan(sentence, first, last, label, view)];
}

function setTag(token, name, label) {
  if (token[name] === label) return;
  token[name] = label;
  token.corrected = true;
}

function buildSpan(sentence, first, last, label, view) {
  const text = sentence.characters.slice(sentence.tokens[first].start, sentence.tokens[last - 1].end);
  return { first, last, label, text, layer: view.name, corrected: true };
}

/** Let the browser save a file. */
export function saveFile(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/jsonl" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
