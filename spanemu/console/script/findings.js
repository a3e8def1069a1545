// Findings of the linter and of the hotspot detector, and the rules that they come from.

const SEVERITIES = ["error", "warning", "info"];  // the worst first

const ruleLink = id => el("a", { href: link("rule", { id, database: state.database }) }, id);
const severityBadge = severity => badge(severity, severity);
const worst = findings => SEVERITIES.find(severity => findings.some(finding => finding.severity === severity)) ?? "info";

// The name of a finding, as everywhere: "SPN802 MOVING_HOT_SPOT Singers(SingerId)", "SPN102 Visits(VisitTime)".
function findingNote(finding) {
  const location_ = finding.column ? `${finding.object}(${finding.column})` : finding.object;
  return el("article", { class: finding.severity },
    el("h3", {}, ruleLink(finding.rule ?? finding.id), " ", breakable([finding.reason, location_].filter(Boolean).join(" ")), " ", severityBadge(finding.severity)),
    el("p", {}, finding.message), finding.fix && el("p", {}, "Fix: ", fixText(finding.fix)));
}

// A script is code, advice is prose.
const fixText = fix => /^(CREATE|ALTER|DROP)/.test(fix) ? el("code", {}, fix) : fix;

// The page of a rule, or the list of all.
async function showRule(view) {
  const all = await (await request("GET", "rules.json", undefined, view.signal)).json();
  const rules = all[state.dialects.get(view.database) ?? "GOOGLE_STANDARD_SQL"], rule = rules[view.query.get("id")];
  if (!rule) {
    view.show(el("p", { class: "lead" }, "The rules of the linter and of the hotspot detector"),
      table([["Rule", "w"], ["Severity", "w"], "What"], Object.values(rules).map(each => [ruleLink(each.id), severityBadge(each.severity), each.title])));
    return;
  }
  const example = (title, sql) => sql && [el("h3", {}, title), el("pre", { class: "block" }, breakable(sql))];
  view.show(
    el("h2", {}, `${rule.id} ${rule.title} `, severityBadge(rule.severity)), el("p", {}, rule.why),
    facts([["Fix", fixText(rule.fix)], ["Decided from", rule.needs]]), rule.notes.map(note => el("p", { class: "faint" }, note)),
    example("Reported", rule.bad), example("Not reported", rule.good), el("p", {}, el("a", { href: link("rule", { database: state.database }) }, "All rules")));
}
