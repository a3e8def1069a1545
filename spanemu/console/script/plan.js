// The drawing of a query plan: a tree of operators, whose rows flow from the leaves to the root.

const PLAN_QUIET = new Set(["execution_method", "scan_method", "subquery_cluster_node", "scan_target", "scan_type", "Full scan", "call_type", "iterator_type",
  "join_type", "distribution_table", "split_ranges_aligned", "seekable_key_size"]);

function planDrawing(plan) {
  const nodes = new Map((plan.planNodes ?? []).map(node => [node.index ?? 0, node]));
  if (!nodes.size) return empty("The statement has no plan.");
  const root = nodes.get(0), whole = milliseconds(root);
  return el("div", {},
    whole === null ? null : el("p", { class: "lead" }, `${duration(whole / 1000)} in all. Bars show the time of an operator: dark its own, light that of the operators below it.`),
    el("ul", { class: "tree plan", role: "tree", "aria-label": "Query plan" }, planItem(nodes, root, "", whole, 1)));
}

const relational = node => node.kind === "RELATIONAL";
const milliseconds = node => node.executionStats?.latency ? Number(node.executionStats.latency.total) : null;

function planItem(nodes, node, role, whole, level) {
  const links = node.childLinks ?? [], below = [], notes = [];
  for (const link of links) {
    const child = nodes.get(link.childIndex ?? 0);
    if (relational(child)) below.push([child, link.type ?? ""]);
    else if (child.kind === "SCALAR" && link.type) notes.push([link.type, child.shortRepresentation?.description ?? child.displayName]);
    // An operator inside of an expression is a subquery.
    for (const inner of child.kind === "SCALAR" ? subqueries(nodes, child) : []) below.push([inner, "Subquery"]);
  }
  const item = el("li", { role: "treeitem", "aria-level": level, "aria-expanded": below.length ? "true" : null, tabindex: level === 1 ? 0 : -1 }, planCard(node, role, notes, whole, below));
  if (below.length) item.append(el("ul", { role: "group", class: below.length === 1 ? "chain" : null }, below.map(([child, type]) => planItem(nodes, child, type, whole, level + 1))));
  return item;
}

function* subqueries(nodes, scalar) {
  for (const link of scalar.childLinks ?? []) {
    const child = nodes.get(link.childIndex ?? 0);
    if (relational(child)) yield child;
    else yield* subqueries(nodes, child);
  }
}

function planCard(node, role, notes, whole, below) {
  const meta = node.metadata ?? {}, stats = node.executionStats;
  const target = meta.scan_target ?? meta.distribution_table ?? "";
  const full = meta["Full scan"] === "true";
  const rows = stats?.rows ? Number(stats.rows.total) : null, time = milliseconds(node), runs = Number(stats?.execution_summary?.num_executions ?? 1);
  const quiet = Object.entries(meta).filter(([name]) => !PLAN_QUIET.has(name)).map(([name, value]) => `${name}: ${value}`);
  const grouped = new Map();
  for (const [type, text] of notes) grouped.set(type, [...grouped.get(type) ?? [], text]);
  const bar = el("span", { class: "time", "aria-hidden": "true" }, el("i"), el("i"));
  if (time !== null && whole) {
    const own = time - below.reduce((sum, [child]) => sum + (milliseconds(child) ?? 0), 0);
    [time, own].forEach((part, place) => { bar.children[place].style.width = `${Math.max(0, Math.min(100, 100 * part / whole))}%`; });
  }
  return el("div", { class: full ? "card full" : "card" },
    el("div", { class: "card-head" },
      role && el("span", { class: "role" }, role),
      el("b", {}, [meta.call_type === "Local" ? "Local" : "", meta.join_type && meta.join_type !== "INNER" ? meta.join_type.toLowerCase() : "", meta.iterator_type, node.displayName].filter(Boolean).join(" ")),
      target && el("span", { class: "target mono" }, target),
      full && badge("full scan", "warn"),
      stats && el("span", { class: "numbers" }, rows !== null && plural(rows, "row"), runs > 1 && ` · ${plural(runs, "run")}`, time !== null && ` · ${duration(time / 1000)}`)),
    stats && bar,
    grouped.size || quiet.length ? el("div", { class: "card-notes" }, [...grouped].map(([type, texts]) => el("div", {}, el("span", { class: "faint" }, `${type}: `), el("code", {}, texts.join(", ")))),
      quiet.length ? el("div", { class: "faint" }, quiet.join(" · ")) : null) : null);
}

// The arrow keys move through a tree, as its role promises.
document.addEventListener("keydown", event => {
  const item = event.target.closest?.("[role=treeitem]");
  if (!item || event.target !== item) return;
  const tree = item.closest("[role=tree]"), shown = [...tree.querySelectorAll("[role=treeitem]")], place = shown.indexOf(item);
  const to = { ArrowDown: shown[place + 1], ArrowUp: shown[place - 1], Home: shown[0], End: shown.at(-1),
    ArrowRight: item.querySelector("[role=treeitem]"), ArrowLeft: item.parentElement.closest("[role=treeitem]") }[event.key];
  if (!to) return;
  event.preventDefault();
  for (const each of shown) each.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
});
