"""What changes from clause to clause: the names in scope, and what else may stand there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.sql.analyzer.analysis import Aggregation, Analysis, CommonTable
from spanemu.sql.analyzer.scope import Scope


@dataclass(slots=True)
class Env:
    """A place where expressions stand.

    `clause` is how messages call it ("WHERE clause"). With `aggregation`, aggregates may stand
    here; `in_aggregate` says that this is the inside of one. `outermost` says that a query here
    is the whole statement or the whole of a view: only such a one may begin with WITH.
    """

    analysis: Analysis
    scope: Scope
    clause: str
    common_tables: Mapping[str, CommonTable]
    aggregation: Aggregation | None = None
    in_aggregate: bool = False
    for_update: bool = False
    outermost: bool = False

    def inside(self, scope: Scope) -> Env:
        """The same place with more names in scope."""
        return Env(
            self.analysis,
            scope,
            self.clause,
            self.common_tables,
            self.aggregation,
            self.in_aggregate,
            self.for_update,
        )
