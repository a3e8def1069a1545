"""The order in which the terms of AND and OR are evaluated: cheap terms come first.

SQL promises no order. Spanner's users rely on the order all the same: in `n != 0 AND 1 / n > 2` the
first term guards the second. So a term moves forward only if it cannot fail, and only past terms
that cost more; all others keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.plan.traverse import scope_of
from spanemu.sql.resolved import Expr

_PLAIN, _SLOW, _QUERY = range(3)


def cheapest_first(terms: Sequence[Expr]) -> Sequence[Expr]:
    """Return `terms` with cheap terms that cannot fail before the terms that cost more."""
    costs = list(map(_cost, terms))
    if not any(costs):
        return terms
    ordered: list[tuple[int, Expr]] = []
    for cost, term in zip(costs, terms, strict=True):
        position = len(ordered)
        if not scope_of(term).may_fail:
            dearer = (index for index, (other, _) in enumerate(ordered) if other > cost)
            position = next(dearer, position)
        ordered.insert(position, (cost, term))
    return [term for _, term in ordered]


def is_plain(term: Expr) -> bool:
    """Return whether a term is cheap, cannot fail and has the same value each time."""
    scope = scope_of(term)
    return not (scope.has_query or scope.is_slow or scope.may_fail or scope.is_volatile)


def _cost(term: Expr) -> int:
    scope = scope_of(term)
    return _QUERY if scope.has_query else _SLOW if scope.is_slow else _PLAIN
