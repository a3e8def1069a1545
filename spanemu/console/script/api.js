// Requests: Spanner's API below /v1/, and the control API of the emulator below /spanemu/v1/.

const RESULT_ROWS_MAX = 1000;
const OWN_TAG = "console";  // of the statements that the console runs for itself
const OPERATION_SECONDS_MAX = 60;

// The position in a statement, which PostgreSQL databases send beside the message: "1:8", or "".
const sentPosition = error => (error?.details ?? []).find(detail => detail.metadata?.position)?.metadata.position ?? "";
const positionOf = error => sentPosition(error) && ` [at ${sentPosition(error)}]`;

class ApiError extends Error {
  constructor(http, error) {
    super(error?.message ?? `HTTP ${http}`);
    this.http = http;
    this.status = error?.status ?? `HTTP ${http}`;
    this.positionText = positionOf(error);
    const [, line, column] = /\[at (\d+):(\d+)\]$/.exec(this.message + this.positionText) ?? /Syntax error on line (\d+), column (\d+)/.exec(this.message) ?? [];
    this.position = line && { line: Number(line), column: Number(column) };
  }
}

async function request(method, path, body, signal) {
  const response = await fetch(path, {
    method, signal, cache: "no-store", credentials: "omit",
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) throw new ApiError(response.status, (await response.json().catch(() => ({}))).error);
  return response;
}

const pathOf = name => name.split("/").map(encodeURIComponent).join("/");
const v1 = async (method, name, verb = "", body, signal) => (await request(method, `/v1/${pathOf(name)}${verb}`, body, signal)).json();
const control = async (method, path, body, signal) => (await request(method, `/spanemu/v1/${path}`, body, signal)).json();

// All items of a list, of every page.
async function listed(parent, collection, { signal, key = collection } = {}) {
  const items = [];
  let token = "";
  do {
    const page = await v1("GET", parent, `/${collection}?pageSize=500&pageToken=${encodeURIComponent(token)}`, undefined, signal);
    items.push(...page[key] ?? []);
    token = page.nextPageToken ?? "";
  } while (token);
  return items;
}

// Wait for a long-running operation, and return its response.
async function finished(operation) {
  for (let tries = 0; !operation.done; tries += 1) {
    if (tries > OPERATION_SECONDS_MAX * 4) throw new Error(`${operation.name} still runs; see Operations.`);
    await new Promise(resolve => setTimeout(resolve, 250));
    operation = await v1("GET", operation.name);
  }
  if (operation.error) throw new ApiError(400, { status: CODES[operation.error.code] ?? "ERROR", message: operation.error.message, details: operation.error.details });
  return operation.response;
}

const CODES = ["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"];

// ------------------------------------------------------------------ sessions

// One session for each database, made on first use and labelled, so that others can tell whose it is.
const sessions = new Map();

function sessionOf(database) {
  if (!sessions.has(database)) {
    const made = v1("POST", database, "/sessions", { session: { labels: { client: "console" } } }).then(session => session.name);
    made.catch(() => sessions.delete(database));
    sessions.set(database, made);
  }
  return sessions.get(database);
}

// Call with the session of a database; a session that is gone is made anew once.
async function withSession(database, call) {
  const session = await sessionOf(database);
  try {
    return await call(session);
  } catch (error) {
    if (error.status !== "NOT_FOUND" || !error.message.includes("ession")) throw error;
    sessions.delete(database);
    return call(await sessionOf(database));
  }
}

addEventListener("pagehide", () => {
  for (const made of sessions.values()) {
    made.then(name => fetch(`/v1/${pathOf(name)}`, { method: "DELETE", keepalive: true, credentials: "omit" })).catch(() => {});
  }
  sessions.clear();
});

// ------------------------------------------------------------------ statements and reads

// The rows of a stream, up to a limit: {fields, rows, stats, isCut}. The server sends one message to a line.
async function streamed(path, body, signal, limit) {
  const stop = new AbortController();
  const ended = () => stop.abort();
  signal?.addEventListener("abort", ended);
  const result = { fields: [], rows: [], stats: undefined, isCut: false, transaction: undefined };
  let cells = [], open = null, rest = "";
  function take(line) {
    const message = JSON.parse(line.replace(/^[[,]/, "").replace(/,$/, "").replace(/\]$/, "") || "{}");
    if (message.error) throw new ApiError(message.error.code, message.error);
    if (message.metadata) {
      result.fields = message.metadata.rowType?.fields ?? [];
      result.transaction = message.metadata.transaction;
    }
    const values = message.values ?? [];
    if (open !== null && values.length) {
      values[0] = joined(open, values[0]);
      open = null;
    }
    if (message.chunkedValue) open = values.pop();
    cells.push(...values);
    const width = result.fields.length;
    while (width && cells.length >= width) result.rows.push(cells.splice(0, width));
    if (message.stats) result.stats = message.stats;
  }
  try {
    const response = await request("POST", path, body, stop.signal);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + (value ?? "")).split("\r\n");
      rest = done ? "" : lines.pop();
      lines.map(line => line.trim()).filter(line => line && line !== "]" && line !== "[]").forEach(take);
      if (result.rows.length > limit) {
        result.rows.length = limit;
        result.isCut = true;
        stop.abort();
      }
      if (done || result.isCut) return result;
    }
  } finally {
    signal?.removeEventListener("abort", ended);
  }
}

// Two parts of a value that was too long for one message.
function joined(first, second) {
  if (!Array.isArray(first)) return first + second;
  if (!first.length || !second.length) return [...first, ...second];
  const last = first.at(-1), next = second[0];
  const continues = (typeof last === "string" && typeof next === "string") || (Array.isArray(last) && Array.isArray(next));
  return continues ? [...first.slice(0, -1), joined(last, next), ...second.slice(1)] : [...first, ...second];
}

const query = (database, sql, { signal, limit = RESULT_ROWS_MAX, ...more } = {}) =>
  withSession(database, session => streamed(`/v1/${pathOf(session)}:executeStreamingSql`, { sql, ...more }, signal, limit));

const read = (database, body, signal) =>
  withSession(database, session => streamed(`/v1/${pathOf(session)}:streamingRead`, body, signal, Infinity));

const commit = (database, mutations) =>
  withSession(database, session => v1("POST", session, ":commit", { singleUseTransaction: { readWrite: {} }, mutations }));

// Run DML in a transaction of its own, and return its result; a plan alone changes nothing.
const dml = (database, body) => withSession(database, async session => {
  const result = await v1("POST", session, ":executeSql", { ...body, transaction: { begin: { readWrite: {} } } });
  const transactionId = result.metadata.transaction.id;
  await v1("POST", session, body.queryMode === "PLAN" ? ":rollback" : ":commit", { transactionId });
  return { fields: result.metadata.rowType?.fields ?? [], rows: result.rows ?? [], stats: result.stats, isCut: false };
});

const changeSchema = async (database, statements) => finished(await v1("PATCH", database, "/ddl", { statements }));
