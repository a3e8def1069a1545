"""Statements that ran while a database was watched, and what their plans do with its tables.

The plans themselves belong to `sql`, which nothing here knows: `database.splits.query_uses` reads
them.
"""

from __future__ import annotations

from dataclasses import dataclass

Order = tuple[tuple[str, bool], ...]  # columns, and whether they are descending


@dataclass(frozen=True, slots=True)
class Access:
    """How a plan reads a table, by its key or by an index of it.

    `equal` are the leading key columns that are bound to one value. `fetched` are the columns that
    are looked up in the table for every entry of the index. `is_reversed`: from the last key to
    the first. `sorted_by`: the order that its rows are put in afterwards.
    """

    table: str
    index: str | None = None
    equal: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    is_reversed: bool = False
    sorted_by: Order = ()

    @property
    def thing(self) -> str:
        """The name of what is read first."""
        return self.index or self.table


@dataclass(frozen=True, slots=True)
class QueryUse:
    """A statement, and how often it ran."""

    text: str
    tag: str
    count: int
    accesses: tuple[Access, ...]

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables that it reads."""
        return frozenset(each.table for each in self.accesses)
