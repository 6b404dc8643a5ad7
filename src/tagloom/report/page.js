// What every page has: a theme that the reader chooses and the browser remembers, and tables that a click sorts.
const remember = (name, value) => { try { localStorage.setItem(name, value); } catch { /* a file may not be allowed to */ } };
const recall = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

const themeSwitch = document.getElementById("theme");
const setTheme = (theme) => {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  themeSwitch.value = theme;
};
setTheme(recall("tagloom-theme") ?? "auto");
themeSwitch.addEventListener("change", () => { setTheme(themeSwitch.value); remember("tagloom-theme", themeSwitch.value); });

// A click on a header sorts by it, another click turns the order.
const sortValue = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
const compareRows = (column) => (a, b) => {
  const [x, y] = [sortValue(a, column), sortValue(b, column)];
  return x !== "" && y !== "" && !isNaN(x) && !isNaN(y) ? x - y : x.localeCompare(y);
};
document.querySelectorAll("table.sortable").forEach((table) => {
  const headers = table.querySelectorAll("thead th");
  const body = table.tBodies[0];
  headers.forEach((header) => header.querySelector("button")?.addEventListener("click", () => {
    const column = header.cellIndex;
    const [first, second] = column ? ["descending", "ascending"] : ["ascending", "descending"];
    const wanted = header.getAttribute("aria-sort") === first ? second : first;
    headers.forEach((other) => other.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", wanted);
    const sign = wanted === "ascending" ? 1 : -1;
    body.append(...[...body.rows].sort((a, b) => sign * compareRows(column)(a, b)));
  }));
});
