"""The first rows in order are those of a sort of all rows, whatever the bound drops."""

from __future__ import annotations

from math import copysign

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.base.call import Call, DeadlineExceeded
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.executor.operators import top_n
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.plan.nodes import Sort, TopN
from spanemu.sql.plan.traverse import map_parts, replace_fields
from spanemu.values.order import SortOrder
from tests.unit.sql.world import MemoryReader, ask, planned, run_for

NAN = float("nan")
RATINGS = st.sampled_from([None, NAN, -0.0, 0.0, 1.5, -2.0, float("inf"), float("-inf")])
NAMES = st.sampled_from([None, "", "a", "b", "é"])
ROWS = st.lists(st.tuples(NAMES, RATINGS), max_size=40)
KEY = st.tuples(
    st.sampled_from(["Rating", "FirstName", "MOD(SingerId, 3)", "-Rating"]),
    st.builds(SortOrder, st.booleans(), st.booleans(), st.booleans()),
)
LIMIT = " LIMIT 4 OFFSET 1"


def shown(rows: list) -> list:
    """Return rows in which NaN equals NaN, and -0.0 does not equal 0.0."""
    return [
        tuple((repr(cell), copysign(1, cell or 0)) for cell in row[:1]) + row[2:] for row in rows
    ]


def ordered(sql: str, orders: list[SortOrder], reader: MemoryReader) -> list:
    """Return the rows of a query in orders that no text can ask for, those of both dialects."""

    def changed(node):
        node = map_parts(node, changed, lambda expr: expr)
        if not isinstance(node, Sort | TopN):
            return node
        keys = [
            replace_fields(key, {"order": order})
            for key, order in zip(node.keys, orders, strict=True)
        ]
        return replace_fields(node, {"keys": tuple(keys)})

    plan = planned(sql, None, reader)
    executable = compile_plan(replace_fields(plan, {"root": changed(plan.root)}))
    return list(executable.run(run_for(executable, reader)))


@settings(max_examples=300, deadline=None)
@given(rows=ROWS, keys=st.lists(KEY, min_size=1, max_size=3))
def test_top_n_is_the_beginning_of_a_sort(rows, keys) -> None:
    singers = [(n, name, None, None, rating) for n, (name, rating) in enumerate(rows)]
    reader = MemoryReader({"Singers": singers})
    order = ", ".join(text for text, _ in keys)
    sql = f"SELECT Rating, FirstName, SingerId FROM Singers ORDER BY {order}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(top_n, "_SLACK", 0)
        best = ordered(sql + LIMIT, [order for _, order in keys], reader)
    assert shown(best) == shown(ordered(sql, [order for _, order in keys], reader)[1:5])


def test_rows_beyond_the_bound_are_dropped_at_once(monkeypatch) -> None:
    sorted_counts: list[int] = []
    compile_sorter = top_n.compile_sorter

    def counting(*arguments, **options):
        sort = compile_sorter(*arguments, **options)
        return lambda rows, run: (sorted_counts.append(len(rows)), sort(rows, run))

    monkeypatch.setattr(top_n, "compile_sorter", counting)
    singers = [(n, None, None, None, float(-n)) for n in range(20_000)]
    sql = "SELECT SingerId FROM Singers ORDER BY Rating DESC LIMIT 3"
    assert ask(sql, MemoryReader({"Singers": singers})) == [(0,), (1,), (2,)]
    assert sum(sorted_counts) < 2_000


def test_a_key_that_may_fail_is_computed_for_every_row() -> None:
    singers = [(n, None, None, None, float(n)) for n in range(5_000)]
    reader = MemoryReader({"Singers": singers})
    sql = "SELECT SingerId FROM Singers ORDER BY Rating, DIV(1, 4999 - SingerId) LIMIT 3"
    with pytest.raises(EvaluationError):
        ask(sql, reader)


def test_a_deadline_ends_a_top_n() -> None:
    singers = [(n, None, None, None, float(-n)) for n in range(5_000)]
    reader = MemoryReader({"Singers": singers})
    executable = compile_plan(planned("SELECT SingerId FROM Singers ORDER BY Rating DESC LIMIT 3"))
    with Call(deadline=0.0), pytest.raises(DeadlineExceeded):
        list(executable.run(run_for(executable, reader)))
