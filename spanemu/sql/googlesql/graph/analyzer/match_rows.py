"""The rows of a MATCH while its patterns are resolved: steps, conditions and computed columns.

Each step takes the rows of the steps before it. Conditions apply to the rows of all steps so far;
the planner moves them down where it can, but not into the scan of a path, which may choose among
paths. The rows are built once all columns that the query uses are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.googlesql.ast import Hint
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.identity import conjunction
from spanemu.sql.googlesql.graph.analyzer.table import GraphEnv, WorkingTable
from spanemu.sql.resolved import (
    Expr,
    FilterScan,
    Hints,
    JoinScan,
    JoinType,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SingleRow,
)

JOINS_MAX = 100  # of one graph query: graph.md, "Limits"
_JOINS = "joins of graph patterns"

# Returns the rows after a step, from the rows before it; None is one row without columns.
Step = Callable[["Scan | None"], Scan]


class MatchRows:
    """The rows of one MATCH, joined with those of the working table before it.

    With `uses_incoming`, the patterns declare elements of the working table again.
    `last_conditions` are those that come after all steps.
    """

    def __init__(
        self, node: ast.Match, table: WorkingTable, env: GraphEnv, *, uses_incoming: bool
    ) -> None:
        self.last_conditions: list[Expr] = []
        self._node = node
        self._table = table
        self._analysis = env.analysis
        self._hints: Hints = check_hints(node.hint, HintTarget.JOIN, env.analysis)
        self._steps: list[Step] = []
        self._conditions: list[Expr] = []
        self._computed: list[tuple[ResolvedColumn, Expr]] = []
        self._uses_incoming = uses_incoming
        self._is_lateral = False

    def require(self, conditions: Sequence[Expr]) -> None:
        """Keep only the rows of the steps so far for which the conditions are TRUE."""
        self._conditions.extend(conditions)

    def join(self, build: Callable[[], Scan], hint: Hint | None) -> None:
        """Add a step that joins the rows with others, which `build` returns."""
        hints = check_hints(hint, HintTarget.JOIN, self._analysis)
        if not self._steps:
            hints = hints or self._hints  # how the MATCH is joined with what stands before it
        if self._steps or not self._is_first:
            self._analysis.count(_JOINS, JOINS_MAX, self._node.at)

        def step(rows: Scan | None) -> Scan:
            if rows is None:
                return build()
            return JoinScan(JoinType.INNER, rows, build(), None, hints, of_pattern=True)

        self._steps.append(step)

    def add_step(self, step: Step) -> None:
        """Add a step over rows that satisfy the conditions so far."""
        self._flush()
        self._is_lateral = self._is_lateral or self._uses_incoming
        self._steps.append(step)

    def _flush(self) -> None:
        """Turn the conditions so far into a step."""
        if not self._conditions:
            return
        condition = conjunction(self._conditions)
        self._conditions = []
        self._steps.append(lambda rows: FilterScan(rows or SingleRow(), condition))

    def computed_column(self, value: Expr) -> ResolvedColumn:
        """Return a column of the rows after the MATCH, with a value over them."""
        column = self._analysis.column("$value", value.type)
        self._computed.append((column, value))
        return column

    def column_of_both(self, name: str, value: Expr) -> ResolvedColumn:
        """Return a column with a value over the rows and the elements of the working table."""
        self._is_lateral = self._is_lateral or self._uses_incoming
        column = self._analysis.column(name, value.type)
        self._computed.append((column, value))
        return column

    def copied_column(self, value: Expr) -> ResolvedColumn:
        """Return a column that repeats a value of the rows before the MATCH."""
        self._is_lateral = True
        return self.computed_column(value)

    # ------------------------------------------------------------------ the scan

    def build(self) -> Scan:
        """Return the rows after the MATCH, once everything that the query uses is requested."""
        before = None if self._is_first else self._table.build()
        conditions = self._conditions + self.last_conditions
        if self._node.optional:
            return self._optional(before, conditions)
        return self._filtered(self._stepped(before), conditions)

    @property
    def _is_first(self) -> bool:
        return not self._table.variables and self._table.is_unit

    def _stepped(self, rows: Scan | None) -> Scan:
        for step in self._steps:
            rows = step(rows)
        rows = rows or SingleRow()
        return ProjectScan(rows, tuple(self._computed)) if self._computed else rows

    @staticmethod
    def _filtered(rows: Scan, conditions: Sequence[Expr]) -> Scan:
        return FilterScan(rows, conjunction(conditions)) if conditions else rows

    def _optional(self, before: Scan | None, conditions: Sequence[Expr]) -> Scan:
        """Return each row with its matches, or with NULLs if there is none.

        Search functions are legal in a filter, and not in the condition of a join.
        """
        left = before or SingleRow()
        if self._is_lateral or self._analysis.traits.search:
            right = self._filtered(self._stepped(None), conditions)
            return JoinScan(JoinType.LEFT, left, right, None, self._hints, lateral=True)
        condition = conjunction(conditions)
        return JoinScan(JoinType.LEFT, left, self._stepped(None), condition, self._hints)
