// SQL as text: where statements end, of which kind they are, which parameters they name.

// Comments, texts and quoted names, none of which a statement ends in.
const OPAQUE = /--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|\$\$[\s\S]*?\$\$|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g;
const DDL_WORDS = ["ALTER", "ANALYZE", "COMMENT", "CREATE", "DROP", "GRANT", "RENAME", "REVOKE"];
const DML_WORDS = ["DELETE", "INSERT", "UPDATE"];

const blanked = sql => sql.replace(OPAQUE, text => " ".repeat(text.length));

// The statements of a text with the places and lines where they begin: [{sql, at, line}].
function placedStatements(sql) {
  const plain = blanked(sql), found = [];
  let start = 0;
  for (let at = 0; at <= plain.length; at += 1) {
    if (at < plain.length && plain[at] !== ";") continue;
    const part = sql.slice(start, at);
    const first = start + part.length - part.trimStart().length;
    if (plain.slice(start, at).trim()) found.push({ sql: part.trim(), at: first, line: sql.slice(0, first).split("\n").length });
    start = at + 1;
  }
  return found;
}

const statementsOf = sql => placedStatements(sql).map(statement => statement.sql);

const TAB_STOP = 8;

// Where in a text a position is that an error names. Columns count characters, and tabs lead to the next stop.
function offsetOf(text, { line, column }) {
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/), before = lines.slice(0, line - 1).join("").length;
  let at = before, reached = 1;
  for (const character of lines[line - 1] ?? "") {
    if (reached >= column || /[\r\n]/.test(character)) break;
    reached += character === "\t" ? TAB_STOP - (reached - 1) % TAB_STOP : 1;
    at += character.length;
  }
  return at;
}

const WORD = /^(?:[\p{L}\p{N}_]+|"[^"\n]*"|`[^`\n]*`|[^\s])/u;

// The line of a statement in which an error is, with a mark; nothing if the error names no place.
function markedPlace(error, statement, action) {
  if (!error.position || !statement) return null;
  const { sql } = statement, at = offsetOf(sql, error.position), word = (WORD.exec(sql.slice(at)) ?? [""])[0];
  const start = Math.max(sql.lastIndexOf("\n", at - 1), sql.lastIndexOf("\r", at - 1)) + 1, end = /[\r\n]|$/.exec(sql.slice(at)).index + at;
  return el("div", { class: "place" },
    el("span", { class: "faint small" }, `Line ${statement.line + error.position.line - 1}`),
    el("pre", {}, sql.slice(start, at), el("mark", {}, word || "\u00a0"), sql.slice(at + word.length, end)),
    action && button("Show in the editor", () => action(statement.at + at, statement.at + at + word.length)));
}

// The statement that an error is about, if that is known: the only one, or the one that the message repeats.
const blamed = (error, statements) => statements.length === 1 ? statements[0] : statements.find(({ sql }) => error.message?.includes(sql));

function kindOf(statement) {
  const plain = blanked(statement).replace(/^\s*@\{[^}]*\}/, "");
  const word = (/[A-Za-z]+/.exec(plain) ?? [""])[0].toUpperCase();
  return DDL_WORDS.includes(word) ? "ddl" : DML_WORDS.includes(word) ? "dml" : "query";
}

function parametersOf(sql, isPostgresql) {
  const pattern = isPostgresql ? /\$(\d+)/g : /(?<!@)@([A-Za-z_]\w*)/g;
  const names = [...blanked(sql).matchAll(pattern)].map(match => isPostgresql ? `p${match[1]}` : match[1]);
  return [...new Set(names)];
}

const quoted = (name, isPostgresql) => name.split(".").map(part => isPostgresql ? `"${part}"` : `\`${part}\``).join(".");
