// A click on a header sorts by it, another click turns the order; a row under the pointer has its curves stand out.
const body = document.querySelector("tbody");
const value = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
const headers = document.querySelectorAll("thead th");
headers.forEach((header, column) => header.addEventListener("click", () => {
  const first = column ? "descending" : "ascending", second = column ? "ascending" : "descending";
  const wanted = header.getAttribute("aria-sort") === first ? second : first;
  headers.forEach((other) => other.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", wanted);
  const sign = wanted === "ascending" ? 1 : -1;
  const order = (a, b) => column ? value(a, column) - value(b, column) : value(a, 0).localeCompare(value(b, 0));
  body.append(...[...body.rows].sort((a, b) => sign * order(a, b)));
}));
const curves = [...document.querySelectorAll('svg [id^="passes-"], svg [id^="seconds-"]')];
body.querySelectorAll("tr").forEach((row) => {
  const dim = (others) => curves.forEach((curve) => {
    curve.style.opacity = curve.id.split("-").pop() === row.dataset.run ? 1 : others;
  });
  row.addEventListener("mouseenter", () => dim(0.12));
  row.addEventListener("mouseleave", () => dim(1));
});
