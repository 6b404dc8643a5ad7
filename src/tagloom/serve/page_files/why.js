// Why a model decided as it did: the decisions about a token, with the features that spoke for and against them.
import { chooseHue, el } from "./dom.js";

const MOST_DECISIONS = 12;

/** Build the panel for the decisions that concern the characters from start to end. */
export function renderWhy(word, layers, start, end, close) {
  const concerned = layers.map(({ layer, decisions }) => ({
    layer, decisions: decisions.filter((each) => each.start < end && start < each.end),
  })).filter(({ decisions }) => decisions.length);
  const title = el("h3", { tabindex: "-1" }, "Why “", el("bdi", {}, word), "”?");
  const button = el("button", { type: "button", class: "quiet", onclick: close }, "Close");
  const parts = concerned.flatMap(({ layer, decisions }) => [
    concerned.length > 1 && el("h4", {}, layer),
    ...decisions.slice(0, MOST_DECISIONS).map(renderDecision),
  ]);
  const body = parts.length ? parts : [el("p", { class: "note" }, "The model made no decision about this token.")];
  return el("section", { class: "why", "aria-label": `Why ${word}` }, el("header", {}, title, button), body);
}

function renderDecision(decision) {
  const { choice, rival, margin, note, features } = decision;
  const line = el("p", { class: "verdict" }, badge(choice),
    rival === null ? " without a rival" : [" over ", badge(rival), ` by ${format(margin)}`],
    note ? el("span", { class: "note" }, ` (${note})`) : null);
  return el("div", { class: "decision" }, line, features.length ? renderFeatures(features, choice, rival) : null);
}

function badge(label) {
  return el("span", { class: "badge", vars: { hue: chooseHue(label.replace(/^[A-Z]-/, "")) } }, label);
}

/** A table with bars: to the right what spoke for the choice, to the left what spoke against it. */
function renderFeatures(features, choice, rival) {
  const most = Math.max(...features.map(({ weight }) => Math.abs(weight)));
  const rows = features.map(({ name, weight }) => el("tr", { class: weight > 0 ? "for" : "against" },
    el("th", { scope: "row" }, el("code", { dir: "auto" }, name)),
    el("td", { class: "bar", "aria-hidden": "true" }, el("span", { vars: { part: Math.abs(weight) / most } })),
    el("td", { class: "number" }, (weight > 0 ? "+" : "−") + format(Math.abs(weight)))));
  const caption = `Features for ${choice} (+)${rival === null ? "" : ` and for ${rival} (−)`}`;
  return el("table", { class: "features" }, el("caption", {}, caption), el("tbody", {}, rows));
}

function format(value) {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
