// A small dialog that asks for a label.
import { chooseHue, el } from "./dom.js";

let open = null;

/** Close the dialog, and give the focus back. */
export function closePicker(focus = true) {
  if (!open) return;
  const { box, back, onClose } = open;
  open = null;
  box.remove();
  document.removeEventListener("pointerdown", onOutside, true);
  onClose?.();
  if (focus && back?.isConnected) back.focus();
}

function onOutside(event) {
  if (open && !open.box.contains(event.target)) closePicker(false);
}

/** Ask for a label beside an element; `choose` gets the label, or null to remove the span. */
export function openPicker({ anchor, back, title, labels, current, canRemove, choose, onClose }) {
  closePicker(false);
  const pick = (label) => {
    closePicker();
    choose(label);
  };
  const box = buildBox(title, labels, current, canRemove, pick);
  open = { box, back, onClose };
  document.body.append(box);
  movePicker(box, anchor);
  document.addEventListener("pointerdown", onOutside, true);
  (box.querySelector("[aria-pressed=true]") ?? box.querySelector("button, input")).focus();
}

function buildBox(title, labels, current, canRemove, pick) {
  const field = el("input", { id: "new-label", type: "text", autocomplete: "off", maxlength: "60", placeholder: "Other label" });
  const submit = (event) => {
    event.preventDefault();
    const label = field.value.trim().replace(/\s+/g, "_");
    if (label) pick(label);
  };
  const buttons = labels.map((label, number) => el("button", {
    type: "button", class: "badge", vars: { hue: chooseHue(label) }, "aria-pressed": String(label === current),
    "aria-keyshortcuts": number < 9 ? String(number + 1) : null, onclick: () => pick(label),
  }, number < 9 && el("kbd", { "aria-hidden": "true" }, String(number + 1)), label));
  const form = el("form", { onsubmit: submit }, el("label", { class: "hidden", for: "new-label" }, "Other label"), field,
    el("button", { type: "submit", class: "quiet" }, "Use"));
  const remove = canRemove && el("button", { type: "button", class: "quiet danger", onclick: () => pick(null) }, "Remove span");
  return el("div", { class: "picker", role: "dialog", "aria-label": title, onkeydown: (event) => onKey(event, labels, pick) },
    el("p", { class: "caption", dir: "auto" }, title), el("div", { class: "labels" }, buttons), form, remove);
}

function onKey(event, labels, pick) {
  if (event.key === "Escape") {
    event.stopPropagation();
    closePicker();
  } else if (/^[1-9]$/.test(event.key) && event.target.tagName !== "INPUT" && labels[event.key - 1]) {
    event.preventDefault();
    pick(labels[event.key - 1]);
  }
}

function movePicker(box, anchor) {
  const own = box.getBoundingClientRect();
  const left = Math.min(Math.max(8, anchor.left), innerWidth - own.width - 8);
  const below = anchor.bottom + 6;
  const top = below + own.height > innerHeight && anchor.top > own.height + 12 ? anchor.top - own.height - 6 : below;
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${top + scrollY}px`;
}
