"use strict";
const filter = document.getElementById("filter"), statusFilter = document.getElementById("status"), order = document.getElementById("order");
const files = [...document.querySelectorAll("details.file")], tests = [...document.querySelectorAll("details.test")];
function show() {
  const part = filter.value.toLowerCase(), status = statusFilter.value;
  let count = 0;
  for (const test of tests) {
    const matches = !status || test.dataset.status === status || (status === "findings" && "findings" in test.dataset);
    test.hidden = !(matches && test.id.toLowerCase().includes(part));
    count += !test.hidden;
  }
  for (const file of files) {
    file.hidden = !file.querySelector("details.test:not([hidden])");
    if (part || status) file.open = true;
  }
  document.getElementById("shown").textContent = count < tests.length ? `${count} of ${tests.length}` : "";
}
filter.addEventListener("input", show);
statusFilter.addEventListener("change", show);
// Files stand in the order of their tests: by the time of all of them, by name, or as the page was written.
const seconds = each => each.matches(".test") ? Number(each.dataset.seconds) : [...each.querySelectorAll("details.test")].reduce((sum, test) => sum + seconds(test), 0);
const name = each => each.matches(".test") ? each.id : each.querySelector("details.test").id;
const byOrder = {
  "": (a, b) => places.get(a) - places.get(b),
  seconds: (a, b) => seconds(b) - seconds(a),
  name: (a, b) => name(a).localeCompare(name(b), "en", { numeric: true }),
};
const places = new Map([...files, ...tests].map((each, place) => [each, place]));
order.addEventListener("change", () => {
  const compare = byOrder[order.value];
  document.getElementById("files").append(...files.toSorted(compare));
  for (const file of files) file.append(...[...file.querySelectorAll("details.test")].sort(compare));
});
// A link to a test or a rule opens it, even if the filter hides the test.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || !target.matches("details.test, details.rule")) return;
  if (target.hidden) { filter.value = ""; statusFilter.value = ""; show(); }
  for (let each = target; each; each = each.parentElement.closest("details")) each.open = true;
  target.scrollIntoView();
  target.querySelector("summary").focus();
}
addEventListener("hashchange", reveal);
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) reveal();  // no hashchange event
});
reveal();
