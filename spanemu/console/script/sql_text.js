// SQL as text: where statements end, of which kind they are, which parameters they name.

// Comments, texts and quoted names, none of which a statement ends in.
const OPAQUE = /--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|\$\$[\s\S]*?\$\$|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g;
const DDL_WORDS = ["ALTER", "ANALYZE", "COMMENT", "CREATE", "DROP", "GRANT", "RENAME", "REVOKE"];
const DML_WORDS = ["DELETE", "INSERT", "UPDATE"];

const blanked = sql => sql.replace(OPAQUE, text => " ".repeat(text.length));

function statementsOf(sql) {
  const plain = blanked(sql), found = [];
  let start = 0;
  for (let at = 0; at <= plain.length; at += 1) {
    if (at < plain.length && plain[at] !== ";") continue;
    if (plain.slice(start, at).trim()) found.push(sql.slice(start, at).trim());
    start = at + 1;
  }
  return found;
}

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
