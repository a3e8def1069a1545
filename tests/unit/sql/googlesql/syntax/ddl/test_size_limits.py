"""The parser refuses an oversized schema statement at the limit."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.errors import StatementTooLarge, TooManyColumns
from spanemu.sql.googlesql.dialect import GOOGLESQL

UNREADABLE = " $ "
SUM = " + ".join(["1"] * 80)
CALLS = " AND ".join(["ABS(a) > 1"] * 400)
NAMES = ", ".join([f"c{number}" for number in range(1_025)])
ITEMS = ", ".join([f"c{number}" for number in range(10_001)])
CHECKS = ", ".join(["CHECK (a > 1)"] * 1_001)
COLUMNS = ", ".join([f"c{number} INT64" for number in range(10_001)])
FILTER = " AND ".join([f"c{number} IS NOT NULL" for number in range(1_025)])
LABELS = " ".join([f"LABEL c{number}" for number in range(10_001)])
NUMBERS = ", ".join(["1"] * 10_001)
SYNONYMS = ", ".join(["SYNONYM (s)"] * 1_001)
OPTIONS = ", ".join(["c = 1"] * 10_001)

# Each statement slightly exceeds a limit of Spanner.
TOO_LARGE = {
    "CHECK": (f"CREATE TABLE t (a INT64, CHECK (a > {SUM}", "nested boolean predicates"),
    "DEFAULT": (f"CREATE TABLE t (a INT64 DEFAULT ({SUM}", "nested boolean predicates"),
    "generated column": (f"CREATE TABLE t (a INT64 AS ({SUM}", "nested boolean predicates"),
    "SET DEFAULT": (f"ALTER TABLE t ALTER COLUMN a SET DEFAULT ({SUM}", "nested boolean predicates"),
    "calls": (f"ALTER TABLE t ADD CHECK ({CALLS} AND {CALLS}", "function calls"),
    "view": (f"CREATE VIEW v SQL SECURITY INVOKER AS SELECT {SUM}", "nested boolean predicates"),
    "key": (f"CREATE TABLE t (a INT64) PRIMARY KEY ({NAMES}", "columns in a list"),
    "index": (f"CREATE INDEX i ON t ({NAMES}", "columns in a list"),
    "STORING": (f"CREATE INDEX i ON t (a) STORING ({NAMES}", "columns in a list"),
    "foreign key": (f"ALTER TABLE t ADD FOREIGN KEY ({NAMES}", "columns in a list"),
    "options": (f"ALTER DATABASE d SET OPTIONS ({OPTIONS}", "items in a list"),
    "roles": (f"GRANT SELECT ON TABLE t TO ROLE {ITEMS}", "items in a list"),
    "constraints": (f"CREATE TABLE t (a INT64, {CHECKS}", "constraints of a table"),
    "synonyms": (f"CREATE TABLE t (a INT64, {SYNONYMS}", "constraints of a table"),
    "index filter": (f"CREATE INDEX i ON t (a) WHERE {FILTER}", "columns in a list"),
    "PARTITION BY": (f"CREATE SEARCH INDEX i ON t (a) PARTITION BY {NAMES}", "columns in a list"),
    "search ORDER BY": (f"CREATE SEARCH INDEX i ON t (a) ORDER BY {NAMES}", "columns in a list"),
    "model": (f"CREATE MODEL m INPUT ({COLUMNS}", "items in a list"),
    "node tables": (f"CREATE PROPERTY GRAPH g NODE TABLES ({ITEMS}", "items in a list"),
    "labels": (f"CREATE PROPERTY GRAPH g NODE TABLES (t {LABELS}", "items in a list"),
    "properties": (f"CREATE PROPERTY GRAPH g NODE TABLES (t PROPERTIES ({ITEMS}", "items in a list"),
    "proto bundle": (f"CREATE PROTO BUNDLE ({ITEMS}", "items in a list"),
    "option list": (f"ALTER DATABASE d SET OPTIONS (o = [{NUMBERS}", "items in a list"),
    "struct": (f"CREATE TABLE t (a STRUCT<{COLUMNS}", "items in a list"),
    "change stream": (f"CREATE CHANGE STREAM s FOR t({NAMES}", "columns in a list"),
}  # fmt: skip


@pytest.mark.parametrize("shape", TOO_LARGE)
def test_text_behind_the_limit_is_not_read(shape):
    text, what = TOO_LARGE[shape]
    with pytest.raises(StatementTooLarge) as caught:
        GOOGLESQL.parse_ddl(text + ", x" * 3_000 + UNREADABLE, DEFAULT_LIMITS)
    assert caught.value.what == what
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_columns_behind_the_limit_are_not_read():
    columns = ", ".join([f"c{number} INT64" for number in range(4_000)])
    with pytest.raises(TooManyColumns) as caught:
        GOOGLESQL.parse_ddl(f"CREATE TABLE t ({columns}{UNREADABLE}", DEFAULT_LIMITS)
    assert (caught.value.table, caught.value.limit) == ("t", 1_024)
    with pytest.raises(TooManyColumns):
        GOOGLESQL.parse_ddl(
            "CREATE TABLE t (a INT64, b INT64) PRIMARY KEY (a)", Limits(columns_per_table=1)
        )


def test_each_expression_of_a_statement_may_have_as_many_calls():
    checks = f", CHECK ({CALLS})" * 3
    columns = f", b INT64 AS (ABS(a)), c INT64 DEFAULT (ABS(1)){checks}"
    GOOGLESQL.parse_ddl(f"CREATE TABLE t (a INT64{columns}) PRIMARY KEY (a)", DEFAULT_LIMITS)


def test_schema_statements_without_limits_may_have_any_size():
    GOOGLESQL.parse_ddl(f"CREATE INDEX i ON t ({NAMES})")
