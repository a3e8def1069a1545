"""The public side of `spanemu.ddl`: parse, format, diff, dependencies; and the plan cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu.base.call import Call, Cancelled
from spanemu.ddl import dependencies, diff, format_ddl, parse, schema_of, statements_of
from spanemu.ddl.apply import plan_batch, plan_until_refusal
from spanemu.schema.objects import NO_TYPES
from spanemu.schema.schema import EMPTY
from spanemu.sql.ddl_ast import CreateIndex, CreateTable
from spanemu.sql.errors import DdlSyntaxFailure

FIXTURES = sorted((Path(__file__).parents[3] / "fixtures").glob("*.sql"))
SCHEMA = """
CREATE TABLE T (k INT64, a STRING(9)) PRIMARY KEY (k);
CREATE INDEX I ON T(a);
"""


def test_statements_have_their_positions() -> None:
    table, index = parse(f"-- head\n{SCHEMA}")
    assert isinstance(table.tree, CreateTable)
    assert isinstance(index.tree, CreateIndex)
    assert (table.line, index.line) == (3, 4)
    with pytest.raises(DdlSyntaxFailure):
        parse("CREATE TABEL T")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_layout_does_not_change_the_schema(path: Path) -> None:
    text = path.read_text()
    laid_out = format_ddl(text)
    assert format_ddl(laid_out) == laid_out
    assert [one.tree for one in parse(laid_out)] == [one.tree for one in parse(text)]


def test_comments_stay() -> None:
    laid_out = format_ddl("-- a\ncreate table T (k INT64, -- b\n) primary key (k); # c\n")
    assert [line for line in ("-- a", "-- b", "# c") if line not in laid_out] == []


EXPRESSIONS = """\
CREATE TABLE T (
  k INT64,
  CHECK (k < 5),
  a INT64 DEFAULT (IF(2 > 1, -1, 8 >> 1)),
  CONSTRAINT c CHECK (a > IF(k > 1 AND k < 2, 1, 2)),
  b INT64 AS (ARRAY_LENGTH(ARRAY<STRUCT<x INT64, y ARRAY<STRING>>>[(1, ["x"])])),
  c BOOL AS ([k] = [1][OFFSET(0)]),
) PRIMARY KEY (k);
"""
MODEL = (
    "CREATE MODEL M INPUT (a INT64) OUTPUT (b STRUCT<x ARRAY<FLOAT64>>) REMOTE "
    "OPTIONS (endpoints = ['e', 'f'], default_batch_size = 3);\n"
)


@pytest.mark.parametrize("text", [EXPRESSIONS, MODEL])
def test_angle_brackets_enclose_types_or_compare(text: str) -> None:
    assert format_ddl(text) == text
    assert format_ddl(text.replace(" = [", "=[").replace("< 5", "<5").replace(", ", ",")) == text


GRAPH = """\
CREATE PROPERTY GRAPH g
  NODE TABLES (
    Label AS label KEY (label),
    T LABEL label NO properties
      dynamic label (c)
      dynamic properties (d)
  )
  EDGE TABLES (
    E
      SOURCE KEY (a, b) REFERENCES label
      DESTINATION KEY (c) REFERENCES T (x)
      DEFAULT LABEL PROPERTIES ALL COLUMNS EXCEPT (x)
      LABEL M PROPERTIES (p AS q, r)
  );
"""


def test_an_element_table_of_a_graph_has_a_line_for_each_of_its_parts() -> None:
    assert format_ddl(GRAPH) == GRAPH.replace("T LABEL label", "T\n      LABEL label")
    assert format_ddl(" ".join(GRAPH.split())) == format_ddl(GRAPH)


def test_a_schema_and_its_text() -> None:
    schema = schema_of(SCHEMA)
    assert statements_of(schema)[1] == "CREATE INDEX I ON T(a)"
    assert diff(schema, schema_of(f"{text};" for text in statements_of(schema))) == []


def test_destructive_steps_are_marked() -> None:
    way = diff(schema_of(SCHEMA), schema_of("CREATE TABLE T (k INT64) PRIMARY KEY (k)"))
    assert [(step.statement, step.destructive) for step in way] == [
        ("DROP INDEX I", False),
        ("ALTER TABLE T DROP COLUMN a", True),
    ]


def test_a_dependency_says_why_it_exists() -> None:
    schema = schema_of(
        SCHEMA + "CREATE VIEW V SQL SECURITY INVOKER AS SELECT T.k FROM T;"
        "CREATE CHANGE STREAM S FOR T;"
        "CREATE TABLE C (k INT64, c INT64) PRIMARY KEY (k, c), INTERLEAVE IN PARENT T;"
    )
    assert {(one.source, one.target, one.reason) for one in dependencies(schema)} == {
        ("C", "T", "interleaved in parent"),
        ("I", "T", "index on"),
        ("S", "T", "watches"),
        ("V", "T", "reads"),
    }


def test_a_batch_is_planned_once() -> None:
    statements = ["CREATE TABLE Remembered (k INT64) PRIMARY KEY (k)"]
    first = plan_batch(statements, EMPTY)
    assert plan_batch(list(statements), EMPTY) is first
    assert plan_batch(statements, first[-1].schema.next(tables={})) is not first


def test_a_cancelled_batch_is_not_taken_for_a_refused_one() -> None:
    statements = ["CREATE TABLE Cancelled (k INT64) PRIMARY KEY (k)"]
    with Call() as call:
        call.cancel()
        with pytest.raises(Cancelled):
            plan_until_refusal(statements, EMPTY, NO_TYPES)
    assert len(plan_batch(statements, EMPTY)) == 1
