// Sentences of gold and of models, as elements of the page. Texts of the data become text, never markup.
const data = JSON.parse(document.getElementById("data").textContent);

const make = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
};

const hueOf = (type) => data.hues[type] ?? 210;
const sameSpan = (a, b) => a[0] === b[0] && a[1] === b[1] && a[2] === b[2];

// Words with marks around spans; those that the other side does not have are wrong.
const showSpans = (task, words, spans, other, place) => {
  const line = make("div", { class: "sentence", dir: "auto" });
  const glue = task.joined ? "" : " ";
  let at = 0;
  const addWords = (from, to, parent) => {
    for (let n = from; n < to; n += 1) {
      const isHere = place && n >= place[0] && n < place[1];
      parent.append(isHere ? make("span", { class: "here" }, words[n]) : words[n]);
      if (n + 1 < to || parent === line) parent.append(glue);
    }
  };
  for (const span of spans) {
    addWords(at, span[0], line);
    const isWrong = other && !other.some((each) => sameSpan(each, span));
    if (task.joined) {
      line.append(make("span", { class: isWrong ? "cut wrong" : "cut" }, words.slice(span[0], span[1]).join("")));
    } else {
      const mark = make("mark", { style: `--hue: ${hueOf(span[2])}`, class: isWrong ? "wrong" : undefined });
      addWords(span[0], span[1], mark);
      mark.append(make("b", {}, span[2]));
      line.append(mark, glue);
    }
    at = span[1];
  }
  addWords(at, words.length, line);
  return line;
};

// Words with tags below them where gold and a model differ.
const showTags = (task, words, sides, place) => {
  const line = make("div", { class: "sentence", dir: "auto" });
  words.forEach((word, n) => {
    const [gold, ...others] = sides.map((side) => side[n]);
    const isWrong = others.some((tag) => tag !== gold);
    const token = make("span", { class: isWrong ? "token wrong" : "token" });
    token.append(make("span", { class: place && n >= place[0] && n < place[1] ? "here" : undefined }, word));
    if (isWrong) {
      token.append(make("small", { class: "good", title: "gold" }, gold ?? "–"));
      others.forEach((tag, model) => token.append(
        make("small", { class: tag === gold ? "good" : "bad", title: data.models[model] }, tag ?? "–")));
    }
    line.append(token, " ");
  });
  return line;
};

// Tokens as boxes, with a mark where a sentence ends; what the other side does not have is wrong.
const showTokens = (tokens, other) => {
  const line = make("div", { class: "sentence", dir: "auto" });
  const known = new Set(other.map(([start, text]) => `${start} ${text}`));
  const ends = new Set(other.filter(([, , isEnd]) => isEnd).map(([start, text]) => start + text.length));
  for (const [start, text, isEnd] of tokens) {
    line.append(make("span", { class: known.has(`${start} ${text}`) ? "cut" : "cut wrong" }, text));
    if (isEnd) line.append(make("span", { class: ends.has(start + text.length) ? "stop" : "stop wrong", title: "end of a sentence" }, "¶"));
  }
  return line;
};

// All sides of a sentence for one task: gold, the model, and the model that it is compared with.
const showSentence = (taskNumber, number, place) => {
  const task = data.tasks[taskNumber];
  const sentence = data.sentences[number];
  const shown = sentence[taskNumber];
  if (task.kind === "tags") {
    return showTags(task, sentence.w, [shown.g, shown.p, ...(shown.q ? [shown.q] : [])], place);
  }
  if (task.kind === "trees") return showTrees(sentence, shown, place);
  const grid = make("div", { class: "sides" });
  const names = data.models.length > 1 ? data.models : ["predicted"];
  const rows = [["gold", shown.g, shown.p], [names[0], shown.p, shown.g]];
  if (shown.q) rows.push([names[1], shown.q, shown.g]);
  for (const [name, own, other] of rows) {
    grid.append(make("span", { class: "side" }, name));
    grid.append(task.kind === "tokens" ? showTokens(own, other) : showSpans(task, sentence.w, own, other, place));
  }
  return grid;
};
