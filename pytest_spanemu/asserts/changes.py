"""The condition of `spanner_assert.changes`: which changes a change stream has recorded.

An expected change is a tuple of the kind of change, the table and, optionally, columns that have
these values: ("UPDATE", "Orders", {"OrderId": 7, "Status": "PAID"}).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_spanemu.asserts.check import Check, FindProblem
from pytest_spanemu.asserts.request_text import counted

if TYPE_CHECKING:
    from datetime import datetime

    from spanemu.api.change_streams import (
        Change,
        ChangeStreamHandle,
        ChangeStreamsHandle,
        DataChangeRecord,
    )

__tracebackhide__ = True
MOD_TYPES = ("INSERT", "UPDATE", "DELETE")
ExpectedChange = tuple[str, str] | tuple[str, str, Mapping[str, Any]]


class ExpectedRow(NamedTuple):
    """An expected change of one row."""

    mod_type: str
    table: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, expected: ExpectedChange) -> ExpectedRow:
        """Return the expected change of a tuple. Raises ValueError for another form."""
        match expected:
            case (str() as mod_type, str() as table, *rest) if mod_type.upper() in MOD_TYPES:
                values = rest[0] if rest else {}
                if len(rest) <= 1 and isinstance(values, Mapping):
                    return cls(mod_type.upper(), table, values)
        raise ValueError(
            f"{expected!r} is no expected change: write ('INSERT', 'Table', {{'Column': value}}) "
            "with INSERT, UPDATE or DELETE"
        )

    def accepts(self, change: Change) -> bool:
        """Return whether a change is the expected one."""
        if (change.mod_type, change.table.lower()) != (self.mod_type, self.table.lower()):
            return False
        values = change.values
        return all(name in values and values[name] == each for name, each in self.values.items())

    def __str__(self) -> str:
        values = [f"{name}={value!r}" for name, value in self.values.items()]
        return " ".join([self.mod_type, self.table, *values])


class ChangesRule(NamedTuple):
    """The condition that a stream records exactly the changes of `rows`.

    Changes of different rows may come in any order. Only changes of `tables` count, if given.
    """

    stream: ChangeStreamHandle
    rows: Sequence[ExpectedRow]
    tables: frozenset[str] | None
    within: float

    @classmethod
    def of(
        cls,
        stream: ChangeStreamHandle,
        expected: Collection[ExpectedChange],
        tables: Collection[str] | None,
        within: float,
    ) -> ChangesRule:
        """Return the rule of an assertion's arguments. Raises ValueError for a wrong form."""
        names = None if tables is None else frozenset(name.lower() for name in tables)
        return cls(stream, [ExpectedRow.of(each) for each in expected], names, within)

    def problem(self, since: datetime | None) -> str | None:
        """Return a failure text unless the changes from `since` on are the expected ones.

        Waits for missing changes, at most `within` seconds.
        """
        records = self.stream.wait_until(
            lambda records: self._has_all(self._counting(records)), since=since, within=self.within
        )
        changes = self._counting(records)
        positions = self._positions(changes)
        is_complete = len(changes) == len(positions) and None not in positions
        if is_complete and _are_in_order(changes, positions):
            return None
        return self._text(changes, positions)

    def _counting(self, records: Iterable[DataChangeRecord]) -> list[Change]:
        changes = [change for record in records for change in record.changes]
        return [
            each for each in changes if self.tables is None or each.table.lower() in self.tables
        ]

    def _has_all(self, changes: Sequence[Change]) -> bool:
        return None not in self._positions(changes)

    def _positions(self, changes: Sequence[Change]) -> list[int | None]:
        """Return the position of the change that fits each row, None for a missing change."""
        free = dict(enumerate(changes))
        positions: list[int | None] = []
        for row in self.rows:
            fitting = [position for position, each in free.items() if row.accepts(each)]
            positions.append(fitting[0] if fitting else None)
            for position in fitting[:1]:
                del free[position]
        return positions

    def _text(self, changes: Sequence[Change], positions: Sequence[int | None]) -> str:
        expected, stream = counted(len(self.rows), "change"), self.stream.name
        first = f"Expected {expected if self.rows else 'no change'} in {stream}, saw {len(changes)}"
        lines = [
            f"  {' ' if position in positions else '+'} {change}"
            for position, change in enumerate(changes)
        ]
        lines += [
            f"  - {row}"
            for row, position in zip(self.rows, positions, strict=True)
            if position is None
        ]
        is_complete = len(changes) == len(positions) and None not in positions
        legend = "in another order" if is_complete else "- missing, + not expected"
        return "\n".join([f"{first} ({legend}):", *lines])


def _are_in_order(changes: Sequence[Change], positions: Sequence[int | None]) -> bool:
    """Return whether the positions of each row's changes rise."""
    last: dict[str, int] = {}
    for position in positions:
        if position is not None:
            change = changes[position]
            row = f"{change.table}{change.key}"
            if position < last.get(row, -1):
                return False
            last[row] = position
    return True


def changes_check(rule: ChangesRule, streams: ChangeStreamsHandle) -> Check:
    """Return the check of the changes that `streams` have, or of those of a block."""

    def begin() -> FindProblem:
        since = streams.from_now().since
        return lambda: rule.problem(since)

    return Check("changes", lambda: rule.problem(None), begin)
