// What is known about a token or a span, under the pointer or the focus.
import { el, percent } from "./dom.js";

const box = el("div", { id: "tooltip", role: "tooltip", class: "tooltip", hidden: true });
document.body.append(box);
let owner = null;

/** Show facts beside an element. */
export function showTooltip(node, facts) {
  hideTooltip();
  if (!facts.length) return;
  owner = node;
  box.replaceChildren(...facts);
  box.hidden = false;
  node.setAttribute("aria-describedby", "tooltip");
  const place = node.getBoundingClientRect(), own = box.getBoundingClientRect();
  const left = Math.min(Math.max(8, place.left + place.width / 2 - own.width / 2), innerWidth - own.width - 8);
  const above = node.ownerSVGElement ? -1 : place.top - own.height - 8; // arcs stand above the words of a tree
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${(above < 8 ? place.bottom + 8 : above) + scrollY}px`;
}

export function hideTooltip() {
  box.hidden = true;
  owner?.removeAttribute("aria-describedby");
  owner = null;
}

/** A probability as a bar and a number. */
export function renderProbability(value) {
  return el("span", { class: "probability" },
    el("span", { class: "meter", "aria-hidden": "true", vars: { part: value } }), percent(value));
}

/** Lines of names and values. */
export function renderFacts(title, score, pairs) {
  const lines = pairs.filter(([, value]) => value !== undefined && value !== "" && value !== "_");
  return [
    el("strong", { dir: "auto" }, title),
    score === undefined ? null : renderProbability(score),
    lines.length ? el("dl", {}, lines.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))])) : null,
  ].filter(Boolean);
}
