// Values and types of columns, as text.

const CELL_CHARACTERS_MAX = 2000;

function typeText(type) {
  if (type.code === "ARRAY") return `ARRAY<${typeText(type.arrayElementType)}>`;
  if (type.code === "STRUCT") return `STRUCT<${(type.structType?.fields ?? []).map(field => `${field.name ?? ""} ${typeText(field.type)}`.trim()).join(", ")}>`;
  if (type.protoTypeFqn) return type.protoTypeFqn;
  return type.typeAnnotation?.replace("PG_", "PG ") ?? type.code ?? "";
}

function valueText(value, type) {
  if (value === null) return "NULL";
  if (type.code === "ARRAY") return `[${value.map(each => valueText(each, type.arrayElementType)).join(", ")}]`;
  if (type.code === "STRUCT") return `(${value.map((each, place) => valueText(each, type.structType.fields[place].type)).join(", ")})`;
  return String(value);
}

const isNumber = type => ["INT64", "FLOAT64", "FLOAT32", "NUMERIC"].includes(type.code);

// A value in a table; of a long one, the beginning.
function cell(value, type) {
  if (value === null) return el("span", { class: "null" }, "NULL");
  const text = valueText(value, type), more = text.length - CELL_CHARACTERS_MAX;
  return more > 0 ? [text.slice(0, CELL_CHARACTERS_MAX), el("span", { class: "null" }, ` and ${more.toLocaleString("en")} more characters`)] : text;
}

// Rows under the names and types of their columns, in a region that scrolls by itself.
function grid(fields, rows, { label = "Rows", actions } = {}) {
  const head = fields.map(field => el("th", { scope: "col", class: isNumber(field.type) ? "n" : "" }, field.name || "(no name)", el("span", { class: "type" }, typeText(field.type))));
  return el("div", { class: "scroll grid", role: "region", tabindex: 0, "aria-label": label }, el("table", {},
    el("thead", {}, el("tr", {}, head, actions && el("th", { scope: "col" }, el("span", { class: "unseen" }, "Actions")))),
    el("tbody", {}, rows.map(row => el("tr", {}, row.map((value, place) => el("td", { class: isNumber(fields[place].type) ? "n" : "" }, cell(value, fields[place].type))),
      actions && el("td", {}, actions(row)))))));
}

function csvOf(fields, rows) {
  const quote = text => /[",\r\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;
  const lines = rows.map(row => row.map((value, place) => value === null ? "" : quote(valueText(value, fields[place].type))));
  return [fields.map(field => quote(field.name ?? "")), ...lines].map(line => line.join(",")).join("\r\n") + "\r\n";
}

// ------------------------------------------------------------------ values that a person types

const TYPED = ["STRING", "INT64", "FLOAT64", "BOOL", "DATE", "TIMESTAMP", "NUMERIC", "BYTES", "JSON", "UUID"];

// The type of a message for a type as INFORMATION_SCHEMA writes it, such as "ARRAY<STRING(MAX)>" or "character varying".
function typeOf(text) {
  const array = /^ARRAY<(.*)>/.exec(text) ?? /^(.*)\[\]$/.exec(text);
  if (array) return { code: "ARRAY", arrayElementType: typeOf(array[1]) };
  const name = text.replace(/\(.*\)/, "").trim();
  const known = { bigint: "INT64", boolean: "BOOL", "double precision": "FLOAT64", real: "FLOAT32", bytea: "BYTES", date: "DATE", uuid: "UUID",
    "timestamp with time zone": "TIMESTAMP", "spanner.commit_timestamp": "TIMESTAMP", numeric: "NUMERIC", jsonb: "JSON" }[name];
  return { code: known ?? ([...TYPED, "FLOAT32"].includes(name) ? name : "STRING") };
}

// What a person typed is no value of the type.
class InputError extends Error {}

const FLOATS = ["NaN", "Infinity", "-Infinity"];
const LIST_TOKEN = /"(?:\\.|[^"\\])*"|-?Infinity|NaN|-?\d[\d.eE+-]*/g;

// The JSON of a typed text. Arrays are JSON lists, whose numbers keep all of their digits.
function jsonValue(text, type) {
  const word = text.trim();
  if (type.code === "ARRAY") return listOf(text).map(each => each === null ? null : jsonValue(String(each), type.arrayElementType));
  if (type.code === "BOOL") {
    if (!["true", "false"].includes(word.toLowerCase())) throw new InputError(`"${word}" is neither true nor false.`);
    return word.toLowerCase() === "true";
  }
  if (type.code !== "FLOAT64" && type.code !== "FLOAT32") return text;
  if (FLOATS.includes(word)) return word;
  if (word === "" || Number.isNaN(Number(word))) throw new InputError(`"${word}" is no number.`);
  return Number(word);
}

function listOf(text) {
  try {
    const list = JSON.parse(text.replace(LIST_TOKEN, token => token.startsWith("\"") ? token : `"${token}"`));
    if (Array.isArray(list)) return list;
  } catch {
    // The next line says what is wanted.
  }
  throw new InputError(`${text} is no list, such as [1, 2] or ["a", null].`);
}

// An input for a value, with a box for NULL: {node, value()}.
function valueInput(label, type) {
  const input = inputFor(label, type, "");
  const box = el("input", { type: "checkbox", "aria-label": `${label} is NULL` });
  input.addEventListener("input", () => { box.checked = false; });
  return { node: [input, el("label", { class: "small" }, box, "NULL")], value: () => box.checked ? null : jsonValue(input.value, type) };
}

const LINES_MAX = 12;
const MULTILINE = ["STRING", "JSON", "ARRAY", "BYTES"];

// The control for a text of a type: a choice for BOOL, several lines for what may have them, else one line.
function inputFor(label, type, text, isFixed = false) {
  const given = { disabled: isFixed, class: "mono", "aria-label": label, autocomplete: "off", spellcheck: "false" };
  if (type.code === "BOOL") return el("select", given, options(["", "true", "false"], text));
  if (!MULTILINE.includes(type.code)) return el("input", { ...given, value: text });
  return el("textarea", { ...given, value: text, rows: Math.min(LINES_MAX, text.split("\n").length) });
}
