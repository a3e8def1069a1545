"""A short campaign over searches; `python -m tests.fuzz.searches` is long."""

from __future__ import annotations

import pytest

from spanemu.database.options import StatementRequest
from spanemu.schema.dialect import DatabaseDialect
from tests.fuzz.searches import STATEMENTS, Campaign, created

COUNT = 2_000
SEED = 20_265


@pytest.mark.parametrize("dialect", STATEMENTS)
def test_the_corpus_is_valid(dialect: DatabaseDialect) -> None:
    session = created(dialect).sessions.create({})
    for sql in STATEMENTS[dialect]:
        list(session.execute(StatementRequest(sql), None).rows)


def test_no_statement_crashes_or_hangs() -> None:
    findings = Campaign(SEED).run(COUNT)
    assert not findings.violations, "\n".join(findings.violations)
    assert findings.codes["OK"] > COUNT // 10
