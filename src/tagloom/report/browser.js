// The list of errors, with filters; and the sentences that one of two models wins. An item is filled when it is opened.
const PAGE = 25;
const by = (id) => document.getElementById(id);

const showWhy = (error) => {
  const box = make("div", { class: "why" });
  const words = data.sentences[error.s].w;
  const isFree = data.tasks[error.t].kind === "tokens";
  for (const [first, last, chosen, rival, margin, features] of error.w) {
    const about = isFree ? `character ${first + 1}` : words.slice(first, last).join(" ");
    const over = rival === null ? "" : ` over ${rival}`;
    const by = margin === null ? "" : `, by ${margin.toFixed(2)}`;
    box.append(make("h4", {}, `${about}: ${chosen}${over}${by}`));
    const largest = Math.max(...features.map(([, weight]) => Math.abs(weight)), 1e-9);
    const rows = features.map(([name, weight]) => make("tr", {},
      make("th", { scope: "row" }, make("code", {}, name)),
      make("td", {}, make("span", { class: "meter", "aria-hidden": "true" }, make("i", {
        style: `width: ${100 * Math.abs(weight) / largest}%; background: rgb(var(--${weight > 0 ? "plus" : "minus"}-rgb))` }))),
      make("td", {}, `${weight > 0 ? "+" : ""}${weight.toFixed(2)}`)));
    if (rows.length) box.append(make("table", {}, make("tbody", {}, ...rows)));
  }
  if (!error.w.length) box.append(make("p", { class: "note" }, "There is no explanation of this error."));
  return box;
};

const SHOWN = 12; // words of context
const showContext = (error) => {
  const { w: words } = data.sentences[error.s];
  const task = data.tasks[error.t];
  const line = make("span", { class: "context", dir: "auto" });
  if (task.kind === "tokens") {
    line.append(make("b", {}, error.g), ` → ${error.p}`, make("span", { class: "from" }, ` in: ${words.slice(0, 2 * SHOWN).join(" ")}`));
    return line;
  }
  const places = [error.ga, error.pa].filter(Boolean), glue = task.joined ? "" : " ";
  const [first, last] = [Math.min(...places.map((p) => p[0])), Math.max(...places.map((p) => p[1]))];
  const from = Math.max(0, first - SHOWN), to = Math.min(words.length, last + SHOWN);
  if (from) line.append("… ");
  line.append(words.slice(from, first).join(glue), glue, make("b", {}, words.slice(first, last).join(glue)), glue, words.slice(last, to).join(glue));
  if (to < words.length) line.append(" …");
  return line;
};

const describePair = (error) => {
  const task = data.tasks[error.t];
  if (task.kind === "tokens") return "";
  return `gold ${error.g ?? "–"} → predicted ${error.p ?? "–"}`;
};

const buildError = (error) => {
  const { l: lineNumber } = data.sentences[error.s];
  const where = lineNumber ? `line ${lineNumber}` : `sentence ${error.s + 1}`;
  const sure = error.c === undefined ? "" : `, confidence ${error.c.toFixed(2)}`;
  const task = data.tasks.length > 1 ? `${data.tasks[error.t].name}, ` : "";
  const summary = make("summary", {}, make("span", { class: "badge" }, error.k), describePair(error), " ",
    make("span", { class: "from" }, `${task}${where}${sure}`), showContext(error));
  const item = make("details", {}, summary);
  item.addEventListener("toggle", () => {
    if (item.childElementCount > 1 || !item.open) return;
    const inside = make("div", { class: "inside" }, showSentence(error.t, error.s, error.pa ?? error.ga));
    if (error.w) inside.append(showWhy(error));
    item.append(inside);
  });
  return make("li", {}, item);
};

// A list that shows some items, and more on request.
const buildList = (list, more, status, describe, build) => {
  let items = [], shown = 0;
  const add = () => {
    const next = items.slice(shown, shown + PAGE);
    list.append(...next.map(build));
    shown += next.length;
    more.hidden = shown >= items.length;
    return next.length;
  };
  more.addEventListener("click", () => { const first = shown; add(); list.children[first]?.querySelector("summary")?.focus(); });
  return (chosen) => { items = chosen; shown = 0; list.replaceChildren(); add(); status.textContent = describe(items); };
};

const textOf = (number) => { const sentence = data.sentences[number]; sentence.lower ??= sentence.w.join(" ").toLowerCase(); return sentence.lower; };
const NONE = "\u0000"; // stands for "nothing" among the values of a filter

const startBrowser = () => {
  const form = by("filters");
  if (!form) return;
  const fields = form.elements, total = data.errors.length;
  const show = buildList(by("error-list"), by("more"), by("found"),
    (items) => `${items.length.toLocaleString("en")} of ${total.toLocaleString("en")} listed errors`, buildError);
  const fill = (name, values) => {
    const select = fields[name], first = select.options[0], old = select.value;
    select.replaceChildren(first, ...[...values.entries()].sort(([, a], [, b]) => b - a).map(([value, count]) =>
      make("option", { value: value ?? NONE }, `${value ?? "–"} (${count})`)));
    select.value = old;
    if (select.selectedIndex < 0) select.value = "";
    select.closest("label").hidden = values.size < 1;
  };
  const count = (key, errors) => { const found = new Map(); errors.forEach((e) => found.set(e[key] ?? null, (found.get(e[key] ?? null) ?? 0) + 1)); return found; };
  const fillAll = () => {
    const mine = data.errors.filter((e) => !fields.task?.value || data.tasks[e.t].name === fields.task.value);
    const typed = mine.filter((e) => !data.tasks[e.t].free);
    fill("kind", count("k", mine)); fill("gold", count("g", typed)); fill("guess", count("p", typed));
  };
  const matches = (error, value, key) => !value || (error[key] ?? NONE) === value;
  const filter = () => {
    const wanted = fields.search.value.trim().toLowerCase();
    const found = data.errors.filter((e) => matches(e, fields.kind.value, "k") && matches(e, fields.gold.value, "g")
      && matches(e, fields.guess.value, "p") && (!fields.task?.value || data.tasks[e.t].name === fields.task.value)
      && (!fields.words?.value || e.u === (fields.words.value === "unknown"))
      && (!fields.rival?.value || e.r === (fields.rival.value === "wrong"))
      && (!wanted || textOf(e.s).includes(wanted)));
    if (fields.order?.value) found.sort((a, b) => (b.c ?? -1) - (a.c ?? -1));
    show(found);
  };
  if (!data.errors.some((e) => e.u !== undefined)) fields.words.closest("label").hidden = true;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => { if (event.target === fields.task) fillAll(); filter(); });
  form.addEventListener("reset", () => setTimeout(() => { fillAll(); filter(); }));
  document.querySelectorAll("button.pick").forEach((button) => button.addEventListener("click", () => {
    form.reset();
    setTimeout(() => {
      const { task, kind, gold, guess } = button.dataset;
      if (fields.task) { fields.task.value = task; fillAll(); }
      const choose = (name, value) => { if (value !== undefined) fields[name].value = value === "" ? NONE : value; };
      choose("kind", kind); choose("gold", gold); choose("guess", guess);
      filter();
      by("errors").scrollIntoView();
      by("error-list").querySelector("summary")?.focus({ preventScroll: true });
    });
  }));
  fillAll(); filter();
};

const buildContest = ([number, task, wrong, rivalWrong]) => {
  const summary = make("summary", {}, make("span", { class: "badge" }, `${wrong} against ${rivalWrong} wrong`),
    make("span", { class: "from" }, data.tasks.length > 1 ? `${data.tasks[task].name} ` : ""), make("span", { class: "context", dir: "auto" },
      data.sentences[number].w.join(data.tasks[task].joined ? "" : " ")));
  const item = make("details", {}, summary);
  item.addEventListener("toggle", () => {
    if (item.childElementCount < 2 && item.open) item.append(make("div", { class: "inside" }, showSentence(task, number)));
  });
  return make("li", {}, item);
};

const startContests = () => {
  const form = by("contest-filters");
  if (!form) return;
  const fields = form.elements;
  const show = buildList(by("contest-list"), by("contest-more"), by("contest-found"),
    (items) => `${items.length.toLocaleString("en")} sentences`, buildContest);
  const filter = () => {
    const wanted = fields.search.value.trim().toLowerCase();
    show(data.contests[fields.side.value].filter(([number]) => !wanted || textOf(number).includes(wanted)));
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  filter();
};

startBrowser();
startContests();

// The link to the section that is being read.
const links = new Map([...document.querySelectorAll(".contents a")].map((link) => [link.hash.slice(1), link]));
const watcher = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => {
  links.forEach((link) => link.removeAttribute("aria-current"));
  links.get(target.id)?.setAttribute("aria-current", "true");
}), { rootMargin: "-20% 0px -70% 0px" });
document.querySelectorAll(".sections > section").forEach((section) => watcher.observe(section));
