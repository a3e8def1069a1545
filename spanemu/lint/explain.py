"""A rule in full, as `spanemu lint --explain SPN102` prints it."""

from __future__ import annotations

from spanemu.lint.rule import Evidence, Rule
from spanemu.lint.rules import DETECTED, RULES

_NEEDS = {
    Evidence.DDL: "the schema",
    Evidence.VALUES: "values",
    Evidence.LOAD: "load",
    Evidence.QUERIES: "queries",
}


def explain(id_: str) -> str:
    """What a rule finds and why, what to do, and an example either way. Raises KeyError."""
    return "\n".join(_lines(RULES[id_.strip().upper()]))


def _lines(rule: Rule) -> list[str]:
    evidence = ", ".join(_NEEDS[Evidence(letter)] for letter in rule.evidence)
    lines = [f"{rule.id} ({rule.severity}): {rule.title}", "", rule.why, ""]
    lines += [f"Decided from: {evidence}", f"Fix: {fix_text(rule)}"]
    if rule.check is None:
        lines += ["", "The linter cannot decide this."]
    if rule.id in DETECTED:
        lines += ["", "The report on hotspots tells it from what was written and read."]
    if rule.rate:
        lines += ["", "Spared for tables marked low-rate."]
    for title, example in (("Fires on", rule.bad), ("Not on", rule.good)):
        if example:
            lines += ["", f"{title}:", *(f"    {line}" for line in example.splitlines())]
    return lines


def fix_text(rule: Rule) -> str:
    """The fix with the names of its blanks, or in words where it is all made up."""
    return _WORDED.get(rule.fix, rule.fix.replace("{", "<").replace("}", ">"))


_WORDED = {
    "{swap}": "another column first, a UUID, or a shard column",
    "{spread}": "an interleaved index, or a shard column first",
    "{without}": "CREATE NULL_FILTERED INDEX <object> ON <table>(...)",
}
