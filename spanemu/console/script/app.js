// Pages, the way from one to another, and what surrounds them.

const PAGES = [
  { id: "databases", group: "Data", title: "Databases", key: "d", show: showDatabases },
  { id: "schema", title: "Schema", key: "s", show: showSchema, isOfDatabase: true },
  { id: "rule", title: "Rule", show: showRule, under: "schema" },
  { id: "rows", title: "Rows", key: "r", show: showRows, isOfDatabase: true },
  { id: "sql", title: "SQL", key: "q", show: showSql, isOfDatabase: true },
  { id: "requests", group: "Now", title: "Requests", key: "l", show: showRequests },
  { id: "transactions", title: "Transactions", key: "t", show: showTransactions, isOfDatabase: true },
  { id: "sessions", title: "Sessions", key: "e", show: showSessions, isOfDatabase: true },
  { id: "operations", title: "Operations", key: "o", show: showOperations, isOfDatabase: true },
  { id: "heatmap", group: "Keys", title: "Heatmap", key: "h", show: showHeatmap, isOfDatabase: true },
  { id: "splits", title: "Splits", key: "p", show: showSplits, isOfDatabase: true },
  { id: "faults", group: "Test aids", title: "Faults", key: "f", show: showFaults },
  { id: "clock", title: "Clock", key: "c", show: showClock },
  { id: "snapshots", title: "Snapshots", key: "n", show: showSnapshots, isOfDatabase: true },
];

const state = { project: "emulator-project", projects: new Set(), emulator: null, database: "", databases: [], dialects: new Map(), isReadOnly: false };

// What changes something is absent where the console is read-only.
const writes = make => state.isReadOnly ? null : make();

// ------------------------------------------------------------------ addresses

function link(page, query = {}) {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map(each => [name, each])).filter(([, value]) => value);
  const text = new URLSearchParams(pairs).toString();
  return `#${page}${text && `?${text}`}`;
}

function open_(page, query) {
  const to = link(page, query);
  if (location.hash === to) navigate();
  else location.hash = to;
}

// ------------------------------------------------------------------ views

let current = null;

class View {
  constructor(query) {
    this.query = query;
    this.database = state.database;
    this.stop = new AbortController();
    this.signal = this.stop.signal;
    this.isShown = false;
  }

  show(...content) {
    if (!this.signal.aborted) add(clear(document.getElementById("main")), content);
    this.isShown = true;
  }
}

function clear(element) {
  element.replaceChildren();
  return element;
}

async function navigate() {
  const [id, query] = location.hash.slice(1).split("?");
  const page = PAGES.find(each => each.id === id) ?? PAGES[0];
  const view = new View(new URLSearchParams(query));
  const isFirst = current === null, isOther = current?.page !== page;
  current?.view.stop.abort();
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  current = { page, view };
  document.getElementById("title").textContent = page.title;
  document.title = `${page.title} · spanemu`;
  const main = document.getElementById("main");
  if (isOther) add(clear(main), [el("p", { class: "faint" }, "Loading")]);
  try {
    const wanted = view.query.get("database") ?? state.database;
    if (!state.databases.length || !state.databases.includes(wanted)) await catalog(view.signal);
    state.database = view.database = state.databases.includes(wanted) ? wanted : state.databases[0] ?? "";
    surround(page);
    if (!state.isReadOnly) lookAtClock(view);
    if (page.isOfDatabase && view.query.get("database") && view.query.get("database") !== view.database) {
      view.show(empty(`There is no database ${view.query.get("database")}.`, el("p", {}, el("a", { href: "#databases" }, "All databases"))));
    } else if (page.isOfDatabase && !view.database) {
      view.show(empty("No database yet.", el("p", {}, el("a", { href: "#databases" }, "Make the first one"))));
    } else {
      await page.show(view);
    }
  } catch (error) {
    if (!view.signal.aborted) view.show(explained(error), el("div", { class: "tools" }, button("Try again", navigate)));
  }
  if (isOther && !isFirst && !view.signal.aborted && document.activeElement === document.body) main.focus();
}

function explained(error) {
  if (error instanceof ApiError && error.http === 403) return empty("This page needs the control API.", `The emulator does not open it here: ${error.message}`);
  return failure(error);
}

function pauseFor(view, milliseconds) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds);
    view.signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

// Do something again and again until the page is left; errors are shown at `place`, and tried again after a while.
async function repeat(view, milliseconds, action, place) {
  const loading = el("p", { class: "faint" }, "Loading");
  if (!place.hasChildNodes()) place.append(loading);
  while (!view.signal.aborted) {
    let wait = milliseconds;
    try {
      if (!document.hidden) await action().finally(() => loading.remove());
      else wait = 1000;
    } catch (error) {
      if (view.signal.aborted) return;
      place.replaceChildren(explained(error));
      wait = 3000;
    }
    await pauseFor(view, wait);
  }
}

// Draw anew; the control that had the focus keeps it, and what was opened or closed stays so.
function keepFocus(place, draw) {
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  const opened = new Map([...place.querySelectorAll("details[data-key]")].map(each => [each.dataset.key, each.open]));
  draw();
  for (const each of place.querySelectorAll("details[data-key]")) each.open = opened.get(each.dataset.key) ?? each.open;
  if (focused) place.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}

// ------------------------------------------------------------------ around the page

function surround(page) {
  const list = [];
  for (const each of PAGES.filter(({ under }) => !under)) {
    if (each.group) list.push([el("h2", {}, each.group), el("ul")]);
    list.at(-1)[1].append(el("li", {}, el("a", { href: link(each.id, { database: state.database }), "aria-current": (each === page || each.id === page.under) && "page" }, each.title)));
  }
  document.getElementById("menu").replaceChildren(...list.flat());
  offerDatabases();
}

function offerDatabases() {
  const select = document.getElementById("database");
  select.replaceChildren(...options(state.databases.map(name => [name, lastPart(name)]), state.database));
  select.value = state.database;
  select.disabled = !state.databases.length;
}

// The time stands in the header while it stands still.
function showTime(now, isFrozen) {
  const place = document.getElementById("time");
  place.hidden = !isFrozen;
  place.replaceChildren(now.slice(0, 19).replace("T", " "), " ", badge("frozen", "warn"));
}

async function lookAtClock(view) {
  try {
    const { now, frozen } = await control("GET", "clock", undefined, view.signal);
    showTime(now, frozen);
  } catch {
    // Without the control API, or when the page is left, nothing is shown.
  }
}

function help() {
  const keys = (...names) => names.flatMap(name => [el("kbd", {}, name), " "]);
  const lines = [...PAGES.filter(({ key }) => key).map(page => [keys("g", page.key), page.title]), [keys("/"), "Filter or editor"], [keys("Ctrl", "Enter"), "Run"], [keys("?"), "This list"]];
  ask("Keyboard", el("ul", { class: "keyboard" }, lines.map(([pressed, text]) => el("li", {}, el("span", {}, pressed), text))), () => true, { verb: "Close", canCancel: false });
}

let isGoing = false;
function onKey(event) {
  if (event.target.closest("input, select, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const page = isGoing && PAGES.find(each => each.key === event.key);
  isGoing = event.key === "g";
  if (page) open_(page.id, { database: state.database });
  else if (event.key === "?") help();
  else if (event.key === "/") document.querySelector("#filter, #sql, main input")?.focus();
  else return;
  event.preventDefault();
}

// Ask the control API what runs here. It refuses browsers of other machines: the console is read-only for them.
async function greet() {
  try {
    const { version, seed, databases = [] } = await control("GET", "emulator");
    state.emulator = { version, seed };
    state.project = databases[0]?.split("/")[1] ?? state.project;
    state.projects = new Set(databases.map(name => name.split("/")[1]));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    state.isReadOnly = error.http === 403;
  }
  document.getElementById("mode").hidden = !state.isReadOnly;
}

async function start() {
  document.getElementById("database").addEventListener("change", event => open_(current.page.isOfDatabase ? current.page.id : "schema", { database: event.target.value }));
  document.getElementById("open-menu").addEventListener("click", event => {
    const isOpen = document.body.classList.toggle("menu-open");
    event.currentTarget.setAttribute("aria-expanded", String(isOpen));
  });
  document.getElementById("help").addEventListener("click", help);
  document.querySelector(".skip").addEventListener("click", event => {
    event.preventDefault();  // The part of the address behind "#" names the page.
    document.getElementById("main").focus();
  });
  addEventListener("hashchange", () => {
    document.body.classList.remove("menu-open");
    document.getElementById("open-menu").setAttribute("aria-expanded", "false");
    navigate();
  });
  addEventListener("keydown", onKey);
  await greet();
  await navigate();
}

start().catch(error => document.getElementById("main").replaceChildren(failure(error)));
