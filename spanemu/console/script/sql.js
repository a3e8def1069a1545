// The SQL editor: statements with parameters, as of a time, with their results and plans.

const HISTORY_MAX = 50;
const drafts = new Map();  // what was typed for each database, while the page is open

function history() {
  try {
    return JSON.parse(localStorage.getItem("spanemu.history") ?? "[]");
  } catch {
    return [];
  }
}

function remember(sql) {
  const kept = [sql, ...history().filter(each => each !== sql)].slice(0, HISTORY_MAX);
  try {
    localStorage.setItem("spanemu.history", JSON.stringify(kept));
  } catch {
    // Without storage there is no history.
  }
}

function showSql(view) {
  const isPostgresql = state.dialects.get(view.database) === "POSTGRESQL";
  const given = new Map();  // the inputs of parameters, by name
  const text = el("textarea", { id: "sql", class: "mono wide", spellcheck: "false", autocapitalize: "off", "aria-label": "SQL", placeholder: "SELECT ...",
    value: view.query.get("sql") ?? drafts.get(view.database) ?? "" });
  const parameters = el("div", { class: "parameters" }), results = el("div", { "aria-live": "polite" });
  const bound = choose([["strong", "now"], ["exactStaleness", "seconds ago"], ["readTimestamp", "at a time"]], "strong", changed);
  const when = el("input", { class: "short mono", hidden: true, "aria-label": "Read as of" });
  const past = choose([["", "Earlier statements"], ...history().map(sql => [sql, sql.replace(/\s+/g, " ").slice(0, 90)])], "", sql => {
    if (sql) text.value = sql;
    past.value = "";
    typed();
    text.focus();
  });
  past.className = "earlier";
  past.setAttribute("aria-label", "Earlier statements");
  let running = null;
  const stop = button("Stop", () => running?.abort(), "", { hidden: true });

  function changed() {
    when.hidden = bound.value === "strong";
    when.value = bound.value === "exactStaleness" ? "10" : bound.value === "readTimestamp" ? new Date().toISOString() : "";
  }
  function typed() {
    drafts.set(view.database, text.value);
    const names = parametersOf(text.value, isPostgresql);
    for (const name of given.keys()) if (!names.includes(name)) given.delete(name);
    for (const name of names) if (!given.has(name)) given.set(name, parameterInput(name));
    parameters.replaceChildren(...names.length ? [el("h2", { class: "minor" }, "Parameters"), ...names.map(name => given.get(name).node)] : []);
  }
  function values() {
    const params = {}, paramTypes = {};
    for (const [name, input] of given) {
      params[name] = input.value();
      paramTypes[name] = input.type();
    }
    return given.size ? { params, paramTypes } : {};
  }
  function transaction() {
    if (bound.value === "strong") return { singleUse: { readOnly: { strong: true } } };
    return { singleUse: { readOnly: { [bound.value]: bound.value === "exactStaleness" ? `${when.value}s` : when.value } } };
  }

  async function run(queryMode) {
    const statements = placedStatements(text.value);
    running?.abort();
    if (!statements.length) {
      results.replaceChildren(empty("There is no statement to run."));
      return;
    }
    remember(text.value.trim());
    const own = running = new AbortController();
    stop.hidden = false;
    results.replaceChildren(el("p", { class: "faint" }, "Running"));
    const outputs = [];
    let group;
    try {
      for (group of grouped(statements)) {
        const began = performance.now();
        const result = await perform(group, queryMode, own.signal);
        outputs.push(output(group, result, queryMode, (performance.now() - began) / 1000));
        results.replaceChildren(...outputs);
      }
    } catch (error) {
      outputs.push(own.signal.aborted ? empty("Stopped.") : failure(error, markedPlace(error, blamed(error, group.statements), select)));
      results.replaceChildren(...outputs);
    } finally {
      if (running === own) stop.hidden = true;
    }
  }
  function select(start, end) {
    text.focus();
    text.setSelectionRange(start, end);
  }
  async function perform({ kind, sqls }, queryMode, signal) {
    if (kind !== "query" && state.isReadOnly) throw new InputError("The console is read-only here: it runs queries only.");
    if (kind === "ddl") return changeSchema(view.database, sqls);
    const body = { ...used(sqls[0], values()), queryMode };
    if (kind === "query") return query(view.database, sqls[0], { ...body, transaction: transaction(), signal });
    return dml(view.database, { ...body, sql: sqls[0] });
  }
  function used(sql, { params, paramTypes } = {}) {
    const names = parametersOf(sql, isPostgresql), only = all => Object.fromEntries(names.map(name => [name, all[name]]));
    return names.length ? { params: only(params), paramTypes: only(paramTypes) } : {};
  }

  text.addEventListener("input", typed);
  text.addEventListener("keydown", event => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run("NORMAL");
  });
  view.show(text,
    el("div", { class: "tools" },
      button("Run", () => run("NORMAL"), "primary", { id: "run", title: "Ctrl+Enter" }), button("Explain", () => run("PLAN"), "", { id: "explain" }), button("Profile", () => run("PROFILE"), "", { id: "profile" }), stop,
      el("span", { class: "bound" }, labelled("Read as of", bound), when), past),
    parameters, results);
  typed();
  text.focus();
  view.signal.addEventListener("abort", () => running?.abort());
}

// Statements as they run: DDL statements in a row are one change of the schema.
function grouped(statements) {
  const groups = [];
  for (const statement of statements) {
    const kind = kindOf(statement.sql);
    if (kind === "ddl" && groups.at(-1)?.kind === "ddl") groups.at(-1).statements.push(statement);
    else groups.push({ kind, statements: [statement] });
  }
  return groups.map(group => ({ ...group, sqls: group.statements.map(({ sql }) => sql) }));
}

function parameterInput(name) {
  const type = choose([...TYPED, "ARRAY<STRING>", "ARRAY<INT64>"], "STRING");
  type.setAttribute("aria-label", `Type of ${name}`);
  const input = valueInput(name, { code: "STRING" });
  const chosen = () => typeOf(type.value);
  return {
    node: el("div", { class: "parameter" }, el("code", {}, name), type, input.node), type: chosen,
    value: () => {
      const text = input.value();
      return text === null ? null : jsonValue(text, chosen());
    },
  };
}

function output({ kind, sqls }, result, queryMode, seconds) {
  const plan = result?.stats?.queryPlan, parts = [];
  if (kind === "ddl") return el("section", { class: "output" }, el("p", {}, badge("done", "good"), ` ${plural(sqls.length, "schema statement")} in ${duration(seconds)}`));
  const stats = result.stats ?? {}, figures = stats.queryStats ?? {}, count = stats.rowCountExact ?? stats.rowCountLowerBound;
  if (queryMode !== "PLAN") {
    const rows = kind === "dml" ? `${plural(count ?? 0, "row")} written` : result.isCut ? `the first ${plural(result.rows.length, "row")}` : plural(result.rows.length, "row");
    parts.push(el("div", { class: "tools" },
      el("span", { class: "counts" }, el("b", {}, rows), ` in ${duration(seconds)}`, figures.elapsed_time && `; the statement took ${figures.elapsed_time.replace("msecs", "ms")}`, figures.rows_scanned && `, scanned ${plural(figures.rows_scanned, "row")}`),
      result.fields.length ? [button("CSV", () => download("rows.csv", "text/csv", csvOf(result.fields, result.rows)), "plain", { "aria-label": "Download as CSV" }),
        button("JSON", () => download("rows.json", "application/json", JSON.stringify(result.rows.map(row => Object.fromEntries(row.map((value, place) => [result.fields[place].name || `column${place + 1}`, value]))), null, 1)), "plain", { "aria-label": "Download as JSON" })] : null));
    if (result.rows?.length) parts.push(graphDrawing(result.fields, result.rows));
    if (result.rows?.length) parts.push(grid(result.fields, result.rows, { label: "Result" }));
    else if (result.fields.length) parts.push(empty("No rows."));
  }
  if (plan) parts.push(el("h2", { class: "minor" }, "Plan"), planDrawing(plan));
  return el("section", { class: "output", "aria-label": kind === "dml" ? "Written rows" : "Result" }, parts);
}
