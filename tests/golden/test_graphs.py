"""Golden tests of graph queries: their resolved trees, their plans, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.base.errors import SpannerError
from spanemu.ddl.apply import plan_batch
from spanemu.schema.schema import EMPTY
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.resolved import Statement
from spanemu.values.types import SCALARS
from tests.golden.plan_text import plan_text
from tests.golden.resolved_tree import draw
from tests.golden.runner import Case, describe_failure, file_id, golden_files, run_golden
from tests.unit.sql.world import MemoryReader

# Cities and roads between them; drivers, and their visits of cities; nodes without a schema; accounts
# and payments, whose ends exist.
SCHEMA = plan_batch(
    [
        "CREATE TABLE City (id INT64 NOT NULL, name STRING(MAX), pop INT64) PRIMARY KEY (id)",
        "CREATE TABLE Driver (id INT64 NOT NULL, name STRING(MAX), home INT64) PRIMARY KEY (id)",
        "CREATE TABLE Road (a INT64 NOT NULL, b INT64 NOT NULL, n INT64 NOT NULL, km INT64, "
        "toll FLOAT64) PRIMARY KEY (a, b, n)",
        "CREATE TABLE Visit (driver INT64 NOT NULL, city INT64 NOT NULL, stars INT64) "
        "PRIMARY KEY (driver, city)",
        "CREATE INDEX RoadsTo ON Road (b)",
        "CREATE TABLE Free (id STRING(9) NOT NULL, label STRING(9), more JSON) PRIMARY KEY (id)",
        "CREATE PROPERTY GRAPH Net NODE TABLES (City LABEL City PROPERTIES (id, name, pop, "
        "pop * 2 AS twice) LABEL Named PROPERTIES (name), Driver LABEL Driver PROPERTIES (id, "
        "name, home) LABEL Named PROPERTIES (name)) EDGE TABLES (Road SOURCE KEY (a) REFERENCES "
        "City (id) DESTINATION KEY (b) REFERENCES City (id) LABEL Road PROPERTIES (km, toll), "
        "Visit SOURCE KEY (driver) REFERENCES Driver (id) DESTINATION KEY (city) REFERENCES City "
        "(id) LABEL Visit PROPERTIES (stars))",
        "CREATE PROPERTY GRAPH Loose NODE TABLES (Free LABEL Entity PROPERTIES (id) "
        "DYNAMIC LABEL (label) DYNAMIC PROPERTIES (more))",
        "CREATE TABLE Account (id INT64 NOT NULL, owner INT64, FOREIGN KEY (owner) REFERENCES "
        "Driver (id)) PRIMARY KEY (id)",
        "CREATE TABLE Pays (id INT64 NOT NULL, n INT64 NOT NULL, payee INT64 NOT NULL, "
        "amount INT64, FOREIGN KEY (payee) REFERENCES Account (id)) PRIMARY KEY (id, n), "
        "INTERLEAVE IN PARENT Account",
        "CREATE PROPERTY GRAPH Bank NODE TABLES (Account, Driver) EDGE TABLES (Pays SOURCE KEY "
        "(id) REFERENCES Account (id) DESTINATION KEY (payee) REFERENCES Account (id), Account AS "
        "Owned KEY (id) SOURCE KEY (owner) REFERENCES Driver (id) DESTINATION KEY (id) REFERENCES "
        "Account (id) LABEL Owned NO PROPERTIES)",
    ],
    EMPTY,
)[-1].schema


def _analyzed(case: Case) -> Statement:
    """Return the statement analyzed; `name=TYPE` declares a parameter."""
    declared = {name: SCALARS[word] for name, word in case.settings.items()}
    return GOOGLESQL.resolve(case.input, SCHEMA, declared)


def _plan(case: Case) -> str:
    reader = MemoryReader({}, SCHEMA)
    return plan_text(plan_statement(_analyzed(case), SCHEMA, reader))


def _failures(case: Case) -> str:
    """Run one statement a line, each of which must fail."""
    return "\n".join(_failure(line) for line in case.input.splitlines())


def _failure(line: str) -> str:
    try:
        GOOGLESQL.resolve(line, SCHEMA, {})
    except SpannerError as failure:
        return f"{describe_failure(failure)} | {failure}"
    return "analyzed"


COMMANDS = {"tree": lambda case: draw(_analyzed(case)), "plan": _plan, "failures": _failures}


@pytest.mark.parametrize("path", golden_files("graphs"), ids=file_id)
def test_graphs(path: Path, rewrite: bool) -> None:
    run_golden(path, COMMANDS, rewrite=rewrite)
