"""Calls of models and remote functions, moved out of expressions into nodes that call in batches.

    SELECT AI.SCORE(t.x) + 1 FROM t       Project $score + 1
                                          └─ RemoteCall AI.SCORE($x)
                                             └─ Scan t

Such a call is made once for each row that needs it, and never moves past anything that decides how
many rows there are: a condition without calls is tested first, and a LIMIT stops the rows before
they are sent. A call in a branch of CASE, or behind a term of AND or OR, has a guard. What cannot
be moved, such as a call in a lambda, is made row by row (`functions.remote_calls`).

A scalar subquery whose one row comes from the outer row becomes a call for the outer rows:

    UPDATE t SET e = (SELECT v FROM ML.PREDICT(MODEL m, (SELECT t.x AS content))) WHERE ...
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan.conditions import conjunction, conjuncts, is_plain
from spanemu.sql.plan.joins import Join, JoinKind
from spanemu.sql.plan.nodes import (
    Filter,
    Limit,
    Node,
    Project,
    RemoteCall,
    Sort,
    Subquery,
    Unit,
)
from spanemu.sql.plan.traverse import (
    free,
    has_query,
    is_volatile,
    map_parts,
    may_fail,
    replace_fields,
    substitute,
    walk,
)
from spanemu.sql.planner import decorrelate
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, LambdaExpr, Let, SubqueryKind

T = TypeVar("T")

# Functions whose arguments may be skipped although their guards are known.
_GUARDED = frozenset({Operation.COALESCE, Operation.IFNULL})


def makes_calls(item: Node | Expr) -> bool:
    """Return whether a node or an expression contains a call of a model or a remote function."""
    return is_volatile(item) and any(_is_call(part) for part in walk(item))


def _is_call(item: Node | Expr) -> bool:
    if isinstance(item, FunctionCall):
        return item.signature.target is not None
    return isinstance(item, RemoteCall)


class Lifting:
    """The calls moved out of expressions over the rows of a node, which `node` then makes."""

    def __init__(self, node: Node, planning: Planning) -> None:
        self.node = node
        self._ids = node.ids
        self._planning = planning
        self._lifted: dict[int, Expr] = {}  # by identity: what stands for a part of an expression
        self._kept_alive: list[Expr] = []

    def expr(self, expr: Expr) -> Expr:
        """Return an expression over the rows of `node`, without the calls that were moved."""
        return self._visit(expr, ()) if makes_calls(expr) else expr

    def in_parts(self, item: T) -> T:
        """Return an aggregate call or a sort key over the rows of `node`."""
        return map_parts(item, lambda node: node, self.expr)

    def _visit(self, expr: Expr, needed: Sequence[Expr]) -> Expr:
        if not makes_calls(expr):
            return expr
        result = self._moved(expr, needed)
        self._lifted[id(expr)] = result
        self._kept_alive.append(expr)
        return result

    def _moved(self, expr: Expr, needed: Sequence[Expr]) -> Expr:
        if isinstance(expr, (LambdaExpr, Let)):
            return expr
        if isinstance(expr, Subquery):
            return self._inlined(self._with_operand(expr, needed), needed)
        if isinstance(expr, FunctionCall):
            signature = expr.signature
            if signature.target is not None:
                return self._called(expr, needed)
            if signature.lazy and signature.operation not in _GUARDED:
                return expr
        return decorrelate.with_guards(expr, tuple(needed), self._visit)

    def _called(self, call: FunctionCall, needed: Sequence[Expr]) -> Expr:
        arguments = tuple([self._visit(argument, needed) for argument in call.arguments])
        guards = self._guards(needed)
        if guards is None:
            return replace_fields(call, {"arguments": arguments})
        target = call.signature.target
        assert target is not None
        column = self._planning.new_column(target.name, call.type)
        self.node = RemoteCall(
            self.node,
            target,
            arguments,
            (column,),
            self._planning.batch_rows(call.batch_rows, target),
            safe=call.safe,
            guard=conjunction(guards),
        )
        return ColumnRef(call.type, column)

    def _guards(self, needed: Iterable[Expr]) -> list[Expr] | None:
        """Return the conditions of a call, None if one of them cannot be tested beforehand."""
        guards = [self._in_terms_of_outputs(condition) for condition in needed]
        return guards if all(map(is_plain, guards)) else None

    def _in_terms_of_outputs(self, expr: Expr) -> Expr:
        """Return a condition in which the outputs of calls stand for the calls."""
        known = self._lifted.get(id(expr))
        if known is not None:
            return known
        if not makes_calls(expr):
            return expr
        return map_parts(expr, lambda node: node, self._in_terms_of_outputs)

    def _with_operand(self, subquery: Subquery, needed: Sequence[Expr]) -> Subquery:
        """Return a subquery without calls in the operand of IN, a value of the outer row."""
        if subquery.operand is None:
            return subquery
        operand = self._visit(subquery.operand, needed)
        return replace_fields(subquery, {"operand": operand})

    def _inlined(self, subquery: Subquery, needed: Sequence[Expr]) -> Expr:
        """Return the value of a subquery whose row is made of the outer row, or the subquery."""
        chain = _chain_of(subquery.node)
        is_of_outer_row = bool(free(subquery.node) & self._ids)
        if subquery.kind is not SubqueryKind.SCALAR or chain is None or not is_of_outer_row:
            return subquery
        guards = self._guards(needed)
        if guards is None or (guards and any(map(_may_fail_itself, chain))):
            return subquery
        for link in chain:
            if isinstance(link, Project):
                self.node = Project(self.node, link.computed, self.node.columns)
            else:
                both = conjunction([*guards, *conjuncts(link.guard)])
                self.node = replace_fields(link, {"input": self.node, "guard": both})
        (output,) = subquery.outputs
        return ColumnRef(output.type, output)


def _chain_of(node: Node) -> list[Project | RemoteCall] | None:
    """Return the nodes that compute a single row from nothing, lowest first; None for others."""
    chain: list[Project | RemoteCall] = []
    while isinstance(node, (Project, RemoteCall)):
        chain.append(node)
        node = node.input
    return chain[::-1] if isinstance(node, Unit) else None


def _may_fail_itself(link: Project | RemoteCall) -> bool:
    """Return whether the expressions of a node may fail."""
    values = [value for _, value in link.computed] if isinstance(link, Project) else link.arguments
    return any(map(may_fail, values))


def filtered(node: Node, condition: Expr, planning: Planning) -> Node:
    """Return the rows of a node that satisfy a condition with calls.

    Terms without calls are tested first; then each term with calls, for the rows that are left.
    """
    terms = [*conjuncts(condition)]
    plain = conjunction([term for term in terms if not makes_calls(term)])
    if plain is not None:
        node = Filter(node, plain)
    for term in terms:
        if makes_calls(term):
            lifting = Lifting(node, planning)
            rest = lifting.expr(term)
            node = Filter(lifting.node, rest)
    return node


def joined(join: Join, condition: Expr, planning: Planning) -> Node:
    """Return a join whose condition may have calls.

    Pairs of an inner join are made first. Of an outer join, terms of the right side select its rows
    beforehand; a call with values of both sides is made for each pair that is compared.
    """
    if join.kind is JoinKind.INNER:
        return filtered(replace_fields(join, {"condition": None}), condition, planning)
    terms = [*conjuncts(condition)]
    if join.kind is not JoinKind.LEFT or not any(map(makes_calls, terms)):
        return join
    left = join.left.ids
    of_right = conjunction([term for term in terms if not free(term) & left])
    others = conjunction([term for term in terms if free(term) & left])
    right = join.right if of_right is None else filtered(join.right, of_right, planning)
    return replace_fields(join, {"right": right, "condition": others})


def limited_first(limit: Limit) -> Node:
    """Move a LIMIT, with its ORDER BY, below calls that do not decide which rows there are."""
    sort = limit.input if isinstance(limit.input, Sort) else None
    links: list[Any] = []
    node = limit.input if sort is None else sort.input
    while isinstance(node, (Project, RemoteCall)):
        links.append(node)
        node = node.input
    while links and not isinstance(links[-1], RemoteCall):
        links.pop()
    if not links:
        return limit
    below: Node = links[-1].input
    if sort is not None:
        keys = [_below_links(key, links) for key in sort.keys]
        if any(free(key.value) - below.ids - _outer(limit) for key in keys):
            return limit
        if any(has_query(key.value) or is_volatile(key.value) for key in keys):
            return limit
        below = replace_fields(sort, {"input": below, "keys": tuple(keys)})
    result: Node = replace_fields(limit, {"input": below})
    for link in reversed(links):
        result = replace_fields(link, {"input": result})
    return result


def _below_links(key: Any, links: Sequence[Any]) -> Any:
    """Return a sort key in terms of the rows below the links."""
    value = key.value
    for link in links:
        if isinstance(link, Project):
            value = substitute(value, {column.id: made for column, made in link.computed})
    return replace_fields(key, {"value": value})


def _outer(node: Node) -> frozenset[int]:
    return free(node)
