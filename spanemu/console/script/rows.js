// The rows of a table in the order of its key, read through the API for reads: no SQL, no sort.

const PAGE_ROWS = 50;

async function showRows(view) {
  const schema = await schemaOf(view.database, view.signal);
  const tables = schema.tables.filter(each => each.tableType !== "VIEW" && each.columns.length);
  if (!tables.length) {
    view.show(empty("The database has no tables.", el("p", {}, el("a", { href: link("schema", { database: view.database }) }, "Change the schema"))));
    return;
  }
  const chosen = schema.byName.get(view.query.get("table") ?? "") ?? tables[0];
  // No client can read the tokens of a search index.
  const columns = chosen.columns.filter(column => column.spannerType !== "TOKENLIST").map(column => ({ name: column.columnName, type: typeOf(column.spannerType), isGenerated: Boolean(column.generationExpression),
    isNullable: column.isNullable !== "NO", default: isTrue(column.isIdentity) ? "the next number" : column.columnDefault }));
  const key = chosen.key.map(part => columns.find(column => column.name === part.columnName));
  const prefix = view.query.getAll("key");
  const inputs = key.map((part, place) => el("input", { value: prefix[place] ?? "", "aria-label": part.name, placeholder: part.name, class: "mono short", autocomplete: "off" }));
  function search(event) {
    event?.preventDefault();
    const given = inputs.map(input => input.value), size = given.indexOf("") < 0 ? given.length : given.indexOf("");
    open_("rows", { database: view.database, table: chosen.name, key: given.slice(0, size) });
  }
  const found = el("div");
  view.show(
    el("form", { class: "tools", onsubmit: search },
      labelled("Table", choose(tables.map(each => each.name), chosen.name, name => open_("rows", { database: view.database, table: name }))),
      key.length ? el("span", { class: "key" }, el("span", { class: "faint" }, "Key begins with"), inputs, el("button", { type: "submit" }, "Find")) : null,
      writes(() => button("Insert a row", () => editRow(view, chosen, columns, null), "primary"))),
    found);

  async function page(after, number) {
    const bounds = prefix.map((text, place) => jsonValue(text, key[place].type));
    const keySet = !prefix.length && !after ? { all: true }
      : { ranges: [{ ...(after ? { startOpen: after } : { startClosed: bounds }), endClosed: bounds }] };
    const { fields, rows } = await read(view.database, { table: chosen.name, columns: columns.map(column => column.name), keySet, limit: String(PAGE_ROWS + 1) }, view.signal);
    const shown = rows.slice(0, PAGE_ROWS);
    const keyOf = row => key.map(part => row[columns.indexOf(part)]);
    if (!shown.length) {
      found.replaceChildren(number > 1 ? empty("No more rows.") : prefix.length ? empty("No row has such a key.") : empty(`${chosen.name} is empty.`));
      return;
    }
    found.replaceChildren(
      grid(fields, shown, { label: `Rows of ${chosen.name}`, actions: state.isReadOnly || !key.length ? null : row => el("span", { class: "actions" },
        button("Edit", () => editRow(view, chosen, columns, row), "", { "aria-label": `Edit ${keyOf(row).join(", ")}` }),
        button("Delete", () => deleteRow(view, chosen, keyOf(row)), "danger", { "aria-label": `Delete ${keyOf(row).join(", ")}` })) }),
      el("div", { class: "tools" },
        el("span", { class: "faint" }, `Rows ${(number - 1) * PAGE_ROWS + 1} to ${(number - 1) * PAGE_ROWS + shown.length}`),
        number > 1 && button("First page", () => page(null, 1)),
        rows.length > PAGE_ROWS && button("Next page", () => page(keyOf(shown.at(-1)), number + 1).catch(error => found.replaceChildren(failure(error))))));
  }
  try {
    await page(null, 1);
  } catch (error) {
    found.replaceChildren(failure(error));
  }
}

async function deleteRow(view, chosen, key) {
  const done = await ask(`Delete ${chosen.name}(${key.join(", ")})?`, el("p", {}, "Interleaved rows go with it where the schema says so."), async () => {
    await commit(view.database, [{ delete: { table: chosen.name, keySet: { keys: [key] } } }]);
    return true;
  }, { verb: "Delete", kind: "danger" });
  if (!done) return;
  tell("The row was deleted.");
  navigate();
}
