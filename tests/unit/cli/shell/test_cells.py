"""Cells as text and as values of JSON."""

from __future__ import annotations

import io

import pytest
from google.cloud.spanner_v1 import StructType, Type, TypeCode
from google.cloud.spanner_v1.param_types import Array, Struct
from rich.console import Console

from spanemu.cli.shell.cells import (
    TableColumn,
    _rich_table,
    json_of,
    print_table,
    printable,
    text_of,
    unique_names,
)

INT64, JSON, FLOAT64 = (
    Type(code=code) for code in (TypeCode.INT64, TypeCode.JSON, TypeCode.FLOAT64)
)
PAIR = Struct([StructType.Field(name="a", type_=INT64), StructType.Field(name="a", type_=INT64)])


@pytest.mark.parametrize(
    ("cell", "type_", "text", "value"),
    [
        (None, INT64, "NULL", None),
        (True, Type(code=TypeCode.BOOL), "true", True),
        ("9007199254740993", INT64, "9007199254740993", "9007199254740993"),
        (2.0, FLOAT64, "2", 2.0),
        (-0.0, FLOAT64, "-0", -0.0),
        (1e300, FLOAT64, "1e+300", 1e300),
        (0.1, FLOAT64, "0.1", 0.1),
        ("NaN", FLOAT64, "NaN", "NaN"),
        ('{"a":[1]}', JSON, '{"a":[1]}', {"a": [1]}),
        ("null", JSON, "null", None),
        (["1", None], Array(INT64), "[1, null]", ["1", None]),
        ([["1", "2"]], Array(PAIR), '[{"a": 1, "a_2": 2}]', [{"a": "1", "a_2": "2"}]),
    ],
)
def test_a_cell_has_a_text_and_a_value(cell, type_, text, value):
    assert text_of(cell, type_) == text
    assert json_of(cell, type_) == value


def test_names_of_an_object_are_unique():
    assert unique_names(["a", "", "a", "a_2"]) == ["a", "column_2", "a_2", "a_2_2"]


def test_control_characters_are_escapes():
    assert printable("a\x1b[31m\x07\r\x9b\tb\nc") == "a\\x1b[31m\\x07\\x0d\\x9b\tb\nc"


COLUMNS = [TableColumn("Id", "right"), TableColumn("漢字", "left"), TableColumn("Note", "left")]
ROWS = [
    ["1", "漢字テスト", None],
    ["20", "é\nzwei", "NULL"],
    ["300", "", "👩 emoji"],
    [None, "a", "b"],
]


def drawn(draw, width=200):
    text = io.StringIO()
    draw(Console(file=text, width=width, highlight=False))
    return text.getvalue()


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], []])
def test_a_table_is_drawn_as_by_rich(rows):
    expected = drawn(lambda console: console.print(_rich_table(COLUMNS, rows)))
    assert drawn(lambda console: print_table(console, COLUMNS, rows)) == expected


def test_a_narrow_terminal_breaks_cells():
    lines = drawn(lambda console: print_table(console, COLUMNS, [["1", "x", "y" * 90]]), 40)
    assert max(map(len, lines.splitlines())) <= 40
    assert lines.count("y") == 90


def test_a_terminal_shows_null_apart_from_its_text():
    text = io.StringIO()
    console = Console(file=text, width=80, force_terminal=True, color_system="standard")
    print_table(console, COLUMNS[:1], [[None], ["NULL"]])
    assert text.getvalue().count("\x1b[2m") == 1
