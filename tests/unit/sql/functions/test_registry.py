"""The properties of functions that planner and executor use."""

from __future__ import annotations

import ast
from pathlib import Path

import spanemu.sql
from spanemu.sql.functions.postgresql.json.functions import FUNCTIONS as JSON_FUNCTIONS
from spanemu.sql.functions.registry import IMPLIED, Operation
from spanemu.sql.googlesql.catalog import CATALOG


def test_every_operation_is_that_of_the_function_of_its_name():
    of_the_planner = {Operation.QUERY_VECTOR, *IMPLIED}  # which no text calls
    named = {each.value: each for each in Operation if each not in of_the_planner}
    functions = {each.name: each for each in JSON_FUNCTIONS if each.name in named}
    functions |= {name: CATALOG.scalars[name] for name in named.keys() - functions.keys()}
    assert {name: function.operation for name, function in functions.items()} == named


def test_functions_carry_their_properties():
    assert CATALOG.scalars["STARTS_WITH"].operation is Operation.STARTS_WITH
    assert CATALOG.scalars["LENGTH"].cannot_fail
    assert CATALOG.scalars["REGEXP_CONTAINS"].is_slow
    assert CATALOG.aggregates["MAX"].is_max
    assert CATALOG.aggregates["SUM"].decorrelates
    assert not CATALOG.aggregates["ARRAY_AGG"].decorrelates
    assert CATALOG.aggregates["$count_star"].counts_rows


def test_planner_and_executor_compare_no_function_names():
    sql = Path(spanemu.sql.__file__).parent
    compared = [
        f"{path}:{node.lineno}"
        for stage in ("plan", "planner", "executor")
        for path in (sql / stage).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Compare) and ".signature.function" in ast.unparse(node)
    ]
    assert not compared, "add a property to Signature"
