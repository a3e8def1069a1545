"""Findings of schemas in either dialect, for tests of rules."""

from __future__ import annotations

import re
from functools import cache

from spanemu import lint
from spanemu.ddl import schema_of
from spanemu.schema.dialect import dialect_named
from spanemu.schema.schema import Schema
from tests.dialects import postgresql_ddl

_IN_POSTGRESQL = (
    (r"\bTIMESTAMP NOT NULL OPTIONS \(allow_commit_timestamp ?= ?true\)",
     "spanner.commit_timestamp NOT NULL"),
    (r"\bTIMESTAMP\b", "timestamptz"),
    (r"\bBYTES\((MAX|\d+)\)", "bytea"),
    (r"\bJSON\b", "jsonb"),
    (r"\bFLOAT32\b", "real"),
    (r"\bBOOL\b", "boolean"),
    (r"\bTOKENLIST\b", "spanner.tokenlist"),
    (r"`(\w+)`", r'"\1"'),
    (r", ROW DELETION POLICY \(OLDER_THAN\((\w+), INTERVAL (\d+) DAY\)\)",
     r" TTL INTERVAL '\2 days' ON \1"),
)  # fmt: skip

# A fix that is a script, or becomes one on a condition: "If no query looks for NULL: CREATE ...".
_SCRIPT = re.compile(r"(?:If [^:]*: )*(?P<script>(?:CREATE|ALTER|DROP) .*)", re.DOTALL)


@cache
def findings(ddl: str, *select: str, dialect: str = "googlesql") -> tuple[lint.Finding, ...]:
    """Return the findings of a readable schema; by default, of the default rules."""
    report = lint.run(ddl, lint.Settings(dialect=dialect, select=select))
    assert not report.failures
    return report.findings


def only(id_: str, ddl: str, *select: str, dialect: str = "googlesql") -> lint.Finding:
    """Return the single finding of a rule."""
    (finding,) = (
        finding for finding in findings(ddl, *select, dialect=dialect) if finding.id == id_
    )
    return finding


def ids(ddl: str, *select: str, dialect: str = "googlesql") -> set[str]:
    return {finding.id for finding in findings(ddl, *select, dialect=dialect)}


def applied(ddl: str, dialect: str = "googlesql") -> Schema:
    """Return the schema after statements that Spanner accepts."""
    return schema_of(ddl, dialect=dialect_named(dialect))


def script_of(fix: str) -> str | None:
    """Return the statements of a fix, if it is a script."""
    match = _SCRIPT.match(fix)
    return None if match is None else match["script"]


def fixed(ddl: str, finding: lint.Finding) -> str:
    """Return a schema followed by the script of a finding's fix."""
    script = script_of(finding.fix)
    assert script is not None, finding
    return f"{ddl.rstrip().rstrip(';')};\n{script}"


def in_postgresql(ddl: str) -> str:
    """Return a schema in PostgreSQL; rare forms are not rewritten, and then refused."""
    for pattern, replacement in _IN_POSTGRESQL:
        ddl = re.sub(pattern, replacement, ddl)
    return ";".join(postgresql_ddl(statement) for statement in ddl.split(";") if statement.strip())
