// Where load falls: the heatmap, the findings of the hotspot detector, and the splits.

const SPLITS_SHOWN_MAX = 500;

async function showHeatmap(view) {
  const path = `${pathOf(view.database)}/hotspots`;
  const watch = writes(() => button("Start again", async () => {
    await control("POST", `${path}:reset`, {});
    navigate();
  }));
  await control("POST", `${path}:start`, {}, view.signal);
  const [{ heatmap }, { report }] = await Promise.all([control("GET", `${path}:heatmap`, undefined, view.signal), control("GET", path, undefined, view.signal)]);
  const picture = el("div"), tools = el("div", { class: "tools" }, button("Refresh", navigate), watch);
  const run = figuresOf(heatmap);
  view.show(tools,
    el("p", { class: "lead" }, run.commits ? `${plural(run.commits, "commit")} since the database is watched: key ranges from top to bottom, commits from left to right.` : "Key ranges from top to bottom, commits from left to right."),
    run.bands.length ? picture : empty("No commit was seen yet.", "The emulator watches this database from now on. Write some rows, then refresh."),
    run.bands.length ? [el("h2", {}, "Findings"), report.findings?.length ? report.findings.map(findingNote) : el("p", { class: "faint" }, "No hotspot: the writes are spread, or too few to judge.")] : null);
  if (run.bands.length) heatmapView(picture, [run]);
}

// The figures that `heatmapView` draws, from the heatmap of the control API.
function figuresOf(heatmap) {
  const bands = (heatmap.bands ?? []).map(band => ({ ...band, kind: band.isIndex ? "index" : "table", boundaries: band.boundaries ?? [], splits: band.splits ?? [], servers: band.servers ?? [], sources: band.sources ?? [] }));
  const metrics = [...new Set(["rows written", ...bands.flatMap(band => Object.keys(band.cells).filter(metric => band.cells[metric].length))])];
  return { commits: heatmap.commits, columns: heatmap.columns, commits_per_column: heatmap.commitsPerColumn ?? 1, nodes: heatmap.nodes ?? 0, metrics, bands };
}

async function showSplits(view) {
  const path = `${pathOf(view.database)}/splits`;
  const [{ splits = [] }, schema] = await Promise.all([control("GET", path, undefined, view.signal), schemaOf(view.database, view.signal)]);
  const servers = new Set(splits.map(split => split.server)).size, rows = splits.reduce((sum, split) => sum + split.rows, 0);
  view.show(
    el("div", { class: "tools" }, button("Refresh", navigate), schema.tables.length ? writes(() => button("Split here", () => addSplit(path, schema), "primary")) : null),
    el("ul", { class: "figures" }, [[splits.length, "split", "splits"], [servers, "server", "servers"], [rows, "row", "rows"]].map(([count, one, many]) => el("li", {}, el("b", {}, count.toLocaleString("en")), count === 1 ? one : many))),
    splits.length ? table(["Keys", "Tables", ["Server", "n"], ["Rows", "n"], ["Bytes", "n"], ["Load", "n"], "Boundary by"], splits.slice(0, SPLITS_SHOWN_MAX).map(split => [
      [el("code", {}, breakable(split.start)), " to ", el("code", {}, breakable(split.limit))], split.tables.join(", "), String(split.server), split.rows.toLocaleString("en"), split.bytes.toLocaleString("en"), split.load ? split.load.toFixed(1) : "", split.origin && badge(split.origin)]))
      : empty("No splits: the database has no tables."));
}

async function addSplit(path, schema) {
  // By default, splits fall between rows of tables that are interleaved in no other.
  const names = [...schema.roots, ...schema.tables.filter(each => !schema.roots.includes(each))].filter(each => each.key.length).map(each => each.name);
  const chosen = choose(names, names[0], draw), inputs = el("div", { class: "form" });
  let key = [];
  function draw() {
    key = schema.byName.get(chosen.value).key.map(part => {
      const type = typeOf(schema.byName.get(chosen.value).columns.find(column => column.columnName === part.columnName).spannerType);
      const input = el("input", { class: "mono", "aria-label": part.columnName });
      return { type, input, node: labelled(part.columnName, input) };
    });
    inputs.replaceChildren(...key.map(part => part.node));
  }
  draw();
  const done = await ask("Split a table before a key", el("div", { class: "form" }, labelled("Table", chosen), inputs), async () => {
    await control("POST", path, { table: chosen.value, key: key.map(part => part.type.code === "INT64" ? Number(part.input.value) : jsonValue(part.input.value, part.type)) });
    return true;
  }, { verb: "Split" });
  if (done) navigate();
}
