// Sentences of an annotation, and what a model says about them in a form that views and corrections share.
import { Characters } from "./dom.js";

/** Cut an annotation into sentences; places of tokens and spans are counted from the beginning of the sentence. */
export function splitSentences(annotation) {
  const text = new Characters(annotation.text);
  return annotation.sentences.filter(({ first, last }) => first < last)
    .map((place, index) => buildSentence(annotation, text, place, index));
}

function buildSentence(annotation, text, { start, end, first, last }, index) {
  const tokens = annotation.tokens.slice(first, last)
    .map((token, place) => ({ ...token, index: place, start: token.start - start, end: token.end - start }));
  const spans = annotation.spans.filter((span) => span.first >= first && span.first < last)
    .map((span) => ({ ...span, first: span.first - first, last: span.last - first }));
  const own = text.slice(start, end);
  const hidden = (annotation.multiwords ?? []).some((each) => each.first >= first && each.first < last);
  return { index, start, end, text: own, characters: new Characters(own), tokens, spans, hidden };
}

/** The views that an annotation has: layers of spans, columns of tags, the tree. */
export function listViews(annotation, model) {
  const kinds = Object.fromEntries(model.layers.map((layer) => [layer.name, layer]));
  const spans = annotation.layers.map((name) => ({ kind: "spans", name, labels: listLabels(kinds[name]) }));
  const tags = annotation.columns
    .filter((name) => ![annotation.heads, annotation.relations, ...annotation.layers].includes(name))
    .map((name) => ({ kind: "tags", name, labels: listLabels(kinds[name]) }));
  const tree = annotation.heads ? [{ kind: "tree", name: "tree", labels: [] }] : [];
  return [...spans, ...tags, ...tree];
}

function listLabels(layer) {
  return (layer?.labels ?? []).map(({ label }) => label);
}

/** The views that are shown at first: spans and trees; tags if there is neither. */
export function chooseViews(views) {
  const loud = views.filter((view) => view.kind !== "tags");
  return new Set((loud.length ? loud : views.slice(-1)).map((view) => view.name));
}

/** The view that can be corrected: the last layer of spans or, without spans and trees, the last column of tags. */
export function findCorrectable(views) {
  const spans = views.filter((view) => view.kind === "spans");
  if (spans.length) return spans.at(-1);
  return views.some((view) => view.kind === "tree") ? null : views.at(-1) ?? null;
}

/** The spans of a layer, in the order of the text. */
export function selectSpans(sentence, name) {
  return sentence.spans.filter((span) => span.layer === name).sort((a, b) => a.first - b.first);
}
