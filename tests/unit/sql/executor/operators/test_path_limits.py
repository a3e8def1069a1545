"""Path scans over dense graphs: deadlines, the memory of a statement, and work that is not done."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from spanemu.base.call import Call, DeadlineExceeded
from spanemu.sql import resolved as r
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.errors import StatementTooLarge
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.resolved import PathMode, PathPrefix
from spanemu.values.types import BOOL
from tests.unit.sql.executor.operators.path_world import (
    ACCOUNTS,
    SCHEMA,
    column,
    end_place,
    hop,
    lit,
    reader_of,
    ref,
    start_at,
    statement_of,
    step,
)
from tests.unit.sql.world import StatementContext

SIZE = 40
DENSE = {
    "Account": [(number, "") for number in range(SIZE)],
    "Transfer": [
        (source, target, target, 1 + (source * 7 + target) % 11)
        for source in range(SIZE)
        for target in range(SIZE)
    ],
}


def dense(
    upper: int | None, prefix: PathPrefix, mode: PathMode = PathMode.WALK, *, has_end: bool = False
) -> tuple[r.Scan, r.ResolvedColumn]:
    """Return paths of transfers from account 0, and the column with their last node."""
    transfers = hop(step("Transfer"), costs=prefix is PathPrefix.ANY_CHEAPEST)
    location, end = end_place(ACCOUNTS)
    starts, start = start_at(0)
    expected = None
    if has_end:
        number = column("finish")
        starts = r.ProjectScan(starts, ((number, lit(SIZE)),))
        expected = r.MakeElement(start.type, ACCOUNTS, (ref(number),))
    scopes = () if mode is PathMode.WALK else (r.PathScope(0, 0, mode),)
    segment = r.PathSegment((transfers,), 1, upper, place=location)
    return r.PathScan(starts, start, (segment,), prefix, expected, scopes), end


def running(scan: r.Scan, *outputs: r.ResolvedColumn, limit: int = 1 << 40) -> Any:
    reader = reader_of(DENSE)
    executable = compile_plan(plan_statement(statement_of(scan, *outputs), SCHEMA, reader), limit)
    return executable.run(Run(reader, (), StatementContext()))  # type: ignore[arg-type]


PREFIXES = list(PathPrefix)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("has_end", [False, True])
def test_a_passed_deadline_ends_a_search(prefix, has_end):
    scan, end = dense(6, prefix, has_end=has_end)
    with Call(deadline=0.0), pytest.raises(DeadlineExceeded):
        list(running(scan, end))


class CountingCall(Call):
    """A request that counts how often its deadline is checked."""

    checks = 0

    def check(self) -> None:
        self.checks += 1
        super().check()


def test_the_deadline_is_checked_for_each_last_node_that_fails():
    scan, end = dense(1, PathPrefix.ALL)
    assert isinstance(scan, r.PathScan)
    never = r.PathScope(0, 0, PathMode.WALK, r.Literal(BOOL, False))
    with CountingCall() as call:
        assert not list(running(replace(scan, scopes=(never,)), end))
    assert call.checks >= SIZE


@pytest.mark.parametrize("prefix", PREFIXES[1:])
def test_a_search_that_reaches_too_much_is_refused(prefix):
    scan, end = dense(None, prefix, PathMode.TRAIL)
    with pytest.raises(StatementTooLarge, match="Path"):
        list(running(scan, end, limit=2_000_000))


def test_a_search_without_modes_reaches_each_node_once():
    scan, end = dense(None, PathPrefix.ANY_SHORTEST)
    assert len(list(running(scan, end, limit=2_000_000))) == SIZE


def test_all_paths_stream():
    scan, end = dense(50, PathPrefix.ALL, PathMode.ACYCLIC)
    assert len(list(islice(running(scan, end, limit=1_000_000), 500))) == 500
