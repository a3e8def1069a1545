// What a test does to an emulator: faults, the clock, snapshots.

// The verbs of faults, with what each does and the arguments that only it has.
const FAULTS = {
  abort: ["Abort the transaction", []],
  unavailable: ["Fail with UNAVAILABLE", []],
  deadline: ["Fail with DEADLINE_EXCEEDED", []],
  internal: ["Fail with INTERNAL", []],
  exhausted: ["Fail with RESOURCE_EXHAUSTED", []],
  delay: ["Delay the request", [["seconds", "Seconds", "0.5", Number]]],
  lose_response: ["Execute it, and lose the response", []],
  session_lost: ["Lose the session", []],
  conflict: ["Run DML just before it", [["dml", "DML", "UPDATE ...", String]]],
  abort_rate: ["Abort a share of all requests", [["rate", "Share", "0.2", Number]]],
};
const RPCS = ["", "Commit", "ExecuteSql", "ExecuteStreamingSql", "ExecuteBatchDml", "Read", "StreamingRead", "BeginTransaction", "Rollback", "CreateSession", "PartitionQuery", "BatchWrite"];

async function showFaults(view) {
  const list = el("div");
  const clear = writes(() => button("Remove all", async () => { await control("POST", "faults:clear", {}); }, "danger"));
  view.show(state.isReadOnly ? null : faultForm(view), el("h2", {}, "Installed faults"), el("div", { class: "tools" }, clear), list);
  await repeat(view, 1000, async () => {
    const { faults = [] } = await control("GET", "faults", undefined, view.signal);
    if (clear) clear.hidden = !faults.length;
    keepFocus(list, () => list.replaceChildren(faults.length ? table(["Fault", "Kind", ["Struck", "n"], ""], faults.map(fault => [
      fault.text, badge(fault.verb.replaceAll("_", " ")), String(fault.fired),
      writes(() => button("Remove", async () => { await control("DELETE", `faults/${fault.fault}`); }, "danger", { "aria-label": `Remove ${fault.text}`, "data-focus": `fault-${fault.fault}` }))]))
      : empty("No fault is installed.", "A fault makes chosen requests of clients fail or wait, as a real service does now and then.")));
  }, list);
}

function faultForm(view) {
  const verb = choose(Object.entries(FAULTS).map(([name, [text]]) => [name, text]), "abort", draw), rpc = choose(RPCS.map(name => [name, name || "any request"]), "Commit");
  const more = el("span", { class: "tools" }), nth = el("input", { type: "number", min: 1, value: "1", class: "short" }), times = el("input", { type: "number", min: 1, value: "1", class: "short" });
  const tableName = el("input", { placeholder: "any", class: "short" }), tag = el("input", { placeholder: "any", class: "short" }), said = el("div");
  const scope = choose([[view.database, lastPart(view.database)], ["", "all databases"]], view.database);
  let own = [];
  function draw() {
    own = FAULTS[verb.value][1].map(([name, text, placeholder, read_]) => ({ name, read_, input: el("input", { placeholder, required: true, "aria-label": text }), text }));
    more.replaceChildren(...own.map(each => labelled(each.text, each.input)));
    nth.disabled = times.disabled = verb.value === "abort_rate";
  }
  draw();
  return el("form", { class: "panel", "aria-label": "New fault", onsubmit: async event => {
    event.preventDefault();
    const given = { rpc: rpc.value, database: scope.value, table: tableName.value, tag: tag.value };
    const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
    if (!nth.disabled) Object.assign(args, { nth: Number(nth.value), times: Number(times.value) });
    for (const each of own) args[each.name] = each.read_(each.input.value);
    try {
      const fault = await control("POST", "faults", { verb: verb.value, arguments: args });
      said.replaceChildren();
      tell(`Installed: ${fault.text}`);
    } catch (error) {
      said.replaceChildren(failure(error));
    }
  } },
  el("div", { class: "tools" }, labelled("Do", verb), more, labelled("to", rpc), labelled("of", scope)),
  el("div", { class: "tools" }, labelled("from number", nth), labelled("times", times), labelled("table", tableName), labelled("request tag", tag), el("button", { type: "submit", class: "primary" }, "Install")), said);
}

// ------------------------------------------------------------------ clock

const STEPS = [["1 minute", { minutes: 1 }], ["1 hour", { hours: 1 }], ["1 day", { days: 1 }], ["30 days", { days: 30 }]];

async function showClock(view) {
  const face = el("time", { class: "face", id: "face" }), mode = el("span");
  const at = el("input", { class: "mono", size: 28, "aria-label": "Time", placeholder: "2026-12-01T08:00:00Z" }), said = el("div");
  const perform = (verb, body, text) => async () => {
    try {
      const reply = await control("POST", `clock:${verb}`, body?.() ?? {});
      said.replaceChildren();
      tell(text?.(reply) ?? "Done.");
    } catch (error) {
      said.replaceChildren(failure(error));
    }
    await look();
  };
  let isFrozen = false;
  const freeze = button("Freeze", () => perform(isFrozen ? "thaw" : "freeze", null, () => isFrozen ? "The clock runs." : "The clock stands still.")(), "", { id: "freeze" });
  async function look() {
    const { now, frozen } = await control("GET", "clock", undefined, view.signal);
    isFrozen = frozen;
    face.textContent = now.slice(0, 19).replace("T", " ");
    face.setAttribute("datetime", now);
    mode.replaceChildren(frozen ? badge("frozen", "warn") : badge("runs", "good"));
    freeze.textContent = frozen ? "Let it run" : "Freeze";
    showTime(now, frozen);
  }
  view.show(
    el("p", { class: "clock" }, face, " ", el("span", { class: "faint" }, "UTC"), " ", mode),
    el("p", { class: "lead" }, "Commit timestamps, CURRENT_TIMESTAMP, stale reads, row deletion policies and version retention follow this clock."),
    state.isReadOnly ? null : [
      el("div", { class: "tools", role: "group", "aria-label": "Move forward" }, el("span", { class: "faint" }, "Move forward"), STEPS.map(([text, parts]) => button(text, perform("advance", () => parts, () => `The clock moved by ${text}.`)))),
      el("div", { class: "tools" }, freeze, labelled("Set to", at), button("Set", perform("set", () => ({ at: at.value }), () => "The clock was set.")), button("Back to the machine's time", perform("reset"))),
      el("h2", {}, "What follows time"),
      el("div", { class: "tools" }, button("Apply row deletion policies", perform("runTtl", null, reply => `${plural(reply.rows ?? 0, "row")} deleted.`), "danger"), button("Discard expired versions", perform("expireVersions", null, reply => `${plural(reply.versions ?? 0, "version")} discarded.`), "danger")),
    ], said);
  await repeat(view, 1000, look, said);
}

// ------------------------------------------------------------------ snapshots

async function showSnapshots(view) {
  const path = pathOf(view.database), said = el("div"), list = el("div");
  const name = el("input", { placeholder: "before the migration", "aria-label": "Name" });
  const guarded = action => async (...args) => {
    try {
      said.replaceChildren();
      await action(...args);
    } catch (error) {
      said.replaceChildren(failure(error));
    }
    await draw();
  };
  const take = guarded(async () => {
    await control("POST", `${path}:snapshot`, { name: name.value });
    name.value = "";
    tell("The snapshot was taken.");
  });
  const restore = guarded(async each => {
    const done = await ask(`Restore ${titleOf(each)}?`, el("p", {}, "Rows and schema become as they were. Open transactions are aborted; sessions and clients stay usable."), async () => {
      await control("POST", `${path}:restore`, { snapshot: each.snapshot });
      return true;
    }, { verb: "Restore", kind: "danger" });
    if (!done) return;
    tell(`${titleOf(each)} was restored.`);
  });
  const forget = guarded(async each => {
    await control("POST", `${path}:forget`, { snapshot: each.snapshot });
  });
  // The emulator holds a snapshot for a day after the last request for it.
  const titleOf = each => each.name || each.snapshot;
  async function draw() {
    const { snapshots: kept = [] } = await control("GET", `${path}/snapshots`);
    list.replaceChildren(kept.length ? table(["Snapshot", "Taken (UTC, by the emulator's clock)", ""], kept.map(each => [el("b", {}, titleOf(each)), moment(each.time), el("span", { class: "actions" },
      writes(() => [button("Restore", () => restore(each), "danger", { "aria-label": `Restore ${titleOf(each)}` }), button("Delete", () => forget(each), "danger", { "aria-label": `Delete ${titleOf(each)}` })]))]))
      : empty("There is no snapshot.", "A snapshot keeps the schema and all rows. Taking one copies nothing."));
  }
  view.show(writes(() => el("form", { class: "tools", onsubmit: event => { event.preventDefault(); take(); } }, labelled("Name", name), el("button", { type: "submit", class: "primary" }, "Take a snapshot"))), said, list);
  await draw();
}
