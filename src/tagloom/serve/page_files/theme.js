// The colour scheme: that of the system, or the one chosen here. Runs before anything is drawn.
(() => {
  const order = ["system", "light", "dark"];
  const root = document.documentElement;
  const read = () => {
    try { return localStorage.getItem("tagloom.theme") ?? "system"; } catch { return "system"; }
  };
  const apply = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) button.textContent = `Theme: ${theme}`;
  };
  const turn = () => {
    const next = order[(order.indexOf(read()) + 1) % order.length];
    try { localStorage.setItem("tagloom.theme", next); } catch { /* the choice lasts as long as the page */ }
    apply(next);
  };
  apply(read());
  document.addEventListener("DOMContentLoaded", () => {
    apply(read());
    document.getElementById("theme").addEventListener("click", turn);
  });
})();
