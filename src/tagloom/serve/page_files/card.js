// The card of one result: sentences in their views, with everything that can be done with tokens and spans.
import { renderAlternatives } from "./alternatives.js";
import { ask } from "./api.js";
import { applyRecord, labelTokens } from "./corrections.js";
import { chooseHue, count, el } from "./dom.js";
import { openPicker } from "./picker.js";
import { selectSpans } from "./sentence.js";
import { hideTooltip, renderFacts, showTooltip } from "./tooltip.js";
import { renderView } from "./view.js";
import { renderWhy } from "./why.js";

const ALTERNATIVES = 5, FEATURES = 12;

export class Card {
  /** `tell` shows messages and errors, `changed` is called after a correction. */
  constructor(result, corrections, { tell, changed }) {
    Object.assign(this, { result, corrections, tell, changed });
    this.marks = new Set();
    this.selection = null; // { sentence, first, last, anchor }
    this.body = el("div", { class: "tagloom body" });
    this.node = el("article", { class: "card result", "aria-label": `Result of ${result.model.name}` }, this.buildHeader(), this.body);
    for (const sentence of result.sentences) this.applyCorrection(sentence);
    this.listen();
    this.render();
  }

  // -- drawing ---------------------------------------------------------------------------------------------------------

  buildHeader() {
    const { model, annotation, milliseconds, views } = this.result;
    const facts = [count(annotation.tokens.length, "token"), count(annotation.sentences.length, "sentence"),
      ...(annotation.layers.length ? [count(annotation.spans.length, "span")] : []), `${milliseconds.toFixed(0)} ms`];
    const chips = views.length > 1 ? el("div", { class: "chips", role: "group", "aria-label": "What is shown" },
      views.map((view) => this.buildChip(view))) : null;
    return el("header", {}, el("h2", {}, model.name), el("span", { class: "kind" }, model.noun),
      el("p", { class: "note" }, facts.join(" · ")), el("div", { class: "grow" }), chips);
  }

  buildChip(view) {
    const chip = el("button", { type: "button", class: "chip", "aria-pressed": String(this.result.shown.has(view.name)) }, view.name);
    chip.addEventListener("click", () => {
      const { shown } = this.result;
      if (!shown.delete(view.name)) shown.add(view.name);
      chip.setAttribute("aria-pressed", String(shown.has(view.name)));
      this.render();
    });
    return chip;
  }

  /** Draw everything anew. */
  render() {
    hideTooltip();
    const { sentences } = this.result;
    this.blocks = sentences.map((sentence) => this.buildBlock(sentence));
    const empty = el("p", { class: "note" }, "There are no tokens in this text.");
    this.body.replaceChildren(...(this.blocks.length ? this.blocks : [empty]), ...this.buildLegend());
    this.setFirstStop();
  }

  redraw(sentence) {
    const block = this.buildBlock(sentence);
    this.blocks[sentence.index].replaceWith(block);
    this.blocks[sentence.index] = block;
    this.body.querySelector(".legend")?.remove();
    this.body.append(...this.buildLegend());
    this.setFirstStop();
  }

  setFirstStop() {
    const first = this.body.querySelector(".stop");
    if (first && !this.body.querySelector(".stop[tabindex]")) first.setAttribute("tabindex", "0");
  }

  buildBlock(sentence) {
    const { views, shown, annotation } = this.result;
    const parts = views.filter((view) => shown.has(view.name)).map((view) => renderView(sentence, view, annotation, this.marks));
    const tools = el("div", { class: "tools" }, this.buildTools(sentence));
    return el("div", { class: "block", "data-sentence": sentence.index, role: "group", "aria-label": `Sentence ${sentence.index + 1}` },
      el("div", { class: "row" }, el("div", { class: "views" }, parts), tools), el("div", { class: "panel", hidden: true }));
  }

  buildTools(sentence) {
    const { model, correctable } = this.result;
    const number = `sentence ${sentence.index + 1}`;
    const kept = correctable && this.corrections.find(sentence, correctable);
    const button = (text, label, onclick) => el("button", { type: "button", class: "quiet small", "aria-label": `${label}, ${number}`, onclick }, text);
    return [
      kept && el("span", { class: "kept" }, "✓ kept"),
      model.capabilities.nbest && button("Alternatives", "Show alternatives", () => this.showAlternatives(sentence)),
      correctable && (kept ? button("Undo", "Undo the correction", () => this.undo(sentence))
        : button("Accept", "Accept as training data", () => this.accept(sentence))),
    ].filter(Boolean);
  }

  /** The labels that occur, with their numbers. */
  buildLegend() {
    const { views, shown, sentences } = this.result;
    const numbers = new Map();
    for (const view of views.filter((each) => each.kind === "spans" && shown.has(each.name))) {
      for (const sentence of sentences) for (const { label } of selectSpans(sentence, view.name)) numbers.set(label, (numbers.get(label) ?? 0) + 1);
    }
    if (!numbers.size) return [];
    const items = [...numbers].sort((a, b) => b[1] - a[1]).map(([label, number]) => el("li", {},
      el("span", { class: "badge", vars: { hue: chooseHue(label) } }, label), ` ${number}`));
    return [el("ul", { class: "legend", "aria-label": "Labels" }, items)];
  }

  // -- events ----------------------------------------------------------------------------------------------------------

  listen() {
    const { body } = this;
    body.addEventListener("click", (event) => this.onClick(event));
    body.addEventListener("keydown", (event) => this.onKey(event));
    body.addEventListener("pointerdown", () => this.dropStops());
    document.addEventListener("pointerup", () => setTimeout(() => this.setFirstStop()));
    body.addEventListener("pointerup", () => setTimeout(() => this.onSelect()));
    body.addEventListener("pointerover", (event) => this.onHover(event.target.closest?.(".stop")));
    body.addEventListener("pointerleave", () => this.onHover(null));
    body.addEventListener("focusin", (event) => this.onFocus(event.target.closest?.(".stop")));
    body.addEventListener("focusout", hideTooltip);
  }

  /** The sentence and the tokens of a stop. */
  locate(stop) {
    const sentence = this.result.sentences[stop.closest(".block").dataset.sentence];
    if (stop.dataset.index !== undefined) return { sentence, first: Number(stop.dataset.index), last: Number(stop.dataset.index) + 1 };
    return { sentence, first: Number(stop.dataset.first), last: Number(stop.dataset.last) };
  }

  onClick(event) {
    const stop = event.target.closest(".stop");
    if (!stop || (getSelection().toString().trim() && !getSelection().isCollapsed)) return;
    this.focus(stop);
    this.act(stop);
  }

  /** What a click or Enter does: a label can be changed, a token is explained. */
  act(stop) {
    const place = this.locate(stop);
    if (stop.classList.contains("tag")) this.edit(stop, place);
    else this.explain(stop, place);
  }

  onKey(event) {
    const stop = event.target.closest(".stop");
    if (!stop || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key in steps) {
      event.preventDefault();
      const isTurned = /Left|Right/.test(event.key) && getComputedStyle(stop).direction === "rtl";
      const step = isTurned ? -steps[event.key] : steps[event.key];
      if (event.shiftKey) this.extend(stop, step);
      else this.move(stop, step);
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      const stops = [...stop.closest(".block").querySelectorAll(".stop")];
      this.focus(event.key === "Home" ? stops[0] : stops.at(-1));
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.selection) this.labelSelection(stop);
      else this.act(stop);
    } else if (event.key === "l" && this.result.correctable) {
      event.preventDefault();
      if (!this.selection) this.select(this.locate(stop));
      this.labelSelection(stop);
    } else if (event.key === "Escape") {
      this.select(null);
      hideTooltip();
    }
  }

  move(stop, step) {
    const stops = [...this.body.querySelectorAll(".stop")];
    const next = stops[stops.indexOf(stop) + step];
    this.select(null);
    if (next) this.focus(next);
  }

  focus(stop) {
    this.dropStops();
    stop.setAttribute("tabindex", "0");
    stop.focus();
  }

  /** Let no token take the focus: text that begins in an element that could take it cannot be selected. */
  dropStops() {
    this.body.querySelectorAll(".stop[tabindex]").forEach((other) => other.removeAttribute("tabindex"));
  }

  /** Move the focus to the same token or span after something was drawn anew. */
  focusPlace({ sentence, first }) {
    const block = this.blocks[sentence.index];
    const stop = block.querySelector(`.stop[data-first="${first}"]`) ?? block.querySelector(`.stop[data-index="${first}"]`);
    if (stop) this.focus(stop);
  }

  onFocus(stop) {
    if (stop) this.describe(stop);
  }

  onHover(stop) {
    this.body.querySelectorAll(".arc.near").forEach((arc) => arc.classList.remove("near"));
    if (!stop) {
      hideTooltip();
      return;
    }
    this.describe(stop);
    if (stop.dataset.view === "tree") {
      const { index } = stop.dataset;
      stop.ownerSVGElement.querySelectorAll(`[data-head="${index}"], [data-dependent="${index}"]`).forEach((arc) => arc.classList.add("near"));
    }
  }

  describe(stop) {
    const { sentence, first, last } = this.locate(stop);
    if (stop.classList.contains("tag")) {
      const span = sentence.spans.find((each) => each.first === first && each.last === last && each.layer === stop.dataset.layer);
      showTooltip(stop, renderFacts(span.text, span.score, [["label", span.label], ["layer", span.layer], ["", span.corrected ? "corrected here" : ""]]));
      return;
    }
    const token = sentence.tokens[first];
    const pairs = this.result.annotation.columns.map((name) => [name, this.writeValue(sentence, token, name)]);
    showTooltip(stop, renderFacts(token.text, token.corrected ? undefined : token.score, pairs));
  }

  writeValue(sentence, token, name) {
    if (name !== this.result.annotation.heads) return token[name];
    const head = Number(token[name]);
    return head ? sentence.tokens[head - 1].text : "root";
  }

  // -- why and what else -----------------------------------------------------------------------------------------------

  showPanel(sentence, content, back) {
    this.body.querySelectorAll(".explained").forEach((other) => other.classList.remove("explained"));
    this.body.querySelectorAll(".panel").forEach((other) => { other.hidden = true; other.replaceChildren(); });
    const panel = this.blocks[sentence.index].querySelector(".panel");
    panel.replaceChildren(content);
    panel.hidden = false;
    panel.onkeydown = (event) => { if (event.key === "Escape") this.hidePanel(panel, back); };
    panel.querySelector("h3")?.focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest", behavior: "smooth" });
    return panel;
  }

  hidePanel(panel, back) {
    panel.hidden = true;
    panel.replaceChildren();
    this.body.querySelectorAll(".explained").forEach((other) => other.classList.remove("explained"));
    back?.focus();
  }

  async explain(stop, { sentence, first }) {
    const { model } = this.result, token = sentence.tokens[first];
    if (!model.capabilities.explain) {
      this.tell(`${model.name} does not explain its decisions.`);
      return;
    }
    hideTooltip();
    try {
      sentence.explained ??= ask("explain", { model: model.name, text: sentence.text, top: FEATURES });
      const { results: [found] } = await sentence.explained;
      const close = () => this.hidePanel(panel, stop);
      const panel = this.showPanel(sentence, renderWhy(token.text, found.layers, token.start, token.end, close), stop);
      stop.classList.add("explained");
    } catch (error) {
      sentence.explained = null;
      this.tell(error.message, true);
    }
  }

  async showAlternatives(sentence) {
    const { model, correctable } = this.result, back = document.activeElement;
    try {
      sentence.ranked ??= ask("nbest", { model: model.name, text: sentence.text, n: ALTERNATIVES });
      const { results: [found] } = await sentence.ranked;
      const ranked = { ...found.sentences[0], text: found.text };
      const use = correctable ? (candidate) => this.useCandidate(sentence, candidate) : null;
      const close = () => this.hidePanel(panel, back);
      const panel = this.showPanel(sentence, renderAlternatives(ranked, use, close), back);
    } catch (error) {
      sentence.ranked = null;
      this.tell(error.message, true);
    }
  }

  useCandidate(sentence, candidate) {
    const { correctable } = this.result;
    const spans = candidate.spans.map(({ start, end, label }) => [start, end, label]);
    applyRecord(sentence, correctable, sentence.hidden ? { spans: [], tags: candidate.labels } : { spans, tags: candidate.labels });
    this.keep(sentence, "The alternative was taken as a correction.");
  }

  // -- corrections -----------------------------------------------------------------------------------------------------

  applyCorrection(sentence) {
    const { correctable } = this.result;
    const record = correctable && this.corrections.find(sentence, correctable);
    if (record) applyRecord(sentence, correctable, record);
  }

  /** Tokens that the pointer has selected. */
  onSelect() {
    const selected = getSelection();
    const { correctable } = this.result;
    if (!correctable || selected.isCollapsed || !selected.rangeCount || !selected.toString().trim()) return;
    const range = selected.getRangeAt(0);
    const stops = [...this.body.querySelectorAll(".stop.token")]
      .filter((stop) => range.intersectsNode(stop) && touches(range, stop) && stop.dataset.view === correctable.name);
    if (!stops.length) return;
    const block = stops[0].closest(".block");
    const indices = stops.filter((stop) => stop.closest(".block") === block).map((stop) => Number(stop.dataset.index));
    const sentence = this.result.sentences[block.dataset.sentence];
    this.select({ sentence, first: Math.min(...indices), last: Math.max(...indices) + 1 });
    const anchor = range.getBoundingClientRect();
    selected.removeAllRanges();
    this.labelSelection(stops.at(-1), anchor);
  }

  /** Select tokens, or nothing. */
  select(selection) {
    this.selection = selection;
    this.body.querySelectorAll(".selected").forEach((stop) => stop.classList.remove("selected"));
    if (!selection) return;
    for (let index = selection.first; index < selection.last; index += 1) this.findTokens(selection.sentence, index).forEach((stop) => stop.classList.add("selected"));
  }

  findTokens(sentence, index) {
    return [...this.blocks[sentence.index].querySelectorAll(`.stop.token[data-index="${index}"]`)]
      .filter((stop) => stop.dataset.view === this.result.correctable?.name);
  }

  /** Shift and an arrow: select one token more or less. */
  extend(stop, step) {
    if (!this.result.correctable || stop.dataset.index === undefined) return;
    const { sentence, first } = this.locate(stop);
    const anchor = this.selection?.anchor ?? first;
    const next = Math.min(Math.max(first + step, 0), sentence.tokens.length - 1);
    const [target] = this.findTokens(sentence, next);
    if (!target) return;
    this.focus(target);
    this.select({ sentence, first: Math.min(anchor, next), last: Math.max(anchor, next) + 1, anchor });
    hideTooltip();
    const words = sentence.tokens.slice(this.selection.first, this.selection.last).map((token) => token.text).join(" ");
    this.tell(`${words} selected; Enter labels it.`);
  }

  labelSelection(stop, anchor = stop.getBoundingClientRect()) {
    this.edit(stop, this.selection, anchor);
  }

  /** Ask for the label of some tokens, or for another one. */
  edit(stop, { sentence, first, last }, anchor = stop.getBoundingClientRect()) {
    const { correctable } = this.result;
    if (!correctable || (stop.dataset.layer && stop.dataset.layer !== correctable.name)) return;
    hideTooltip();
    const spans = selectSpans(sentence, correctable.name);
    const touched = spans.filter((span) => span.first < last && first < span.last);
    const same = touched.find((span) => span.first === first && span.last === last);
    const words = sentence.characters.slice(sentence.tokens[first].start, sentence.tokens[last - 1].end);
    openPicker({
      anchor, back: stop, title: `Label for “${shorten(words)}”`, labels: correctable.labels,
      current: correctable.kind === "tags" ? sentence.tokens[first][correctable.name] : same?.label,
      canRemove: touched.length > 0, onClose: () => this.select(null),
      choose: (label) => this.relabel(sentence, first, last, label),
    });
  }

  relabel(sentence, first, last, label) {
    labelTokens(sentence, this.result.correctable, first, last, label);
    this.keep(sentence, label === null ? "The span was removed." : `Labelled as ${label}.`);
    this.focusPlace({ sentence, first });
  }

  accept(sentence) {
    this.keep(sentence, "The sentence was accepted as training data.");
    this.blocks[sentence.index].querySelector(".tools button:last-child")?.focus();
  }

  keep(sentence, message) {
    this.corrections.keep(sentence, this.result.correctable);
    this.redraw(sentence);
    this.tell(message);
    this.changed();
  }

  undo(sentence) {
    this.corrections.forget(sentence, this.result.correctable);
    Object.assign(sentence, structuredClone(sentence.original));
    this.redraw(sentence);
    this.tell("The correction was undone.");
    this.changed();
    this.blocks[sentence.index].querySelector(".tools button:last-child")?.focus();
  }
}

/** Whether a range covers characters of a token, not only its border. */
function touches(range, stop) {
  const own = document.createRange();
  own.selectNodeContents(stop);
  const starts = range.compareBoundaryPoints(Range.END_TO_START, own) < 0; // the range begins before the token ends
  const ends = range.compareBoundaryPoints(Range.START_TO_END, own) > 0; // the range ends after the token begins
  return starts && ends;
}

function shorten(text) {
  return text.length > 40 ? `${text.slice(0, 38)}…` : text;
}
