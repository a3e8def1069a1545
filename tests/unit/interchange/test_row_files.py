"""Rows that cannot be read are refused with their line; values of other tools are accepted."""

from __future__ import annotations

import io
from itertools import islice
from typing import Any, NamedTuple

import pytest

from spanemu.ddl.api import schema_of
from spanemu.interchange import row_files
from spanemu.interchange.row_files import Csv, InvalidRow, JsonLines

SCHEMA = schema_of(
    "CREATE TABLE T (A INT64, B BOOL, F FLOAT64, J JSON, L ARRAY<INT64>, S STRING(MAX)) "
    "PRIMARY KEY (A)"
)
TABLE = SCHEMA.tables[SCHEMA.fold("T")]
NAMES = [column.name for column in TABLE.columns]


class Row(NamedTuple):
    line: int
    columns: tuple[str, ...]
    cells: list[Any]


def rows_of(form, lines):
    for rows in form.read(lines, TABLE, NAMES):
        for line, *cells in zip(rows.lines, *rows.cells, strict=True):
            yield Row(line, rows.columns, cells)


def read(form, text):
    return list(rows_of(form, io.StringIO(text)))


def test_numbers_and_documents_of_other_tools_are_accepted():
    line = '{"a": 1, "J": {"x": [1]}, "F": 1, "L": [1, "2"], "B": false}\n'
    (row,) = read(JsonLines(), line)
    assert row.columns == ("a", "J", "F", "L", "B")
    assert row.cells == ["1", '{"x": [1]}', 1, ["1", "2"], False]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"A": 1}\n{"A": }\n', "line 2"),
        ("[1]\n", "line 1: a row is an object"),
        ('{"A": 1}\n\n{"Z": 1}', "line 3: table T has no column 'Z'"),
    ],
)
def test_an_invalid_json_line_is_named(text, words):
    with pytest.raises(InvalidRow, match=words):
        read(JsonLines(), text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,true,1,1,[],\n1,2\n", "line 2: 2 cells for 6 columns"),
        ("1,maybe,1,1,[],\n", "line 1: 'maybe' is not a BOOL"),
        ("1,true,one,1,[],\n", "line 1: "),
        ("1,true,1,1,{},\n", "line 1: '{}' is not a JSON array"),
        ('1,true,1,1,[],"x\n', "line "),
    ],
)
def test_an_invalid_line_of_csv_is_named(text, words):
    with pytest.raises(InvalidRow, match=words):
        read(Csv(), text)


def test_a_header_with_an_unknown_column_is_refused():
    with pytest.raises(InvalidRow, match=r"no column 'Z' .--csv-header takes the first line"):
        read(Csv(header=True), "A,Z\n1,2\n")


def test_lines_behind_a_header_and_long_rows_are_counted_by_their_beginning():
    text = 'S,B\n"a\nb",true\nc,true\n"d\n",maybe\n'
    with pytest.raises(InvalidRow, match=r"^line 5: 'maybe'"):
        read(Csv(header=True), text)


def test_arrays_of_csv_may_have_numbers():
    (row,) = read(Csv(), '1,true,1,{},"[1, null, ""2""]",\n')
    assert row.cells[4] == ["1", None, "2"]


def test_text_equal_to_the_null_marker_is_refused():
    batch = [["1"], [None], [None], [None], [None], ["-"]]
    with pytest.raises(InvalidRow, match="'-' is the text of NULL"):
        Csv(null="-").write(io.StringIO(), TABLE.columns, [batch])


@pytest.mark.parametrize("form", [JsonLines(), Csv()])
def test_a_table_needs_the_memory_of_a_few_rows(form, monkeypatch):
    monkeypatch.setattr(row_files, "_CHARS_TOGETHER", 1)
    monkeypatch.setattr(row_files, "_ROWS_AT_ONCE", 1)
    # A writer takes a batch when the last is written, and a reader a line when it is asked.
    text, sizes = io.StringIO(), []

    def batches():
        for number in range(3):
            sizes.append(len(text.getvalue()))
            yield [[str(number)], [None], [1.5], ["{}"], [["1"]], ["x"]]

    form.write(text, TABLE.columns, batches())
    assert 0 == sizes[0] < sizes[1] < sizes[2]
    lines = iter([*text.getvalue().splitlines(keepends=True), None])  # None is no line
    rows = rows_of(form, lines)
    assert [row.cells[0] for row in islice(rows, 3)] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("later", "message"),
    [('"open', "line 2: 'x' is not a number"), ("2,true\n", "line 2: 'x' is not a number")],
)
def test_the_first_invalid_row_is_named(later, message):
    with pytest.raises(InvalidRow, match=message):
        read(Csv(), f"1,true,1.5,{{}},[],a\n2,true,x,{{}},[],a\n{later}")


def test_numbers_may_be_null_or_special_among_many():
    lines = [
        f"{number},\\N,{value},\\N,[],\\N\n" for number, value in enumerate(("1", "NaN", "\\N"))
    ]
    assert [row.cells[2] for row in read(Csv(), "".join(lines))] == [1.0, "NaN", None]
    assert [row.line for row in read(Csv(), "".join(lines))] == [1, 2, 3]


@pytest.mark.parametrize("form", [JsonLines(), Csv()])
def test_a_large_cell_is_read(form):
    text, cell = io.StringIO(), "x" * 200_000
    form.write(text, TABLE.columns, [[["1"], [None], [None], [None], [None], [cell]]])
    text.seek(0)
    (row,) = rows_of(form, text)
    assert row.cells[-1] == cell


@pytest.mark.parametrize("value", ["{}", "[1]"])
def test_a_document_in_another_column_is_refused(value):
    with pytest.raises(InvalidRow, match=r"line 1: .* is not a value of INT64"):
        read(JsonLines(), f'{{"A": {value}}}')
