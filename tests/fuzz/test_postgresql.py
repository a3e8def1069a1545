"""A short campaign over PostgreSQL's statements; `python -m tests.fuzz.postgresql` is long."""

from __future__ import annotations

from tests.fuzz.postgresql import Campaign, valid_statements

STATEMENTS = 3_000
SEED = 20_263


def test_the_corpus_has_every_verb() -> None:
    verbs = {statement.lstrip("(").split()[0] for statement in valid_statements()}
    assert verbs >= {"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "CALL", "TABLE"}


def test_no_statement_crashes_or_hangs() -> None:
    findings = Campaign(SEED).run(STATEMENTS)
    assert not findings.violations, "\n".join(findings.violations)
    assert findings.codes["OK"]
