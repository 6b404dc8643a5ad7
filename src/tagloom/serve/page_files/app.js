// The page: a text, one or two models, and what they say about it.
import { ask, listModels } from "./api.js";
import { Card } from "./card.js";
import { compareResults, renderComparison } from "./compare.js";
import { Corrections, saveFile } from "./corrections.js";
import { count, el, learnHues } from "./dom.js";
import { chooseViews, findCorrectable, listViews, splitSentences } from "./sentence.js";
import { hideTooltip } from "./tooltip.js";

const EXAMPLES = [
  "Angela Merkel met Tim Cook at the Apple headquarters in Cupertino on Monday. They talked about Europe.",
  "The European Commission said on Thursday it disagreed with German advice to consumers to shun British lamb.",
];
const NOTHING = "";

const find = (id) => document.getElementById(id);
const form = find("form"), text = find("text"), model = find("model"), compare = find("compare"), results = find("results");
const state = { models: [], limits: null, cards: [], running: null };
const corrections = new Corrections(showCorrections);

// -- messages ----------------------------------------------------------------------------------------------------------

function tell(message, isError = false) {
  if (isError) {
    find("alert").replaceChildren(el("div", { class: "alert" }, el("strong", {}, "That did not work. "), message));
    return;
  }
  find("alert").replaceChildren();
  find("status").textContent = message;
}

function showCorrections() {
  find("corrections").hidden = corrections.records.size === 0;
  find("corrections-count").textContent = corrections.describe();
}

/** How long the text is, and whether the server takes as much. */
function showSize() {
  const bytes = new TextEncoder().encode(text.value).length, most = state.limits?.body;
  const isLong = most !== undefined && bytes > most;
  find("size").textContent = isLong ? `${bytes.toLocaleString("en")} of ${most.toLocaleString("en")} bytes` : count(Array.from(text.value).length, "character");
  find("size").classList.toggle("danger", isLong);
}

function setBusy(isBusy) {
  form.setAttribute("aria-busy", String(isBusy));
  results.setAttribute("aria-busy", String(isBusy));
}

// -- results -----------------------------------------------------------------------------------------------------------

/** Annotate the text with a model, as a result that a card shows. */
async function annotate(own, signal) {
  const started = performance.now();
  const answer = await ask("annotate", { model: own.name, text: text.value, confidence: own.capabilities.confidence }, signal);
  const [annotation] = answer.annotations;
  const views = listViews(annotation, own);
  const sentences = splitSentences(annotation);
  for (const sentence of sentences) sentence.original = structuredClone({ tokens: sentence.tokens, spans: sentence.spans });
  return { model: own, annotation, views, shown: chooseViews(views), correctable: findCorrectable(views), sentences, milliseconds: performance.now() - started };
}

async function run() {
  state.running?.abort();
  state.running = null;
  hideTooltip();
  if (!text.value.trim()) {
    showWelcome();
    return;
  }
  const control = new AbortController();
  state.running = control;
  setBusy(true);
  try {
    const chosen = [model.value, compare.value].filter((name, place) => name !== NOTHING && (place === 0 || name !== model.value));
    const found = await Promise.all(chosen.map((name) => annotate(state.models.find((each) => each.name === name), control.signal)));
    showResults(found);
  } catch (error) {
    if (error.name === "AbortError") return;
    results.replaceChildren();
    find("difference").hidden = true;
    tell(error.message, true);
  } finally {
    if (state.running === control) setBusy(false);
  }
}

function showResults(found) {
  state.cards = found.map((result) => new Card(result, corrections, { tell, changed: showDifference }));
  results.className = found.length > 1 ? "pair" : "";
  results.replaceChildren(...state.cards.map((card) => card.node));
  showDifference();
  const parts = found.map(({ model: own, annotation }) => `${own.name}: ${count(annotation.tokens.length, "token")}, ${count(annotation.spans.length, "span")}`);
  tell(`${parts.join("; ")}.`);
}

/** Compare two results, and mark what differs in both cards. */
function showDifference() {
  const section = find("difference"), { cards } = state;
  section.hidden = cards.length < 2;
  if (cards.length < 2) return;
  const found = compareResults(cards[0].result, cards[1].result);
  cards.forEach((card, side) => {
    card.marks = found ? found.marks[side] : new Set();
    card.render();
  });
  find("difference-body").replaceChildren(...renderComparison(found, cards.map((card) => card.result.model.name)));
}

function showWelcome() {
  state.cards = [];
  find("difference").hidden = true;
  find("alert").replaceChildren();
  setBusy(false);
  const examples = EXAMPLES.map((example) => el("li", {}, el("button", { type: "button", class: "example", onclick: () => useExample(example) }, example)));
  results.className = "";
  results.replaceChildren(el("div", { class: "card welcome" }, el("h2", {}, "Nothing to show yet"),
    el("p", {}, "Paste a text above, or begin with one of these:"), el("ul", {}, examples)));
}

function useExample(example) {
  text.value = example;
  showSize();
  run();
}

// -- the form ----------------------------------------------------------------------------------------------------------

function fillModels() {
  const takers = state.models.filter((each) => each.capabilities.text);
  model.replaceChildren(...takers.map((each) => el("option", { value: each.name }, `${each.name} (${each.noun})`)));
  compare.replaceChildren(el("option", { value: NOTHING }, "no other model"), ...takers.map((each) => el("option", { value: each.name }, each.name)));
  find("compare-field").hidden = takers.length < 2;
  if (!takers.length) tell("None of the models takes running text; they read columns. Use POST /v1/annotate with tokens.", true);
}

async function start() {
  showCorrections();
  showWelcome();
  try {
    const answer = await listModels();
    Object.assign(state, { models: answer.models, limits: answer.limits });
    learnHues(answer.models);
    fillModels();
    showSize();
  } catch (error) {
    tell(error.message, true);
  }
  document.documentElement.dataset.ready = "true";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
text.addEventListener("input", showSize);
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
});
model.addEventListener("change", run);
compare.addEventListener("change", run);
find("download").addEventListener("click", () => saveFile("corrections.jsonl", corrections.toLines()));
find("clear").addEventListener("click", () => {
  corrections.clear();
  if (text.value.trim()) run();
});
start();
