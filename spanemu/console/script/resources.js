// Sessions and long-running operations, through Spanner's own lists.


async function showSessions(view) {
  const list = el("div");
  view.show(list);
  await repeat(view, 2000, async () => {
    const found = await listed(view.database, "sessions", { signal: view.signal });
    keepFocus(list, () => list.replaceChildren(found.length ? sessionTable(view, found) : empty("No session is open.", "Clients open sessions with their first request, and close them when they end.")));
  }, list);
}

function sessionTable(view, found) {
  return table(["Session", "Kind", "Labels", "Created (UTC)", "Last used (UTC)", ""], found.map(session => [
    el("code", {}, lastPart(session.name)),
    [session.multiplexed ? badge("multiplexed", "accent") : "", session.creatorRole && badge(session.creatorRole)],
    Object.entries(session.labels ?? {}).map(([name, value]) => `${name}=${value}`).join(", "),
    moment(session.createTime), moment(session.approximateLastUseTime),
    session.multiplexed ? "" : writes(() => button("Delete", async () => {
      await v1("DELETE", session.name);
      tell("The session was deleted.");
    }, "danger", { "aria-label": `Delete session ${lastPart(session.name)}`, "data-focus": session.name })),
  ]), { caption: plural(found.length, "session") });
}

async function showOperations(view) {
  const list = el("div");
  view.show(list);
  const instance = view.database.split("/").slice(0, 4).join("/");
  await repeat(view, 2000, async () => {
    const lists = await Promise.all(["databaseOperations", "backupOperations"].map(name => listed(instance, name, { key: "operations", signal: view.signal })));
    const found = lists.flat();
    list.replaceChildren(found.length ? operationTable(found) : empty("No operations.", "Changes of schemas, new databases, backups and restores are operations."));
  }, list);
}

function operationTable(found) {
  const kind = operation => lastPart(operation.metadata?.["@type"]).split(".").at(-1).replace(/Metadata$/, "").replace(/([a-z])([A-Z])/g, "$1 $2");
  const target = operation => operation.metadata?.database ?? operation.metadata?.name ?? operation.name.split("/operations/")[0];
  const state_ = operation => operation.error ? badge(CODES[operation.error.code] ?? "failed", "bad") : operation.done ? badge("done", "good") : badge("runs", "warn");
  const times = operation => operation.metadata?.commitTimestamps ?? [];
  return table(["Operation", "Of", "State", "Statements", "Ended (UTC)"], found.map(operation => [
    [el("b", {}, kind(operation)), el("div", { class: "faint small mono" }, lastPart(operation.name))], lastPart(target(operation)),
    [state_(operation), operation.error && el("div", { class: "bad" }, operation.error.message, positionOf(operation.error))],
    (operation.metadata?.statements ?? []).slice(0, 3).map(statement => el("div", {}, el("code", {}, statement.split("\n")[0]))),
    moment(operation.metadata?.progress?.endTime ?? times(operation).at(-1) ?? operation.metadata?.endTime),
  ]), { caption: plural(found.length, "operation") });
}
