"""How a table with search functions in its conditions is read: by one search index, or not at all.

Without a search function, an index is read if its token lists know the rows better than any other
path (`acceleration`).

A query is legal if one search index of the table has all token lists that its search functions
search, every partition column has one value, and every filter of the index is a condition of the
query, too. FORCE_INDEX may name such an index without a search function. The base table answers no
search function.

    FROM Mail WHERE Box = 1 AND SEARCH(Tokens, 'apple') ORDER BY Sent DESC

    SearchScan Mail by ByBox seek=[Box = 1] search=SEARCH($Tokens, 'apple')

The entries of a search index are sorted as those of a secondary index, so that seeks, orders and
lookups of missing columns are those of `access_path`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from spanemu.base.record import dataclass
from spanemu.schema.indexes import SearchIndex
from spanemu.schema.table import Column
from spanemu.sql.functions.registry import SEARCHES, Operation
from spanemu.sql.plan.conditions import call_of, conjunction, conjuncts, equality, is_plain, negated
from spanemu.sql.plan.joins import ApplyJoin
from spanemu.sql.plan.nodes import Filter, Node, Project, Scan, SearchScan
from spanemu.sql.plan.traverse import free, parts, replace_fields, scope_of
from spanemu.sql.planner.acceleration import Implication, implication, is_implied
from spanemu.sql.planner.planning import ForcedIndexNotReady, Planning
from spanemu.sql.planner.search_errors import NoSearchIndex, SearchIndexUnusable
from spanemu.sql.resolved import And, ColumnRef, Expr, FunctionCall, Or, TokenColumn
from spanemu.values.types import TypeCode


class Reading(Protocol):
    """A reading of the entries of search indexes (`access_path`)."""

    def cost(self, scan: Scan, index: SearchIndex, share: float | None = None) -> float:
        """Return the cost of reading `scan` by an index, or a share of its entries."""
        ...

    def plan(self, scan: Scan, index: SearchIndex, conditions: Sequence[Expr]) -> Node:
        """Return the plan that reads `scan` by an index under conditions."""
        ...


def calls_in(conditions: Iterable[Expr]) -> Iterator[FunctionCall]:
    """Yield the calls of search functions in conditions, without those of subqueries."""
    pending = list(conditions)
    while pending:
        item = pending.pop()
        if isinstance(item, FunctionCall) and item.signature.operation in SEARCHES:
            yield item
        pending += [part for part in parts(item) if isinstance(part, Expr)]


def search_access(
    scan: Scan, conditions: Sequence[Expr], planning: Planning, reading: Reading
) -> Node | None:
    """Return a plan that reads a table by a search index; None if the query needs none."""
    calls = list(calls_in(conditions)) if planning.reads_tokens else []
    forced = _forced(scan, planning)
    if not calls and forced is None:
        return None
    query = _Query(scan, conditions, calls, planning)
    if forced is not None:
        _check(forced, query)
        index = forced
    else:
        index = min(_fitting(query), key=lambda each: reading.cost(scan, each))
    implied = implication(scan, conditions, index, planning)
    return _read(query, index, implied, reading)


def accelerated(
    scan: Scan, conditions: Sequence[Expr], planning: Planning, reading: Reading, cost: float
) -> Node | None:
    """Return a plan that reads a table by a search index at less than `cost`, if there is one.

    No condition calls a search function, but the token lists of the index say which rows may fulfil
    the conditions.
    """
    query = _Query(scan, conditions, (), planning)
    best: tuple[SearchIndex, Implication] | None = None
    for index in planning.schema.search_indexes.values():
        if index.table != scan.table.name or not index.ready or any(_obstacles(index, query)):
            continue
        implied = implication(scan, conditions, index, planning)
        if implied is not None and (needed := reading.cost(scan, index, implied.share)) < cost:
            best, cost = (index, implied), needed
    if best is None:
        return None
    return _read(query, *best, reading)


def _read(query: _Query, index: SearchIndex, implied: Implication | None, reading: Reading) -> Node:
    """Return the plan that reads a table by a search index."""
    scan, conditions = query.scan, query.conditions
    is_asked = bool(query.calls) or _forced(scan, query.planning) is not None
    fields = {name: getattr(scan, name) for name in _FIELDS}
    if implied is not None:
        fields["outputs"] += implied.outputs
        conditions = [*conditions, *conjuncts(implied.condition)]
    searching = SearchScan(**fields, accelerates=not is_asked)
    return _completed(reading.plan(searching, index, conditions))


_FIELDS = ("table", "outputs", "for_update", "hints", "tokens")


def with_tokens(scan: Scan, read: Callable[[Scan], Node]) -> Node:
    """Return a plan that computes the token lists of a scan from the rows that `read` reads."""
    held = {each.column.id for each in scan.tokens}
    outputs = tuple([pair for pair in scan.outputs if pair[0].id not in held])
    kept = tuple([column for column, _ in outputs])
    sources = tuple([pair for each in scan.tokens for pair in each.sources])
    rows = read(replace_fields(scan, {"outputs": outputs + sources, "tokens": ()}))
    computed = tuple([(each.column, each.value) for each in scan.tokens])
    return Project(rows, computed, kept)


@dataclass(frozen=True, eq=False)
class _Query:
    """A query of one table, with what it requires of the search index that answers it."""

    scan: Scan
    conditions: Sequence[Expr]
    calls: Sequence[FunctionCall]
    planning: Planning

    @property
    def searched(self) -> list[str]:
        """The names of the token lists that functions search or score."""
        used = self.planning.scored.union(*[free(call.arguments[0]) for call in self.calls])
        return [stored.name for column, stored in self.scan.outputs if column.id in used]

    def has_value(self, column: Column) -> bool:
        """Return whether a condition fixes a column to one value for the whole query."""
        return any(
            self._is(side, column) and not free(other)
            for condition in self.conditions
            for side, other in _sides(condition)
        )

    def rejects_null(self, column: str) -> bool:
        """Return whether a condition is that a column IS NOT NULL."""
        for condition in self.conditions:
            inside = negated(condition)
            test = None if inside is None else call_of(inside, Operation.IS_NULL)
            if test is not None and self._stored_name(test.arguments[0]) == column:
                return True
        return False

    def _is(self, side: Expr, column: Column) -> bool:
        return self._stored_name(side) == column.name

    def _stored_name(self, expr: Expr) -> str | None:
        if not isinstance(expr, ColumnRef):
            return None
        names = {column.id: stored.name for column, stored in self.scan.outputs}
        return names.get(expr.column.id)


def _sides(condition: Expr) -> Iterator[tuple[Expr, Expr]]:
    sides = equality(condition)
    if sides is not None:
        yield sides
        yield sides[::-1]


def _forced(scan: Scan, planning: Planning) -> SearchIndex | None:
    """Return the search index that a hint names."""
    forced = planning.hint("force_index", scan.hints)
    if forced is None:
        return None
    for index in planning.schema.search_indexes.values():
        if index.name.upper() == forced and index.table == scan.table.name:
            return index
    return None


def _check(index: SearchIndex, query: _Query) -> None:
    """Raise unless an index that a hint names fits a query."""
    if not index.ready:
        raise ForcedIndexNotReady(index.table, index.name)
    for reason in _obstacles(index, query):
        raise SearchIndexUnusable(index.name, reason)


def _fitting(query: _Query) -> Sequence[SearchIndex]:
    """Return the search indexes that fit a query, of which there must be one."""
    schema, table = query.planning.schema, query.scan.table
    of_table = [each for each in schema.search_indexes.values() if each.table == table.name]
    fitting = [each for each in of_table if each.ready and not any(_obstacles(each, query))]
    forced = query.planning.hint("force_index", query.scan.hints)
    function = _name_of(query.calls[0])
    if forced is not None:
        named = schema.index_in_any_case(forced)
        name = forced if named is None else named.name
        raise SearchIndexUnusable(name, f"is no search index, and {function} needs one")
    if fitting:
        return fitting
    if not of_table:
        raise NoSearchIndex(function, table.name, "it has none")
    reasons = [f"{each.name} {next(_obstacles(each, query), _UNREADY)}" for each in of_table]
    raise NoSearchIndex(function, table.name, ", ".join(reasons))


_UNREADY = "is not ready: its entries are still being written"


def _obstacles(index: SearchIndex, query: _Query) -> Iterator[str]:
    """Yield why an index cannot answer a query, as the end of a sentence that names the index."""
    held = {column.name for column in index.key}
    for name in query.searched:
        if name not in held:
            yield f"does not index the TOKENLIST column {name}"
    for column in index.partition_by:
        if not query.has_value(column):
            yield (
                f"is partitioned by {column.name}, and the query has no condition that "
                f"{column.name} equals a constant or parameter"
            )
    for column in index.filtered:
        if not column.not_null and not query.rejects_null(column.name):
            yield (
                f"has no rows with NULL in {column.name}, and the query has no condition "
                f"{column.name} IS NOT NULL"
            )


def _name_of(call: FunctionCall) -> str:
    return call.signature.function.upper()


# ---------------------------------------------------------------------------- the plan


def _completed(node: Node) -> Node:
    """Return a plan whose documents are searched, and whose other rows have their token lists."""
    if isinstance(node, ApplyJoin):
        rows = node.right
        assert isinstance(rows, Scan)
        needed = tuple([each for each in rows.tokens if each.column.id in rows.ids])
        entries = _completed(node.left)
        if not needed:
            return replace(node, left=entries)
        return replace(node, left=entries, right=_computed(rows, needed))
    assert isinstance(node, SearchScan)
    return _searching(node)


def _computed(rows: Scan, tokens: tuple[TokenColumn, ...]) -> Node:
    """Return a lookup of a row that computes token lists, on which conditions may depend."""
    ids = {each.column.id for each in tokens}
    conditions = list(conjuncts(rows.residual))
    late = conjunction([each for each in conditions if free(each) & ids])
    early = conjunction([each for each in conditions if not free(each) & ids])
    plain = replace_fields(rows, {"residual": early, "tokens": tokens})
    node = with_tokens(plain, lambda scan: scan)
    return node if late is None else Filter(node, late)


def _searching(scan: SearchScan) -> SearchScan:
    """Return a scan with its conditions on token lists as its search."""
    ids = {column.id for column, stored in scan.outputs if _is_tokens(stored)}
    conditions = list(conjuncts(scan.residual))
    search = [each for each in conditions if _is_search(each, ids) or _is_mixed(each, scan, ids)]
    others = [each for each in conditions if each not in search]
    changes = {"search": conjunction(search), "residual": conjunction(others), "tokens": ()}
    return replace_fields(scan, changes)


def _is_tokens(column: Column) -> bool:
    return column.type.code is TypeCode.TOKENLIST


def _is_search(condition: Expr, ids: set[int]) -> bool:
    """Return whether a condition is made of calls of search functions alone."""
    if isinstance(condition, And | Or):
        return all(_is_search(each, ids) for each in condition.operands)
    inside = negated(condition)
    if inside is not None:
        return _is_search(inside, ids)
    if is_implied(condition):
        return True
    if not isinstance(condition, FunctionCall) or condition.signature.operation not in SEARCHES:
        return False
    tokens, *constants = condition.arguments
    is_constant = not any(free(each) or scope_of(each).is_volatile for each in constants)
    return is_constant and free(tokens) <= ids


def _is_mixed(condition: Expr, scan: SearchScan, ids: set[int]) -> bool:
    """Return whether a condition is an OR of searches and of plain conditions on documents."""
    columns = scan.ids - ids

    def fits(part: Expr) -> bool:
        if isinstance(part, And | Or):
            return all(map(fits, part.operands))
        return _is_search(part, ids) or (is_plain(part) and free(part) <= columns)

    return isinstance(condition, Or) and any(calls_in([condition])) and fits(condition)
