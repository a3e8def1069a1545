"""Seeks from conjuncts: which predicates bound a key, and how.

A conjunct becomes terms, each a constraint on one column of the scan. A key is then matched part by
part from the left: first points (=, IN, IS NULL), then at most one interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from spanemu.base.record import dataclass
from spanemu.schema.table import KeyPart
from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan.conditions import call_of, conjuncts, disjuncts
from spanemu.sql.plan.nodes import Among, Constraint, Equal, Prefixed, Seek, Within
from spanemu.sql.plan.traverse import free, scope_of
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, Literal, Or
from spanemu.values.types import BOOL, Type

_SEEKS_MAX = 64  # an OR of more branches is not split into seeks
_POINTS_MAX = 2_000  # nor are IN lists with more combinations


@dataclass(frozen=True, eq=False)
class Term:
    """A constraint on a column that a conjunct implies.

    `constraint` holds for the column when `conjunct` is TRUE; if `exact`, only then.
    """

    column: str
    constraint: Constraint
    conjunct: Expr
    exact: bool = True


class Terms:
    """A finder of terms over the columns of one scan; `stored` maps column ids to stored names."""

    def __init__(self, stored: Mapping[int, str]) -> None:
        self.stored = stored

    def of(self, conjunct: Expr) -> Iterator[Term]:
        """Yield the terms that `conjunct` implies; usually one or none."""
        if isinstance(conjunct, FunctionCall):
            finder = _FINDERS.get(conjunct.signature.operation)
            if finder is not None:
                yield from finder(self, conjunct)
        elif isinstance(conjunct, Or):
            yield from self._any_of(conjunct)
        elif isinstance(conjunct, ColumnRef) and conjunct.column.id in self.stored:
            yield self.term(conjunct, Equal(Literal(BOOL, True)), conjunct)

    def term(self, column: Expr, constraint: Constraint, conjunct: Expr) -> Term:
        """Return a term on a column for which `is_own` holds."""
        assert isinstance(column, ColumnRef)
        # A range of floats includes NaN, which satisfies no comparison.
        exact = not (column.type.is_float and isinstance(constraint, Within))
        return Term(self.stored[column.column.id], constraint, conjunct, exact)

    def is_own(self, expr: Expr, type_: Type | None = None) -> bool:
        """Return whether `expr` is a column of the scan, and has the type `type_` if given."""
        return (
            isinstance(expr, ColumnRef)
            and expr.column.id in self.stored
            and (type_ is None or expr.type == type_)
        )

    def is_outer(self, expr: Expr) -> bool:
        """Return whether `expr` has one value for the whole scan."""
        scope = scope_of(expr)
        return (
            scope.free.isdisjoint(self.stored)
            and not scope.is_volatile
            and not (scope.has_query and scope.free)
        )

    def _any_of(self, conjunct: Or) -> Iterator[Term]:
        """Yield the term of a disjunction on one column: c = 1 OR c = 2 OR c IN (3, 4)."""
        values: list[Expr] = []
        last: Term | None = None
        for branch in disjuncts(conjunct):
            term = next(self.of(branch), None)
            if term is None or (last is not None and last.column != term.column):
                return
            match term.constraint:
                case Equal(value, nulls=False):
                    values.append(value)
                case Among(items, None):
                    values.extend(items)
                case _:
                    return
            last = term
        if last is not None:
            yield replace(last, constraint=Among(tuple(values)), conjunct=conjunct)


def _comparison(terms: Terms, call: FunctionCall) -> Iterator[Term]:
    left, right = call.arguments
    operation = call.signature.operation
    assert operation is not None
    for column, other, seen in ((left, right, operation), (right, left, _MIRRORED[operation])):
        if terms.is_own(column, other.type) and terms.is_outer(other):
            yield terms.term(column, _COMPARED[seen](other), call)
            return


# The comparison that holds for (b, a) when the key holds for (a, b).
_MIRRORED = {
    Operation.EQUAL: Operation.EQUAL,
    Operation.LESS: Operation.GREATER,
    Operation.LESS_OR_EQUAL: Operation.GREATER_OR_EQUAL,
    Operation.GREATER: Operation.LESS,
    Operation.GREATER_OR_EQUAL: Operation.LESS_OR_EQUAL,
}

_COMPARED: Mapping[Operation, Callable[[Expr], Constraint]] = {
    Operation.EQUAL: Equal,
    Operation.LESS: lambda value: Within(high=value, high_closed=False),
    Operation.LESS_OR_EQUAL: lambda value: Within(high=value),
    Operation.GREATER: lambda value: Within(low=value, low_closed=False),
    Operation.GREATER_OR_EQUAL: lambda value: Within(low=value),
}


def _between(terms: Terms, call: FunctionCall) -> Iterator[Term]:
    value, low, high = call.arguments
    if (
        terms.is_own(value)
        and value.type == low.type == high.type
        and terms.is_outer(low)
        and terms.is_outer(high)
    ):
        yield terms.term(value, Within(low=low, high=high), call)


def _in_list(terms: Terms, call: FunctionCall) -> Iterator[Term]:
    value, *items = call.arguments
    if terms.is_own(value) and all(
        item.type == value.type and terms.is_outer(item) for item in items
    ):
        yield terms.term(value, Among(tuple(items)), call)


def _in_array(terms: Terms, call: FunctionCall) -> Iterator[Term]:
    value, array = call.arguments
    if terms.is_own(value) and array.type.element == value.type and terms.is_outer(array):
        yield terms.term(value, Among(array=array), call)


def _is_null(terms: Terms, call: FunctionCall) -> Iterator[Term]:
    (value,) = call.arguments
    if terms.is_own(value):
        yield terms.term(value, Equal(Literal(value.type, None), nulls=True), call)


def _not(terms: Terms, call: FunctionCall) -> Iterator[Term]:
    (inside,) = call.arguments
    if terms.is_own(inside):
        yield terms.term(inside, Equal(Literal(BOOL, False)), call)
        return
    test = call_of(inside, Operation.IS_NULL)
    if test is not None and terms.is_own(test.arguments[0]):
        # NOT NULL bounds a key on its own, and NaN is not NULL.
        term = terms.term(test.arguments[0], Within(), call)
        yield replace(term, exact=True)
    differs = call_of(inside, Operation.IS_DISTINCT)
    if differs is not None:
        yield from _not_distinct(terms, call, *differs.arguments)


def _not_distinct(terms: Terms, call: FunctionCall, left: Expr, right: Expr) -> Iterator[Term]:
    for column, other in ((left, right), (right, left)):
        if terms.is_own(column, other.type) and terms.is_outer(other):
            yield terms.term(column, Equal(other, nulls=True), call)
            return


def _is_bool(value: bool) -> Callable[[Terms, FunctionCall], Iterator[Term]]:
    def find(terms: Terms, call: FunctionCall) -> Iterator[Term]:
        (inside,) = call.arguments
        if terms.is_own(inside):
            yield terms.term(inside, Equal(Literal(BOOL, value)), call)

    return find


def _prefix(terms: Terms, call: FunctionCall) -> Iterator[Term]:
    value, prefix = call.arguments[:2]
    if terms.is_own(value, prefix.type) and terms.is_outer(prefix):
        is_pattern = call.signature.operation is Operation.LIKE
        term = terms.term(value, Prefixed(prefix, is_pattern), call)
        yield replace(term, exact=not is_pattern)


_FINDERS: Mapping[Operation | None, Callable[[Terms, FunctionCall], Iterator[Term]]] = {
    **dict.fromkeys(_COMPARED, _comparison),
    Operation.BETWEEN: _between,
    Operation.IN_LIST: _in_list,
    Operation.IN_ARRAY: _in_array,
    Operation.IS_NULL: _is_null,
    Operation.IS_TRUE: _is_bool(True),
    Operation.IS_FALSE: _is_bool(False),
    Operation.NOT: _not,
    Operation.STARTS_WITH: _prefix,
    Operation.LIKE: _prefix,
}


@dataclass(frozen=True, eq=False)
class Match:
    """The seeks on a key that some conjuncts make possible.

    `seek_conjuncts` contribute to the seeks; `covered` conjuncts need no test after the seek.
    """

    seeks: tuple[Seek, ...]
    seek_conjuncts: tuple[Expr, ...]
    covered: frozenset[int]  # ids of objects: expressions compare by identity


def match_key(key: Sequence[KeyPart], conditions: Sequence[Expr], terms: Terms) -> Match | None:
    """Return the best seeks into `key` that `conditions` allow; None if they do not bound it."""
    terms_found = [term for conjunct in conditions for term in terms.of(conjunct)]
    best = _match_parts(key, terms_found)
    for conjunct in conditions:
        if isinstance(conjunct, Or):
            best = _match_union(key, conjunct, terms_found, terms) or best
    return best


def _match_parts(key: Sequence[KeyPart], terms_found: Sequence[Term]) -> Match | None:
    points: list[Equal | Among] = []
    used: list[Term] = []
    last: Within | Prefixed | None = None
    size = 1
    for part in key:
        mine = [term for term in terms_found if term.column == part.column.name]
        point = _best_point(mine)
        if point is None or size * _count(point.constraint) > _POINTS_MAX:
            last, users = _interval(mine)
            used.extend(users)
            break
        assert isinstance(point.constraint, (Equal, Among))
        points.append(point.constraint)
        used.append(point)
        size *= _count(point.constraint)
    if not used:
        return None
    return Match(
        seeks=(Seek(tuple(points), last),),
        seek_conjuncts=tuple([term.conjunct for term in used]),
        covered=frozenset([id(term.conjunct) for term in used if term.exact]),
    )


def _best_point(terms: Iterable[Term]) -> Term | None:
    """Return the best point: rather one value than several, rather outer values than constants.

    The remaining terms are tested on the rows read, and a test without outer columns is cheaper.
    """
    points = [term for term in terms if isinstance(term.constraint, (Equal, Among))]
    return min(points, key=_rank, default=None)


def _rank(term: Term) -> tuple[bool, bool]:
    constraint = term.constraint
    if not isinstance(constraint, Equal):
        return True, True
    return False, not free(constraint.value)


def _match_union(
    key: Sequence[KeyPart], conjunct: Or, others: Sequence[Term], terms: Terms
) -> Match | None:
    """Return a seek for each branch of an OR, if every branch bounds the key further."""
    branches = list(disjuncts(conjunct))
    if len(branches) > _SEEKS_MAX:
        return None
    seeks: list[Seek] = []
    plain = _match_parts(key, others)
    size = plain.seeks[0].key_size if plain else 0
    seek_conjuncts: dict[int, Expr] = {id(conjunct): conjunct}
    covered = frozenset([id(term.conjunct) for term in others])
    is_exact = True
    for branch in branches:
        ours = list(conjuncts(branch))
        match = _match_parts(key, [*others, *(term for part in ours for term in terms.of(part))])
        if match is None or match.seeks[0].key_size <= size:
            return None
        seeks.extend(match.seeks)
        outside = {id(term.conjunct) for term in others}
        seek_conjuncts.update(
            {id(expr): expr for expr in match.seek_conjuncts if id(expr) in outside}
        )
        covered &= match.covered
        is_exact = is_exact and all(id(part) in match.covered for part in ours)
    if is_exact:
        covered |= {id(conjunct)}
    return Match(tuple(seeks), tuple(seek_conjuncts.values()), covered)


def _interval(terms: Iterable[Term]) -> tuple[Within | Prefixed | None, list[Term]]:
    """Merge the constraints on a key part into one interval, and return it with its terms."""
    merged: Within | None = None
    used: list[Term] = []
    for term in terms:
        constraint = term.constraint
        if isinstance(constraint, Prefixed) and merged is None:
            return constraint, [term]
        if not isinstance(constraint, Within):
            continue
        if merged is None:
            merged = constraint
        elif merged.low is None and constraint.high is None:
            merged = replace(merged, low=constraint.low, low_closed=constraint.low_closed)
        elif merged.high is None and constraint.low is None:
            merged = replace(merged, high=constraint.high, high_closed=constraint.high_closed)
        else:
            continue
        used.append(term)
    return merged, used


def _count(constraint: Constraint) -> int:
    return len(constraint.values) if isinstance(constraint, Among) and constraint.values else 1
