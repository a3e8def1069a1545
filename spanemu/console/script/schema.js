// The schema of a database: tables as they are interleaved, their columns and indexes, lint findings.

const SYSTEM = "('INFORMATION_SCHEMA', 'SPANNER_SYS', 'information_schema', 'spanner_sys', 'pg_catalog')";
const CATALOG = {
  tables: ["TABLES", "TABLE_NAME, PARENT_TABLE_NAME, ON_DELETE_ACTION, TABLE_TYPE, INTERLEAVE_TYPE, ROW_DELETION_POLICY_EXPRESSION", ""],
  columns: ["COLUMNS", "TABLE_NAME, COLUMN_NAME, SPANNER_TYPE, IS_NULLABLE, COLUMN_DEFAULT, GENERATION_EXPRESSION, IS_IDENTITY", "ORDINAL_POSITION"],
  indexes: ["INDEXES", "TABLE_NAME, INDEX_NAME, INDEX_TYPE, PARENT_TABLE_NAME, IS_UNIQUE, IS_NULL_FILTERED, SPANNER_IS_MANAGED", "INDEX_NAME"],
  keys: ["INDEX_COLUMNS", "TABLE_NAME, INDEX_NAME, COLUMN_NAME, COLUMN_ORDERING, ORDINAL_POSITION", "ORDINAL_POSITION"],
};
const isTrue = value => value === true || value === "YES";  // as the two dialects say it
const camel = name => name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());

// {tables: [{name, parentTableName, columns, indexes, key, children}]}, from INFORMATION_SCHEMA.
async function schemaOf(database, signal) {
  const parts = {};
  for (const [part, [relation, columns, order]] of Object.entries(CATALOG)) {
    const names = ["TABLE_SCHEMA", ...columns.split(", ")];
    const sql = `SELECT ${names.join(", ")} FROM INFORMATION_SCHEMA.${relation} WHERE TABLE_SCHEMA NOT IN ${SYSTEM} ORDER BY TABLE_SCHEMA, TABLE_NAME${order && `, ${order}`}`;
    const { rows } = await query(database, sql, { signal, limit: Infinity, requestOptions: { requestTag: OWN_TAG } });
    parts[part] = rows.map(row => Object.fromEntries(names.map((name, place) => [camel(name), row[place]])));
  }
  const full = (row, name) => row.tableSchema && row.tableSchema !== "public" ? `${row.tableSchema}.${name}` : name;
  const tables = parts.tables.map(row => ({ ...row, name: full(row, row.tableName), columns: [], indexes: [], key: [], children: [] }));
  const byName = new Map(tables.map(each => [each.name, each]));
  for (const column of parts.columns) byName.get(full(column, column.tableName))?.columns.push(column);
  for (const index of parts.indexes) {
    const keys = parts.keys.filter(key => key.tableName === index.tableName && key.tableSchema === index.tableSchema && key.indexName === index.indexName);
    const owner = byName.get(full(index, index.tableName));
    const isKey = key => key.ordinalPosition !== null;
    if (index.indexType === "PRIMARY_KEY") owner.key = keys.filter(isKey);
    else if (index.indexType === "INDEX") owner.indexes.push({ ...index, name: full(index, index.indexName), key: keys.filter(isKey), stored: keys.filter(key => !isKey(key)) });
  }
  for (const each of tables) byName.get(full(each, each.parentTableName))?.children.push(each);
  return { tables, roots: tables.filter(each => !byName.has(full(each, each.parentTableName))), byName };
}

async function showSchema(view) {
  const [schema, { statements = [] }, findings] = await Promise.all([schemaOf(view.database, view.signal), v1("GET", view.database, "/ddl", undefined, view.signal), lintOf(view)]);
  const chosen = schema.byName.get(view.query.get("table") ?? "");
  const change = writes(() => button("Change the schema", () => editSchema(view), "primary"));
  if (!schema.tables.length) {
    view.show(el("div", { class: "tools" }, change), empty("The database has no tables.", "CREATE TABLE makes the first one."), ddlBlock(statements));
    return;
  }
  const marks = new Map();
  for (const finding of findings ?? []) for (const each of schema.tables) if (concerns(finding, each)) marks.set(each, [...marks.get(each) ?? [], finding]);
  const tree = el("ul", { class: "tree names" }, schema.roots.map(each => schemaItem(view, each, chosen, marks)));
  view.show(el("div", { class: "columns" },
    el("section", { "aria-label": "Tables" }, el("div", { class: "tools" }, change), tree),
    el("section", { "aria-label": "Details" }, chosen ? tableDetails(view, chosen, statements, findings) : wholeSchema(statements, findings))));
}

const concerns = (finding, table) => [table.name, ...table.indexes.map(index => index.name)].includes((finding.object ?? "").split(/[(.]/)[0]);

function schemaItem(view, each, chosen, marks) {
  return el("li", {},
    el("a", { href: link("schema", { database: view.database, table: each.name }), "aria-current": each === chosen && "true" }, each.name,
      each.tableType === "VIEW" && badge("view"), marks.has(each) && el("span", { class: `badge ${worst(marks.get(each))}`, title: plural(marks.get(each).length, "finding") }, marks.get(each).length)),
    el("ul", {},
      each.indexes.filter(index => !isTrue(index.spannerIsManaged)).map(index => el("li", { class: "index" }, el("span", { class: "faint" }, index.name), " ", isTrue(index.isUnique) ? badge("unique") : badge("index"))),
      each.children.map(child => schemaItem(view, child, chosen, marks))));
}

function tableDetails(view, chosen, statements, findings) {
  const order = new Map(chosen.key.map((key, place) => [key.columnName, [place + 1, key.columnOrdering]]));
  const own = (findings ?? []).filter(finding => concerns(finding, chosen));
  const pattern = new RegExp(`^CREATE\\s+(?:OR\\s+REPLACE\\s+)?(?:TABLE|VIEW|(?:UNIQUE\\s+|NULL_FILTERED\\s+|SEARCH\\s+|VECTOR\\s+)*INDEX\\s+\\S+\\s+ON)\\s+["\`]?${chosen.name.replaceAll(".", "[\"`]?\\.[\"`]?")}["\`]?[\\s(]`, "i");
  return [
    el("h2", {}, chosen.name),
    facts([
      ["Interleaved in", chosen.parentTableName && el("a", { href: link("schema", { database: view.database, table: chosen.parentTableName }) }, chosen.parentTableName)],
      ["When a parent row is deleted", chosen.parentTableName && chosen.onDeleteAction && chosen.onDeleteAction.toLowerCase()],
      ["Rows are deleted when", chosen.rowDeletionPolicyExpression && el("code", {}, chosen.rowDeletionPolicyExpression)],
    ]),
    el("p", {}, el("a", { href: link("rows", { database: view.database, table: chosen.name }) }, "Rows"), " · ", el("a", { href: link("sql", { database: view.database, sql: `SELECT * FROM ${chosen.name} LIMIT 100` }) }, "Query")),
    own.map(findingNote),
    table(["Column", "Type", ["Key", "n"], "Notes"], chosen.columns.map(column => {
      const [part, ordering] = order.get(column.columnName) ?? ["", ""];
      return [el("b", { class: "mono" }, breakable(column.columnName)), el("code", {}, column.spannerType), String(part), [ordering === "DESC" ? "descending" : "",
        column.isNullable === "NO" ? "not null" : "", column.columnDefault && `default ${column.columnDefault}`, column.generationExpression && `generated: ${column.generationExpression}`].filter(Boolean).join(", ")];
    }), { caption: plural(chosen.columns.length, "column") }),
    chosen.indexes.length ? [el("h3", {}, "Indexes"), table(["Index", "Key", "Stored", "Kind"], chosen.indexes.map(index => [el("b", { class: "mono" }, breakable(index.name)),
      columnList(index.key), columnList(index.stored),
      [isTrue(index.spannerIsManaged) ? "of a foreign key" : "", isTrue(index.isUnique) ? "unique" : "", isTrue(index.isNullFiltered) ? "without NULL" : "", index.parentTableName ? `in ${index.parentTableName}` : ""].filter(Boolean).join(", ")]), { kind: "rows wide indexes" })] : null,
    ddlBlock(statements.filter(statement => pattern.test(statement))),
  ];
}

// Columns of an index; lines break between them.
const columnList = keys => keys.length ? el("code", {}, keys.map((key, place) => [place ? ", " : "", el("span", { class: "w" }, key.columnName, key.columnOrdering === "DESC" && " DESC")])) : null;

function wholeSchema(statements, findings) {
  return [
    findings === null ? null : [el("h2", {}, "Lint findings"), findings.length ? findings.map(findingNote) : el("p", { class: "faint" }, "The linter finds nothing in this schema.")],
    ddlBlock(statements),
  ];
}

const ddlBlock = statements => statements.length ? [el("h2", { class: "minor" }, "DDL"), el("pre", { class: "block" }, breakable(statements.map(statement => `${statement};`).join("\n\n")))] : null;

// The findings of the linter; null without the control API.
async function lintOf(view) {
  try {
    return (await control("GET", `${pathOf(view.database)}/lint`, undefined, view.signal)).findings ?? [];
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

// Call, and give an error the place in the statements that it is about.
async function withPlace(statements, call) {
  try {
    return await call();
  } catch (error) {
    error.place = markedPlace(error, blamed(error, statements));
    throw error;
  }
}

async function editSchema(view) {
  const text = el("textarea", { class: "mono wide", spellcheck: "false", "aria-label": "DDL statements", placeholder: "CREATE TABLE Singers (\n  SingerId INT64 NOT NULL,\n) PRIMARY KEY (SingerId)" });
  const done = await ask("Change the schema", el("div", { class: "form" }, el("p", { class: "faint" }, "Statements end with a semicolon. They run in order, and stop at the first that fails."), text), async () => {
    const statements = placedStatements(text.value);
    await withPlace(statements, () => changeSchema(view.database, statements.map(({ sql }) => sql)));
    return true;
  }, { verb: "Apply" });
  if (!done) return;
  tell("The schema was changed.");
  navigate();
}
