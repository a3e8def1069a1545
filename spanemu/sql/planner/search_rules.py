"""Where search functions may stand, and which statements may search.

    SEARCH, SEARCH_SUBSTRING, SEARCH_NGRAMS     in WHERE, answered by a search index
    SCORE                                       anywhere in a query that searches
    neither                                     in DML, in partitioned queries, with FOR UPDATE

Transactions and partitions are known only to those who run a plan: see `reads_search_index`.
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.errors import SpannerError
from spanemu.sql.functions.registry import SEARCHES, Operation
from spanemu.sql.plan.nodes import Filter, Node, SearchScan
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import free, parts, walk
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.search_access import calls_in
from spanemu.sql.planner.search_errors import SearchForUpdate, SearchIndexUnusable, SearchMisplaced
from spanemu.sql.resolved import Expr, FunctionCall, Statement

_ALLOW = "@{ALLOW_SEARCH_INDEXES_IN_TRANSACTION=TRUE}"


def check_places(node: Node, planning: Planning) -> None:
    """Raise if a search function is used outside WHERE; record which token lists are scored.

    The plan must not be rewritten yet: rules move conditions.
    """
    for operator in _nodes(node):
        for part in parts(operator):
            if not isinstance(part, Expr):
                continue
            call = next(calls_in([part]), None)
            if call is not None and not isinstance(operator, Filter):
                name = call.signature.function.upper()
                raise SearchMisplaced(f"{name} may only be used in the WHERE clause of a query")
            planning.scored |= _scored(part)


def _nodes(node: Node) -> Iterator[Node]:
    return (each for each in walk(node) if isinstance(each, Node))


def _scored(expr: Expr) -> frozenset[int]:
    calls = [each for each in walk(expr) if isinstance(each, FunctionCall) and _is_score(each)]
    return frozenset().union(*[free(call.arguments[0]) for call in calls])


def _is_score(call: FunctionCall) -> bool:
    return call.signature.operation is Operation.SCORE


def check_plan(node: Node) -> None:
    """Raise unless a search index answers each search function of a plan, and each score.

    A query that scores must search, because SCORE ranks what a search found.
    """
    indexed = frozenset[int]()
    for scan in _nodes(node):
        if isinstance(scan, SearchScan):
            indexed |= scan.ids
    calls = [item for item in walk(node) if isinstance(item, FunctionCall)]
    searches = [call for call in calls if call.signature.operation in SEARCHES]
    for call in searches:
        if not free(call.arguments[0]) <= indexed:
            name = call.signature.function.upper()
            raise SearchMisplaced(f"no search index of one table can answer {name} here")
    if not searches and any(map(_is_score, calls)):
        raise SearchMisplaced("SCORE needs a search function in the same query")


def check_statement(plan: Plan, statement: Statement) -> None:
    """Raise if a statement that writes or locks rows reads a search index."""
    if not reads_search_index(plan):
        return
    if isinstance(plan, DmlPlan):
        raise SearchMisplaced("search functions and search indexes are not supported in DML")
    if getattr(statement, "for_update", False):
        raise SearchForUpdate()


def refused_in_transaction(plan: Plan) -> SpannerError:
    """Return the error of a plan that searches in a read-write transaction without the hint."""
    return _refused(
        plan,
        "transactional queries by default",
        f": the statement hint {_ALLOW} permits it, and locks a whole partition of the index",
    )


def refused_in_partitions(plan: Plan) -> SpannerError:
    """Return the error of a plan that searches in a partitioned query."""
    return _refused(plan, "partitioned queries", "")


def _refused(plan: Plan, kind: str, remedy: str) -> SpannerError:
    assert isinstance(plan, QueryPlan)
    scans = [each for each in walk(plan.root) if isinstance(each, SearchScan)]
    forced = next((each.index for each in scans if _is_forced(each)), None)
    if forced is not None:
        reason = f"is a SEARCH index type which is not supported for {kind}{remedy}"
        return SearchIndexUnusable(forced.name, reason)
    return SearchMisplaced(f"SQL Search functions are not supported for {kind}{remedy}")


def _is_forced(scan: SearchScan) -> bool:
    return any(name == "force_index" for name, _ in scan.hints)


def is_accelerated(plan: Plan) -> bool:
    """Return whether a plan reads a search index that the statement does not ask for."""
    assert isinstance(plan, QueryPlan | DmlPlan)
    return any(isinstance(each, SearchScan) and each.accelerates for each in walk(plan.root))


def reads_search_index(plan: Plan) -> bool:
    """Return whether a plan reads a search index."""
    assert isinstance(plan, QueryPlan | DmlPlan)
    return any(isinstance(each, SearchScan) for each in walk(plan.root))
