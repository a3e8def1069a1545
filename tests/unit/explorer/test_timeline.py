"""Timelines as text, in columns and below each other, and the rows in them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from spanemu import Emulator
from spanemu.explorer.cells import NOW, RowWriter
from spanemu.explorer.timeline import (
    Ending,
    Entry,
    Line,
    Timeline,
    columns_width,
    timeline_text,
)

TIMELINE = Timeline(
    "lost update",
    "lost update of T(1)",
    "Do better.",
    "ABA",
    3,
    ("ann", "bob"),
    (
        Entry(1, 0, (Line("request", "SELECT 1", "a.py:1"), Line("read", "T(1) A=1", mark="<"))),
        Entry(2, 1, (Line("request", "COMMIT"), Line("note", "waits"))),
        Entry(3, 0, (Line("request", "COMMIT"), Line("write", "T(1) A 1 -> 2"))),
    ),
    (),
    (Ending("got", "T (1, 2)"), Ending("ann then bob", "T (1, 3)")),
)


def test_lines_stand_in_the_column_of_their_actor() -> None:
    lines = timeline_text(TIMELINE).splitlines()
    assert lines[:3] == [
        "lost update of T(1)",
        "advice: Do better.",
        "explored 3 schedules; repeat it with --spanner-schedule=ABA",
    ]
    column = lines[4].index("bob")
    assert lines[6] == " 1  SELECT 1  a.py:1"
    assert lines[7] == "      read   T(1) A=1 <"
    assert lines[8] == f" 2{' ' * (column - 2)}COMMIT"
    assert lines[9] == f"{' ' * (column + 2)}waits"
    assert lines[-2:] == ["    got           T (1, 2)", "    ann then bob  T (1, 3)"]
    assert max(map(len, lines[4:10])) <= columns_width(2)


def test_narrow_terminals_have_the_name_in_front() -> None:
    lines = timeline_text(TIMELINE, in_columns=False).splitlines()
    assert lines[4:7] == [
        " 1  ann: SELECT 1  a.py:1",
        "    ann:   read   T(1) A=1 <",
        " 2  bob: COMMIT",
    ]


def test_four_actors_have_no_columns() -> None:
    many = replace(TIMELINE, actors=("ann", "bob", "cat", "dan"))
    assert timeline_text(many) == timeline_text(many, in_columns=False)


def test_timelines_are_plain_data() -> None:
    data = json.loads(json.dumps(TIMELINE.to_json()))
    assert data["entries"][0]["lines"][1] == {
        "kind": "read",
        "text": "T(1) A=1",
        "site": "",
        "mark": "<",
    }


@pytest.fixture(scope="module")
def writer() -> Any:
    ddl = (
        "CREATE TABLE T (Id INT64, S STRING(10), D DATE, N NUMERIC, J JSON, B BYTES(9), Moment TIMESTAMP, "
        "L ARRAY<INT64>, Twice INT64 AS (Id * 2) STORED) PRIMARY KEY (Id)"
    )
    with Emulator() as emulator:
        handle = emulator.create_database("cells", [ddl])
        with handle.client().batch() as batch:
            batch.insert(
                "T",
                ["Id", "S", "D", "N", "B", "Moment", "L"],
                [(1, "a'b", "2024-02-29", "1.50", b"YQ==", "2001-02-03T00:00:00Z", [1, None])],
            )
        database = handle._database()
        (table,) = database.schema.tables.values()
        yield RowWriter(table, database.clock.peek()), next(iter(rows_of(database, table)))


def rows_of(database: Any, table: Any) -> Any:
    from spanemu.storage.layout import tree_of

    return [row for _, row in database.core.store.scan_items(tree_of(table))]


def test_cells_are_written_as_in_sql(writer: Any) -> None:
    rows, row = writer
    text = rows.row(row)
    for cell in ('S="a\'b"', 'D="2024-02-29"', "N=1.5", "J=NULL", "Twice=2"):
        assert cell in text
    assert 'Moment="2001-02-03T00:00:00Z"' in text
    assert "Id=" not in text


def test_reads_show_the_columns_that_were_read(writer: Any) -> None:
    rows, row = writer
    assert rows.row(row, 1) == "exists"
    assert rows.row(row, 2 << 1) == 'S="a\'b"'
    assert rows.row(None) == "no row"
    assert rows.rows([], -1) == "no row"


def test_updates_show_what_they_change(writer: Any) -> None:
    rows, row = writer
    after = tuple("c" if cell == "a'b" else cell for cell in row)
    assert rows.change(row, after) == 'S "a\'b" -> "c"'
    assert rows.change(row, row) == "unchanged"
    assert rows.change(None, row).startswith("no row -> S=")
    assert rows.change(row, None).endswith("-> no row")


def test_times_near_the_run_are_now(writer: Any) -> None:
    rows, row = writer
    old = next(cell for cell in row if isinstance(cell, int) and cell > 10**15)
    near = tuple(rows._now if cell == old else cell for cell in row)
    assert f"Moment={NOW}" in rows.row(near)
