"use strict";
const filter = document.getElementById("filter"), statusFilter = document.getElementById("status"), tests = [...document.querySelectorAll("details.test")];
function show() {
  const part = filter.value.toLowerCase(), status = statusFilter.value;
  let count = 0;
  for (const test of tests) {
    const matches = !status || test.dataset.status === status || (status === "findings" && "findings" in test.dataset);
    test.hidden = !(matches && test.id.toLowerCase().includes(part));
    count += !test.hidden;
  }
  document.getElementById("shown").textContent = count < tests.length ? `${count} of ${tests.length}` : "";
}
filter.addEventListener("input", show);
statusFilter.addEventListener("change", show);
// A link to a test opens the test, even if the filter hides it.
function reveal() {
  const test = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!test || !test.matches("details.test")) return;
  if (test.hidden) { filter.value = ""; statusFilter.value = ""; show(); }
  test.open = true;
  test.scrollIntoView();
  test.querySelector("summary").focus();
}
addEventListener("hashchange", reveal);
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (link && link.hash === location.hash) reveal();  // no hashchange event
});
reveal();
