"""A short campaign over schema statements; `python -m tests.fuzz.ddl` is the long one."""

from __future__ import annotations

from tests.fuzz.ddl import Campaign, valid_statements

STATEMENTS = 1_500
SEED = 20_261


def test_the_corpus_has_every_verb() -> None:
    verbs = {statement.split()[0] for statement in valid_statements()}
    assert verbs >= {"CREATE", "ALTER", "DROP", "RENAME", "GRANT", "REVOKE"}


def test_no_statement_crashes_or_hangs() -> None:
    findings = Campaign(SEED).run(STATEMENTS)
    assert not findings.violations, "\n".join(findings.violations)
    assert findings.codes["OK"]
