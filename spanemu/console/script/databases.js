// The page of all databases: where a new server begins.

const DIALECTS = { GOOGLE_STANDARD_SQL: "GoogleSQL", POSTGRESQL: "PostgreSQL" };

async function showDatabases(view) {
  const { instances, databases } = await catalog(view.signal);
  const more = [
    el("div", { class: "tools" },
      instances.length ? writes(() => button("New database", () => newDatabase(instances), "primary", { id: "new-database" })) : null,
      writes(() => button("New instance", newInstance, instances.length ? "" : "primary"))),
  ];
  if (!instances.length) {
    const project = el("input", { value: state.project, required: true });
    const other = el("form", { class: "tools", onsubmit: event => { event.preventDefault(); state.project = project.value; navigate(); } },
      labelled("Project", project), el("button", { type: "submit" }, "Look there"));
    view.show(empty(`Project ${state.project} has no instance yet.`, "An instance holds databases. Clients find both by their names."), more, other);
    return;
  }
  const rows = databases.map(database => [
    el("a", { href: link("schema", { database: database.name }) }, el("b", {}, lastPart(database.name))),
    instanceOf(database.name), DIALECTS[database.databaseDialect] ?? "", moment(database.createTime), database.versionRetentionPeriod,
    el("span", { class: "actions" }, el("a", { href: link("sql", { database: database.name }) }, "SQL"), el("a", { href: link("rows", { database: database.name }) }, "Rows"),
      writes(() => button("Drop", () => dropDatabase(database.name), "danger", { "aria-label": `Drop ${lastPart(database.name)}` }))),
  ]);
  view.show(more, rows.length
    ? table(["Database", "Instance", "Dialect", "Created (UTC)", "Versions kept", "Open"], rows)
    : empty("No database yet.", "Create one here, with gcloud or with any client."),
    el("h2", {}, "Instances"),
    table(["Instance", "Configuration", ["Nodes", "n"], ["Databases", "n"]], instances.map(instance => [lastPart(instance.name), lastPart(instance.config),
      instance.processingUnits ? (instance.processingUnits / 1000).toString() : "", String(databases.filter(each => each.name.startsWith(`${instance.name}/`)).length)])),
    state.emulator && el("p", { class: "faint small" }, `spanemu ${state.emulator.version}, seed ${state.emulator.seed}`));
}

const instanceOf = database => {
  const parts = database.split("/");
  return parts[1] === state.project ? parts[3] : `${parts[1]} / ${parts[3]}`;
};

// All instances and databases. Spanner has no list of projects: the control API names those in use.
async function catalog(signal) {
  const projects = new Set([state.project, ...state.projects]);
  const instances = (await Promise.all([...projects].map(project => listed(`projects/${project}`, "instances", { signal })))).flat();
  const databases = (await Promise.all(instances.map(instance => listed(instance.name, "databases", { signal })))).flat();
  state.databases = databases.map(database => database.name);
  state.dialects = new Map(databases.map(database => [database.name, database.databaseDialect]));
  offerDatabases();
  return { instances, databases };
}

async function newInstance() {
  const id = el("input", { value: "emulator-instance", required: true, pattern: "[a-z][\\-a-z0-9]*[a-z0-9]" });
  const done = await ask("New instance", [labelled("Name", id)], async () => {
    const instance = { config: `projects/${state.project}/instanceConfigs/emulator-config`, displayName: id.value, nodeCount: 1 };
    await finished(await v1("POST", `projects/${state.project}`, "/instances", { instanceId: id.value, instance }));
    return true;
  }, { verb: "Create" });
  if (done) navigate();
}

async function newDatabase(instances) {
  const parent = choose(instances.map(each => [each.name, lastPart(each.name)]));
  const id = el("input", { required: true, placeholder: "shop", autofocus: true });
  const dialect = choose(Object.entries(DIALECTS));
  const ddl = el("textarea", { rows: 5, class: "mono", placeholder: "CREATE TABLE ...", spellcheck: "false" });
  const made = await ask("New database", el("div", { class: "form" }, labelled("Instance", parent), labelled("Name", id), labelled("Dialect", dialect), labelled("Schema, if any", ddl)), async () => {
    const isPostgresql = dialect.value === "POSTGRESQL", placed = placedStatements(ddl.value), statements = placed.map(({ sql }) => sql);
    const name = `${parent.value}/databases/${id.value}`;
    const request_ = { createStatement: `CREATE DATABASE ${quoted(id.value, isPostgresql)}`, databaseDialect: dialect.value, extraStatements: isPostgresql ? [] : statements };
    await withPlace(placed, async () => finished(await v1("POST", parent.value, "/databases", request_)));
    if (isPostgresql && statements.length) await withPlace(placed, () => changeSchema(name, statements));
    return name;
  }, { verb: "Create" });
  if (made) open_("schema", { database: made });
}

async function dropDatabase(name) {
  const done = await ask(`Drop ${lastPart(name)}?`, el("p", {}, "Its schema and rows are gone at once, and its clients fail."), async () => {
    await v1("DELETE", name);
    return true;
  }, { verb: "Drop", kind: "danger" });
  if (!done) return;
  tell(`${lastPart(name)} was dropped.`);
  if (state.database === name) state.database = "";
  navigate();
}
