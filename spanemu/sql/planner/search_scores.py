"""Scores where documents are found: a search scan computes them from the postings that it has.

    TopN 10 by $score DESC                      TopN 10 by $score DESC
    └─ Project score=SCORE($Tokens, 'cat')      └─ Project score=$SCORE
       └─ SearchScan T by I                        └─ SearchScan T by I scores=($SCORE=...)

Only operators that pass all columns on may lie between a scan and a call; elsewhere the function
reads the token list of each row.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan import nodes
from spanemu.sql.plan.joins import ApplyJoin
from spanemu.sql.plan.nodes import Node, SearchScan
from spanemu.sql.plan.traverse import free, map_parts, parts, replace_fields, scope_of
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    FunctionCall,
    Literal,
    ParameterRef,
    ResolvedColumn,
)

_PASSING = (nodes.Filter, nodes.Sort, nodes.TopN, nodes.Limit)
_SCORING = (*_PASSING, nodes.Project)
_SCORES = frozenset({Operation.SCORE, Operation.SCORE_NGRAMS})


def push_scores(node: Node, planning: Planning) -> Node:
    """Return a finished plan in which search scans compute the scores that are asked for."""
    node = map_parts(node, lambda below: push_scores(below, planning), _same)
    if not isinstance(node, _SCORING):
        return node
    scan = _scan_below(node.input)
    if scan is None or scan.search is None:
        return node
    calls = [call for part in parts(node) for call in _calls(part, scan)]
    if not calls:
        return node
    known = [(column, call) for column, call in scan.scores if isinstance(call, FunctionCall)]
    columns = {_key(call): column for column, call in known}
    added = {_key(call): call for call in calls if _key(call) not in columns}
    new = [(planning.new_column("SCORE", call.type), call) for call in added.values()]
    columns.update({_key(call): column for column, call in new})
    scored = replace_fields(scan, {"scores": (*scan.scores, *new)})
    return _with_references(_with_scan(node, scan, scored), columns)


def _same(expr: Expr) -> Expr:
    return expr


def _scan_below(node: Node) -> SearchScan | None:
    """Return the search scan whose rows a node passes on, with all columns."""
    while not isinstance(node, SearchScan):
        if isinstance(node, _PASSING):
            node = node.input
        elif isinstance(node, ApplyJoin) and node.back_join:
            node = node.left
        else:
            return None
    return node


def _calls(part: Node | Expr, scan: SearchScan) -> Sequence[FunctionCall]:
    if isinstance(part, Node):
        return ()
    calls = [call for inner in parts(part) for call in _calls(inner, scan)]
    if isinstance(part, FunctionCall) and part.signature.operation in _SCORES:
        tokens, *constants = part.arguments
        is_constant = not any(free(each) or scope_of(each).is_volatile for each in constants)
        if isinstance(tokens, ColumnRef) and _is_filled(part, tokens, scan) and is_constant:
            return [part, *calls]
    return calls


def _is_filled(call: FunctionCall, tokens: ColumnRef, scan: SearchScan) -> bool:
    """Return whether the postings of a token list are there: a score of n-grams needs them not."""
    if call.signature.operation is Operation.SCORE:
        return tokens.column.id in scan.ids
    return scan.search is not None and tokens.column.id in free(scan.search)


def _key(call: FunctionCall) -> Hashable:
    """Return a key that is equal for calls of the same function and arguments."""
    items: list[Hashable] = [call.signature.operation]
    for argument in call.arguments:
        if isinstance(argument, ColumnRef):
            items.append(argument.column.id)
        elif isinstance(argument, ParameterRef):
            items.append(("parameter", argument.name))
        elif isinstance(argument, Literal):
            items.append(("literal", argument.type, repr(argument.value)))
        else:
            items.append(("other", id(argument)))
    return tuple(items)


def _with_scan(node: Node, old: SearchScan, new: SearchScan) -> Node:
    if node is old:
        return new
    if isinstance(node, ApplyJoin):
        return replace_fields(node, {"left": _with_scan(node.left, old, new)})
    assert isinstance(node, _SCORING)
    return replace_fields(node, {"input": _with_scan(node.input, old, new)})


def _with_references(node: Node, columns: dict[Hashable, ResolvedColumn]) -> Node:
    """Return a node that refers to computed scores in place of calls."""

    def on_expr(expr: Expr) -> Expr:
        if isinstance(expr, FunctionCall) and expr.signature.operation in _SCORES:
            column = columns.get(_key(expr))
            if column is not None:
                return ColumnRef(expr.type, column)
        return map_parts(expr, _same_node, on_expr)

    return map_parts(node, _same_node, on_expr)


def _same_node(node: Node) -> Node:
    return node
