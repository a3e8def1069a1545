// The requests that clients make, as they end.

const REQUESTS_MAX = 500;
const SHOWN_MAX = 200;
const WAIT_SECONDS = 5;

async function showRequests(view) {
  const filter = el("input", { type: "search", placeholder: "method, SQL, tag or status", "aria-label": "Filter", value: view.query.get("filter") ?? "", oninput: draw, id: "filter" });
  const scope = choose([["", "all databases"], [view.database, lastPart(view.database) || "no database"]], "", () => { rows = []; last = 0; draw(); });
  const own = el("input", { type: "checkbox", onchange: draw });
  const pause = button("Pause", () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? "Continue" : "Pause";
    pause.setAttribute("aria-pressed", String(isPaused));
  }, "", { "aria-pressed": "false" });
  const count = el("output"), list = el("div");
  let rows = [], last = 0, isPaused = false;

  function matches(each) {
    const part = filter.value.toLowerCase();
    if (!own.checked && isOwn(each)) return false;
    return !part || [each.method, each.sql, each.requestTag, each.transactionTag, each.status].some(text => (text ?? "").toLowerCase().includes(part));
  }
  function draw() {
    const shown = rows.filter(matches);
    count.textContent = rows.length ? `${shown.length} of ${plural(rows.length, "request")}` : "";
    if (!shown.length) {
      list.replaceChildren(rows.some(each => own.checked || !isOwn(each)) ? empty("No request matches.") : empty("No requests yet.", "They appear here as clients make them."));
      return;
    }
    list.replaceChildren(table([["Time", "w"], ["Method", "w"], "Statement", ["Rows", "n"], ["Time taken", "n"], ["Status", "w"]], shown.slice(0, SHOWN_MAX).map(requestRow)),
      shown.length > SHOWN_MAX ? el("p", { class: "faint" }, `and ${shown.length - SHOWN_MAX} earlier`) : "");
  }
  view.show(el("div", { class: "tools" }, filter, labelled("Of", scope), el("label", {}, own, "of the console, too"), pause, button("Clear", () => { rows = []; draw(); }), count), list);
  draw();
  await repeat(view, 0, async () => {
    if (isPaused) return pauseFor(view, 500);
    const page = await control("GET", `requests?${new URLSearchParams({ after: last, limit: REQUESTS_MAX, waitSeconds: WAIT_SECONDS, database: scope.value })}`, undefined, view.signal);
    last = page.last;
    if (!page.requests.length) return undefined;
    rows = [...page.requests.reverse(), ...rows].slice(0, REQUESTS_MAX);
    return draw();
  }, list);
}

// What the console asks for itself, to show its pages.
const OWN_METHODS = /^(List.*|GetDatabaseDdl|CreateSession|DeleteSession|StreamingRead)$/;
const isOwn = each => each.transport === "rest" && (each.requestTag === OWN_TAG || OWN_METHODS.test(each.method));

// A statement, as a link that opens it in the editor unless it was shortened or is none.
function statementLink(each) {
  const isWhole = /Sql|Dml/.test(each.method) && !/(\.\.\.|…)$/.test(each.sql);
  return el("code", {}, isWhole ? el("a", { href: link("sql", { database: each.database, sql: each.sql }) }, each.sql) : each.sql);
}

function requestRow(each) {
  const tags = [each.transactionTag, each.requestTag].filter(Boolean);
  return [
    el("span", { class: "mono" }, each.at.slice(11, 23)),
    [el("b", {}, each.method), el("div", { class: "faint small" }, [lastPart(each.database), each.transport].filter(Boolean).join(" · "))],
    [each.sql && statementLink(each), tags.length ? el("div", {}, tags.map(tag => [badge(tag, "accent"), " "])) : null, each.error && el("div", { class: "bad" }, each.error)],
    each.rows || each.mutations ? String(each.rows || each.mutations) : "",
    [duration(each.seconds), each.lockWaitSeconds > 0.0005 && el("div", { class: "wait small" }, `${duration(each.lockWaitSeconds)} for locks`)],
    badge(each.status, each.status === "OK" ? "good" : each.status === "ABORTED" ? "warn" : "bad"),
  ];
}
