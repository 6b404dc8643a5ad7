// The best labellings of a sentence, and what each would change.
import { Characters, chooseHue, el } from "./dom.js";
import { renderProbability } from "./tooltip.js";

/** Build the list of candidates of a sentence; `use` takes one of them as a correction, if that is possible. */
export function renderAlternatives(ranked, use, close) {
  const best = ranked.candidates[0];
  const items = ranked.candidates.map((candidate, rank) => el("li", {},
    el("div", { class: "rank" }, candidate.probability === null ? el("span", { class: "note" }, candidate.score.toFixed(2))
      : renderProbability(candidate.probability)),
    el("div", { class: "sentence", dir: "auto" }, renderCandidate(ranked, candidate, best)),
    use && el("button", { type: "button", class: "quiet", "aria-label": `Use alternative ${rank + 1} as a correction`, onclick: () => use(candidate) }, "Use")));
  const note = best && best.probability === null ? "Scores of the model; higher is better." : "Probabilities of whole sentences.";
  return el("section", { class: "alternatives", "aria-label": "Alternatives" },
    el("header", {}, el("h3", { tabindex: "-1" }, "Alternatives"), el("button", { type: "button", class: "quiet", onclick: close }, "Close")),
    el("p", { class: "note" }, note), el("ol", {}, items));
}

function renderCandidate(ranked, candidate, best) {
  return candidate.spans.length || best.spans.length ? renderSpans(ranked, candidate, best) : renderLabels(ranked, candidate, best);
}

function renderSpans(ranked, candidate, best) {
  const text = new Characters(ranked.text);
  const known = new Set(best.spans.map((span) => `${span.start} ${span.end} ${span.label}`));
  const parts = [];
  let at = ranked.start;
  for (const { start, end, label } of candidate.spans) {
    const isNew = candidate !== best && !known.has(`${start} ${end} ${label}`);
    parts.push(text.slice(at, start), el("mark", { class: isNew ? "differs" : null, vars: { hue: chooseHue(label) } },
      text.slice(start, end), el("b", {}, label)));
    at = end;
  }
  return [...parts, text.slice(at, ranked.end)];
}

/** Tags: all of them for the best labelling, only the words that differ for the others. */
function renderLabels(ranked, candidate, best) {
  return ranked.tokens.flatMap((token, place) => {
    const label = candidate.labels[place], isNew = candidate !== best && label !== best.labels[place];
    return [" ", el("span", { class: isNew ? "word differs" : "word" }, token.text, el("small", {}, label))];
  });
}
