"""Groups with many rows: what their aggregates make of the rows is kept in place of the rows.

Rows are gathered first, since most queries have few, and groups are aggregated fastest at once.
Only when many rows have come, and groups have several of them, are they folded into states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spanemu.sql.executor.batches import by_batch, full_batches
from spanemu.sql.executor.memory import FREE_ROWS, Holding
from spanemu.sql.executor.operators.aggregate_call import Fold
from spanemu.sql.executor.operators.buckets import Buckets, put
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Each
from spanemu.sql.executor.run import Run

ROWS_KEPT = 65_536  # before they are folded for the first time
ROWS_PER_GROUP_MIN = 4  # below that, states are no less to keep than rows

_GROUPS_CHECKED = 64

Group = tuple[Row, list[Any]]  # its first row, and a state for each aggregate


class FoldedGroups:
    """How to group rows by key and to aggregate them as they come.

    `keys_of` gives the groups of rows, `cells_of` what comes out for their keys.
    """

    def __init__(
        self, keys_of: Each, cells_of: Each, folds: Sequence[Fold], holding: Holding
    ) -> None:
        self._keys_of = keys_of
        self._cells_of = cells_of
        self._folds = folds
        self._holding = holding

    def rows(
        self,
        source: Iterable[Row],
        finish: Callable[[Sequence[Sequence[Row]], Run], list[Row]],
        run: Run,
    ) -> Iterator[Row]:
        """A row for each group, in the order in which they were first seen.

        `finish` makes those rows of groups of which all rows are there.
        """
        gathered: Buckets = {}
        folded: dict[Any, Group] = {}
        count, most = 0, ROWS_KEPT
        held = run.held
        for batch in full_batches(source):
            if len(batch) >= FREE_ROWS:
                self._holding.take(batch, run)
            put(gathered, self._keys_of(batch, run), batch)
            count += len(batch)
            if count < most:
                continue
            if len(gathered) * ROWS_PER_GROUP_MIN > count:
                most *= 2
            else:
                self._fold(gathered, folded, run)
                gathered, count, most = {}, 0, ROWS_KEPT
                run.held = held
                self._account(folded, run)
        if not folded:
            yield from by_batch(gathered.values(), lambda groups: finish(groups, run))
        else:
            self._fold(gathered, folded, run)
            yield from by_batch(folded.values(), lambda groups: self._results(groups, run))

    def _fold(self, gathered: Buckets, folded: dict[Any, Group], run: Run) -> None:
        for key, rows in gathered.items():
            group = folded.get(key)
            if group is None:
                group = folded[key] = rows[0], [new() for new, _ in self._folds]
            for state, (_, values_of) in zip(group[1], self._folds, strict=True):
                state.extend(values_of(rows, run))
            if len(folded) % _GROUPS_CHECKED == 0:
                self._check(group, len(folded), run)

    def _check(self, group: Group, count: int, run: Run) -> None:
        """Raise StatementTooLarge if `count` groups like this one are too large."""
        held = run.held
        self._holding.take_like((_contents(group),), count, run)
        run.held = held

    def _account(self, folded: dict[Any, Group], run: Run) -> None:
        last = folded[next(reversed(folded))]
        self._holding.take_like((_contents(last),), len(folded), run)

    def _results(self, groups: Sequence[Group], run: Run) -> list[Row]:
        keys = self._cells_of([first for first, _ in groups], run)
        return [
            (*cells, *[state.result() for state in states])
            for cells, (_, states) in zip(keys, groups, strict=True)
        ]


def _contents(group: Group) -> tuple[Any, ...]:
    """Return the row and the values that a group holds."""
    first, states = group
    return (first, *[state.result() for state in states])
