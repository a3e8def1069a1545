"""Whatever plan is chosen, the answer is that of the plan in which nothing was chosen.

The simple plan is the statement translated node by node: every table read whole, every condition
tested where it was written, every pair compared, every subquery run for every row.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.sql.executor.build import compile_plan
from spanemu.sql.executor.operators import apply_join, switching_join, top_n
from spanemu.sql.plan.statements import QueryPlan
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.translate import Translator
from tests.unit.sql.world import SCHEMA, MemoryReader, analyzed, planned, run_for

_NAN = float("nan")
ROWS = {
    "Singers": [
        (number, name, last, None, rating)
        for number, (name, last, rating) in enumerate(
            [
                ("Marc", "Smith", 4.5),
                ("Ann", "Smith", None),
                ("Bo", "Smythe", _NAN),
                ("Cy", None, -1.0),
                (None, "Reed", 0.0),
                ("Di", "Reed", 1.0),
            ],
            1,
        )
    ],
    "Albums": [
        (1, 1, "Go", 1),
        (1, 2, "Green", None),
        (1, 3, "Go", 3),
        (2, 1, "Total", 3),
        (2, 2, None, 2),
        (4, 1, None, 1),
        (6, 5, "Go", None),
    ],
    "Songs": [
        (1, 1, 1, "a", 10, "pop"),
        (1, 1, 2, "b", 2, "rock"),
        (2, 1, 1, "c", 3, "pop"),
        (2, 2, 3, None, 3, None),
        (6, 5, 1, "e", None, "pop"),
    ],
    "Visits": [
        ("Go", 3, "x"),
        ("Go", 1, None),
        ("Go", None, "y"),
        ("Green", 2, "z"),
        (None, 4, "w"),
    ],
}

_NUMBERS = {
    "Singers": ("SingerId",),
    "Albums": ("SingerId", "AlbumId", "Budget"),
    "Songs": ("SingerId", "AlbumId", "TrackId", "Duration"),
    "Visits": ("Moment",),
}
_TEXTS = {
    "Singers": ("FirstName", "LastName"),
    "Albums": ("Title",),
    "Songs": ("Name", "Genre"),
    "Visits": ("Page", "Note"),
}
_TABLES = st.sampled_from(sorted(_NUMBERS))
_SMALL = st.integers(0, 6).map(str)
_WORDS = st.sampled_from(["'Go'", "'Green'", "'Smith'", "'pop'", "'a'", "'x'"])
_METHODS = [f"@{{JOIN_METHOD={name}}}" for name in ("MERGE_JOIN", "HASH_JOIN", "APPLY_JOIN")]
_COMPARISON = st.sampled_from(["=", "=", "=", "<", "<=", ">", ">=", "!="])


@st.composite
def _number(draw: st.DrawFn, aliases: dict[str, str]) -> str:
    alias = draw(st.sampled_from(sorted(aliases)))
    return f"{alias}.{draw(st.sampled_from(_NUMBERS[aliases[alias]]))}"


@st.composite
def _text(draw: st.DrawFn, aliases: dict[str, str]) -> str:
    alias = draw(st.sampled_from(sorted(aliases)))
    return f"{alias}.{draw(st.sampled_from(_TEXTS[aliases[alias]]))}"


@st.composite
def _subquery(draw: st.DrawFn, aliases: dict[str, str], depth: int, select: str) -> str:
    table, alias = draw(_TABLES), f"q{depth}"
    known = {**aliases, alias: table}
    where = draw(_condition(known, depth + 1))
    if draw(st.booleans()):
        where = f"{draw(_number({alias: table}))} = {draw(_number(aliases))} AND {where}"
    column = select.format(draw(_number({alias: table})))
    return f"SELECT {column} FROM {table} {alias} WHERE {where}"


@st.composite
def _condition(draw: st.DrawFn, aliases: dict[str, str], depth: int = 0) -> str:
    kind = draw(st.integers(0, 14 if depth < 2 else 8))
    number = draw(_number(aliases))
    if kind <= 2:
        return f"{number} {draw(_COMPARISON)} {draw(_SMALL)}"
    if kind == 3:
        return f"{draw(_text(aliases))} {draw(_COMPARISON)} {draw(_WORDS)}"
    if kind == 4:
        return f"{number} {draw(_COMPARISON)} {draw(_number(aliases))}"
    if kind == 5:
        test = draw(st.sampled_from(["IS NULL", "IS NOT NULL", "IN (1, 3, NULL)", "IN (2, 3)"]))
        return f"{number} {test}"
    if kind == 6:
        low = draw(_SMALL)
        test = draw(st.sampled_from([f"BETWEEN {low} AND 4", "IN UNNEST([1, 4])", "NOT IN (1, 2)"]))
        return f"{number} {test}"
    if kind == 7:
        pattern = draw(st.sampled_from(["G%", "%e%", "S_ith", "Go", "%"]))
        return f"{draw(_text(aliases))} LIKE '{pattern}'"
    if kind == 8:
        return f"STARTS_WITH({draw(_text(aliases))}, {draw(_WORDS)})"
    if kind == 9:
        joint = draw(st.sampled_from([" AND ", " OR "]))
        parts = draw(st.lists(_condition(aliases, depth + 1), min_size=2, max_size=3))
        return f"({joint.join(parts)})"
    if kind == 10:
        return f"NOT ({draw(_condition(aliases, depth + 1))})"
    negation = draw(st.sampled_from(["", "NOT "]))
    if kind == 11:
        return f"{negation}EXISTS ({draw(_subquery(aliases, depth, '{}'))})"
    if kind == 12:
        return f"{number} {negation}IN ({draw(_subquery(aliases, depth, '{}'))})"
    if kind == 13:
        return (
            f"({number}, {draw(_number(aliases))}) IN UNNEST([(1, 1), (2, NULL), (1, 3), (2, 2)])"
        )
    return f"{number} {draw(_COMPARISON)} ({draw(_subquery(aliases, depth, 'MAX({})'))})"


@st.composite
def _selected(draw: st.DrawFn, outer: str) -> str:
    """Return a subquery as a value that depends on `outer` alone, so that equal rows stay equal."""
    table = draw(_TABLES)
    mine = {"v": table}
    tie = f"{draw(_number(mine))} = {outer}"
    where = " AND ".join([tie, *draw(st.lists(_condition(mine, 2), max_size=1))])
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return f", EXISTS (SELECT 1 FROM {table} v WHERE {where}) AS c"
    if kind == 1:
        return f", (SELECT v.FirstName FROM Singers v WHERE v.SingerId = {outer}) AS c"
    if kind == 2:
        return f", (SELECT v.Title FROM Albums v WHERE v.AlbumId = {outer} AND v.SingerId = 2) AS c"
    value = draw(st.sampled_from(["COUNT(*)", "COUNT({})", "SUM({})", "IFNULL(SUM({}), -5)"]))
    return f", (SELECT {value.format(draw(_number(mine)))} FROM {table} v WHERE {where}) AS c"


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Return a query over one to three tables, grouped or not, always in a total order."""
    count = draw(st.integers(1, 3))
    aliases: dict[str, str] = {}
    source = ""
    for number in range(count):
        alias, table = f"t{number}", draw(_TABLES)
        if not aliases:
            source = f"{table} {alias}"
            aliases[alias] = table
            continue
        mine = {alias: table}
        on = f"{draw(_number(aliases))} = {draw(_number(mine))}"
        kind = draw(st.sampled_from(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]))
        kind += draw(st.sampled_from(["", "", "", *_METHODS]))
        aliases[alias] = table
        if draw(st.booleans()):
            on += f" AND {draw(_condition(aliases, 2))}"
        source += f" {kind} {table} {alias} ON {on}"
    where = " AND ".join(draw(st.lists(_condition(aliases), max_size=3)))
    filter_ = f" WHERE {where}" if where else ""
    first, second = draw(_number(aliases)), draw(_text(aliases))
    if draw(st.integers(0, 3)) == 0:
        return f"SELECT {first} AS a, COUNT(*) AS n FROM {source}{filter_} GROUP BY a ORDER BY a, n"
    direction = draw(st.sampled_from(["", " DESC"]))
    limit = draw(st.sampled_from(["", "", " LIMIT 3", " LIMIT 2 OFFSET 1"]))
    selected = draw(_selected(first)) if draw(st.booleans()) else ""
    return (
        f"SELECT {first} AS a, {second} AS b{selected} FROM {source}{filter_} "
        f"ORDER BY a{direction}, b{direction}{limit}"
    )


def simple_answer(sql: str, reader: MemoryReader) -> list[object]:
    statement = analyzed(sql)
    translator = Translator(Planning(SCHEMA, reader))
    outputs = tuple(output.column for output in statement.output)
    node, columns = translator.query(statement.scan, outputs)
    executable = compile_plan(QueryPlan(("",) * len(columns), (), node, columns))
    return list(executable.run(run_for(executable, reader)))


def planned_answer(sql: str, reader: MemoryReader) -> list[object]:
    executable = compile_plan(planned(sql, None, reader))
    return list(executable.run(run_for(executable, reader)))


@settings(max_examples=60, deadline=None)
@given(sql=queries())
def test_the_plan_does_not_change_the_answer(sql: str) -> None:
    reader = MemoryReader(ROWS)
    assert planned_answer(sql, reader) == simple_answer(sql, reader), sql


@settings(max_examples=60, deadline=None)
@given(sql=queries())
def test_joins_that_change_their_method_do_not_change_the_answer(sql: str) -> None:
    reader = MemoryReader(ROWS)
    with pytest.MonkeyPatch.context() as patch:
        for module in (apply_join, switching_join):
            patch.setattr(module, "LOOK_UPS_MIN", 1)
        patch.setattr(switching_join, "_ROWS_A_POINT", 1_000)
        patch.setattr(switching_join, "_ROWS_A_RANGE", 1_000)
        patch.setattr(top_n, "_SLACK", 0)
        switched = planned_answer(sql, reader)
    assert switched == simple_answer(sql, reader), sql
