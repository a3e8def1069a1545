"""What is known while one statement is planned: schema, sizes, hints, and fresh column ids."""

from __future__ import annotations

from itertools import count
from typing import Any, Protocol

from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.plan.nodes import Node
from spanemu.sql.resolved import Hints, ResolvedColumn
from spanemu.values.types import Type


class Statistics(Protocol):
    """About how many rows a table has; a `RowReader` will do."""

    def row_count_estimate(self, table: Table) -> int:
        """Rows of `table`, roughly; free of charge."""
        ...


class Planning:
    """The surroundings of one run of the planner. Not shared between threads."""

    def __init__(
        self,
        schema: Schema,
        statistics: Statistics,
        hints: Hints = (),
        *,
        in_shares: bool = False,
    ) -> None:
        self.schema = schema
        self.statistics = statistics
        self.hints = dict(hints)
        # Whether only what a share of a hierarchy can do by itself is any good.
        self.in_shares = in_shares
        # By identity of the node, for `planner.estimate`; nodes are kept alive by being keys.
        self.estimates: dict[Node, Any] = {}
        # By name: rows are counted once, over all splits of a table.
        self.sizes: dict[str, int] = {}
        # Set while a correlated part is planned so that what ties it to the outer row is hashed.
        self.hashes_ties = False
        # The analyzer counts columns up from 0, so ids below zero are free.
        self._ids = count(-1, -1)

    def new_column(self, name: str, type_: Type) -> ResolvedColumn:
        """A column that the statement does not have yet."""
        return ResolvedColumn(next(self._ids), name, type_)

    def size(self, table: Table) -> int:
        """About how many rows a table has; the same throughout."""
        found = self.sizes.get(table.name)
        if found is None:
            found = self.sizes[table.name] = self.statistics.row_count_estimate(table)
        return found

    def hint(self, name: str, hints: Hints = ()) -> Any:
        """The value of a hint on a node, or else on the statement; text in upper case."""
        value = next((value for key, value in hints if key == name), self.hints.get(name))
        return value.upper() if isinstance(value, str) else value
