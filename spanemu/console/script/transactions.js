// Open read-write transactions: what they hold, what they wait for, and whom they wait for.

async function showTransactions(view) {
  const list = el("div"), abortAll = writes(() => button("Abort all", async () => {
    await control("POST", `${pathOf(view.database)}/transactions:abort`, {});
    tell("All open transactions were aborted.");
  }, "danger", { disabled: true }));
  view.show(el("div", { class: "tools" }, el("span", { class: "faint" }, `Read-write transactions of ${lastPart(view.database)}, looked at every second`), abortAll), list);
  await repeat(view, 1000, async () => {
    const { transactions = [] } = await control("GET", `${pathOf(view.database)}/transactions`, undefined, view.signal);
    if (abortAll) abortAll.disabled = !transactions.length;
    keepFocus(list, () => list.replaceChildren(transactions.length ? waitTree(view, transactions)
      : empty("No transaction is open.", "A transaction appears here from its first request until it commits, rolls back or is aborted.")));
  }, list);
}

// Each transaction stands below the transaction that it waits for.
function waitTree(view, transactions) {
  const byId = new Map(transactions.map(each => [each.id, each]));
  const waiters = new Map(transactions.map(each => [each.id, []])), roots = [];
  for (const each of transactions) {
    const blocker = (each.waitsFor ?? []).find(id => byId.has(id));
    if (blocker === undefined) roots.push(each);
    else waiters.get(blocker).push(each);
  }
  const seen = new Set();
  function item(each) {
    seen.add(each.id);
    const below = waiters.get(each.id).filter(other => !seen.has(other.id)).map(item);
    return el("li", {}, transactionCard(view, each, below.length), below.length ? el("ul", { "aria-label": `Waiting for ${each.id}` }, below) : null);
  }
  const drawn = roots.map(item);
  // Two transactions never wait for each other for long, but a list may be read while they do.
  for (const each of transactions) if (!seen.has(each.id)) drawn.push(item(each));
  return el("ul", { class: "tree plan", "aria-label": "Open transactions" }, drawn);
}

function transactionCard(view, each, waiting) {
  const tags = [each.transactionTag, each.requestTag].filter(Boolean), blockers = each.waitsFor ?? [];
  const blocking = each.locks.filter(lock => lock.waiters.length), others = each.locks.filter(lock => !lock.waiters.length);
  return el("div", { class: each.waits ? "card full" : "card", "data-transaction": each.id },
    el("div", { class: "card-head" },
      el("b", {}, each.session ? `Transaction ${each.id}` : "A single commit"), tags.map(tag => badge(tag, "accent")),
      each.waits || each.commits ? badge([each.waits ? "waits" : "", each.commits ? "in Commit" : "", each.waits && blockers.length ? `for ${blockers.join(", ")}` : ""].filter(Boolean).join(" "), "warn") : null,
      waiting ? badge(`${waiting} waiting`, "bad") : null,
      el("span", { class: "numbers" }, each.seconds === null ? "new" : `${duration(each.seconds)} old`, each.idleSeconds > 0.5 && ` · idle ${duration(each.idleSeconds)}`),
      each.session && writes(() => button("Abort", async () => {
        await control("POST", `${pathOf(view.database)}/transactions/${each.id}:abort`, {});
        tell(`Transaction ${each.id} was aborted.`);
      }, "danger", { "aria-label": `Abort transaction ${each.id}`, "data-focus": `abort-${each.id}` }))),
    el("div", { class: "card-notes" },
      each.lastStatement && el("pre", {}, breakable(each.lastStatement)),
      each.wants && el("div", { class: "wait" }, "Wants ", lockText(each.wants)),
      blocking.map(lock => el("div", { class: "blocks" }, "Holds ", lockText(lock), ` for which ${lock.waiters.length === 1 ? "transaction" : "transactions"} ${lock.waiters.join(", ")} ${lock.waiters.length === 1 ? "waits" : "wait"}`)),
      others.length ? el("details", { open: others.length <= 4, "data-key": each.id }, el("summary", {}, `${plural(others.length, blocking.length ? "other lock" : "lock")}`), el("ul", { class: "locks" }, others.slice(0, 200).map(lock => el("li", {}, lockText(lock))))) : null,
      each.locks.length ? null : el("div", { class: "faint" }, "No locks")));
}

const lockText = lock => [badge(lock.mode), " ", el("code", {}, breakable(lock.key)), lock.columns.length ? el("span", { class: "faint" }, ` ${lock.columns.join(", ")}`) : null];
