// A row under the pointer has its curves stand out.
const curves = [...document.querySelectorAll('svg [id^="passes-"], svg [id^="seconds-"]')];
document.querySelectorAll("tr[data-run]").forEach((row) => {
  const dim = (others) => curves.forEach((curve) => {
    curve.style.opacity = curve.id.split("-").pop() === row.dataset.run ? 1 : others;
  });
  row.addEventListener("mouseenter", () => dim(0.12));
  row.addEventListener("mouseleave", () => dim(1));
});
