// The form for a row: a new one, or an existing one, of which only what was changed is written.

// A text field shows each line break as "\n". What a person left alone keeps its own breaks.
function withBreaksOf(before, after) {
  const shown = before.replace(/\r\n?/g, "\n");
  if (shown === before) return after;
  let head = 0, tail = 0;
  while (head < Math.min(shown.length, after.length) && shown[head] === after[head]) head += 1;
  while (tail < Math.min(shown.length, after.length) - head && shown.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const units = before.match(/\r\n|[^]/g);  // one for each character that is shown
  const written = after.slice(head, after.length - tail).replaceAll("\n", /\r\n?/.exec(before)[0]);
  return [...units.slice(0, head), written, ...units.slice(units.length - tail)].join("");
}

const textOf = (value, type) => value === null ? "" : type.code === "ARRAY" ? JSON.stringify(value) : String(value);

// A column in the form: {node, isGiven(), value()}. A column that is not given is not written.
function columnField(column, before, { isNew, isFixed, isSource }) {
  const text = textOf(before, column.type), input = inputFor(column.name, column.type, text, isFixed), shown = input.value;
  const boxes = [], box = (name, label, isChecked) => {
    const made = el("input", { type: "checkbox", checked: isChecked, "aria-label": label });
    boxes.push({ name, input: made, isChecked });
    return el("label", { class: "small" }, made, name);
  };
  const hasDefault = isNew && column.default, labels = isFixed ? [] : [
    hasDefault && box("default", `${column.name} has its default`, true),
    column.isNullable && box("NULL", `${column.name} is NULL`, before === null && !hasDefault),
  ];
  const state_ = () => boxes.find(each => each.input.checked)?.name ?? "value";
  const first = state_();
  const drawState = () => { input.dataset.state = state_(); };
  for (const each of boxes) each.input.addEventListener("change", () => {
    if (each.input.checked) for (const other of boxes) other.input.checked = other === each;
    drawState();
  });
  input.addEventListener("input", () => {
    for (const each of boxes) each.input.checked = false;
    drawState();
  });
  drawState();
  const notes = [typeText(column.type), column.default && `default ${column.default}`, isFixed && "part of the key"].filter(Boolean);
  const isChanged = () => state_() === "value" ? first !== "value" || input.value !== shown : state_() !== first;
  return {
    column, isChanged,
    node: el("div", { class: "field" }, el("div", { class: "field-head" }, el("span", { class: "mono" }, column.name), el("span", { class: "type" }, notes.join(" · ")), el("span", { class: "boxes" }, labels)), input),
    isGiven: () => isFixed || isSource || isChanged() || (isNew && state_() === "value"),
    value() {
      if (!isNew && !isChanged()) return before;
      if (state_() === "NULL") return null;
      try {
        return jsonValue(withBreaksOf(text, input.value), column.type);
      } catch (error) {
        input.focus();
        throw new InputError(`${column.name}: ${error.message}`);
      }
    },
  };
}

async function editRow(view, chosen, columns, row) {
  const keyNames = new Set(chosen.key.map(part => part.columnName)), isNew = row === null;
  // A key that is computed needs the columns that it is computed from.
  const formulas = chosen.columns.filter(column => keyNames.has(column.columnName) && column.generationExpression).map(column => column.generationExpression);
  const isSource = column => formulas.some(formula => formula.match(/\w+/g).includes(column.name));
  const fields = columns.map((column, place) => [column, isNew ? null : row[place]]).filter(([column]) => !column.isGenerated)
    .map(([column, before]) => columnField(column, before, { isNew, isFixed: !isNew && keyNames.has(column.name), isSource: !isNew && isSource(column) }));
  const done = await ask(isNew ? `Insert into ${chosen.name}` : `Edit a row of ${chosen.name}`, el("div", { class: "form row" }, fields.map(field => field.node)), async () => {
    const given = fields.filter(field => field.isGiven()), changes = given.filter(field => field.isChanged());
    if (!changes.length && !isNew) return "Nothing was changed.";
    const write = { table: chosen.name, columns: given.map(field => field.column.name), values: [given.map(field => field.value())] };
    await commit(view.database, [isNew ? { insert: write } : { update: write }]);
    return isNew ? "The row was inserted." : `The row was saved: ${changes.map(field => field.column.name).join(", ")}.`;
  }, { verb: isNew ? "Insert" : "Save" });
  if (!done) return;
  tell(done);
  navigate();
}
