"""Chooses the overload of a function for a call, and binds the overload to the arguments.

An exact match wins, then the overload whose arguments cost least to coerce (`coercion.cost`), then
the overload listed first. A type variable stands for the common type of all its arguments. The
choice is cached by the types and kinds of the arguments, because most calls repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from spanemu.base.record import dataclass
from spanemu.sql.analysis.call_binding import Slot, bind
from spanemu.sql.functions.registry import (
    AggregateOverload,
    ArrayOf,
    LambdaOf,
    Overload,
    Pattern,
    Special,
    TypeVariable,
)
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.coercion import (
    Candidate,
    Kind,
    coerce,
    common_type_of,
    cost,
    kind_of,
    make_candidate,
)
from spanemu.sql.resolved import Expr, LambdaExpr, Literal, MakeArray
from spanemu.values.types import INT64, NUMERIC, SCALARS, STRING, Type, array_of

AnyOverload = Overload | AggregateOverload


@dataclass(frozen=True, slots=True)
class SpecialArgument:
    """An argument that is not a value: a date part, a sequence."""

    kind: str
    expression: Expr


@dataclass(frozen=True, slots=True)
class LambdaArgument:
    """A lambda whose body is resolved by `resolve` once the types of its parameters are known."""

    node: ast.Lambda
    resolve: Callable[[Sequence[Type]], LambdaExpr]


Argument = Expr | SpecialArgument | LambdaArgument


@dataclass(frozen=True, slots=True)
class Match:
    """An overload that accepts the arguments, with the target type of each slot."""

    overload: AnyOverload
    slots: tuple[Slot, ...]
    targets: tuple[Type, ...]
    result: Type
    cost: int
    lambdas: Mapping[int, LambdaExpr] = field(default_factory=dict)  # by argument index


class _Missing:
    """The type of the marker for calls that are not cached."""


_MISSING = _Missing()


def choose(
    overloads: Sequence[AnyOverload],
    arguments: Sequence[Argument],
    names: Mapping[str, int],
    analysis: Analysis,
) -> Match | None:
    """Return the overload to call, or None if none matches.

    `names` maps lower-cased names to the indexes of the trailing, named arguments.
    """
    key = None
    if not names and len(arguments) <= _CACHED_ARGUMENTS_MAX:
        key = _cache_key(overloads, arguments, analysis)
    if key is not None:
        # A single lookup: another thread can clear the cache.
        cached = _cached_matches.get(key, _MISSING)
        if not isinstance(cached, _Missing):
            return cached
    best: Match | None = None
    for overload in overloads:
        slots = bind(overload.parameters, len(arguments) - len(names), names)
        if slots is None:
            continue
        match = _match(overload, slots, arguments, analysis)
        if match is not None and (best is None or match.cost < best.cost):
            best = match
            if not match.cost:
                break
    if key is not None:
        if len(_cached_matches) >= _CACHED_MATCHES_MAX:
            _cached_matches.clear()
        _cached_matches[key] = best
    return best


# Keyed by the identity of the overloads, which live as long as the catalog, and by the types and
# kinds of the arguments. Clearing a full cache costs less than tracking the order of use.
_CACHED_MATCHES_MAX = 20_000
_CACHED_ARGUMENTS_MAX = 16
_cached_matches: dict[Any, Match | None] = {}


def _cache_key(
    overloads: Sequence[AnyOverload], arguments: Sequence[Argument], analysis: Analysis
) -> Any:
    shapes: list[Any] = [id(overloads)]
    for argument in arguments:
        if isinstance(argument, SpecialArgument):
            shapes.append(argument.kind)
            continue
        if isinstance(argument, LambdaArgument):
            return None
        kind = kind_of(argument, analysis)
        if kind is Kind.COMPOSITE:
            return None
        shapes.append((argument.type, kind))
    return tuple(shapes)


def coerced_arguments(
    match: Match, arguments: Sequence[Argument], analysis: Analysis, at: int
) -> tuple[Expr, ...]:
    """Return the values to pass to the overload: coerced arguments and defaults."""
    passed: list[Expr] = []
    for slot, target in zip(match.slots, match.targets, strict=True):
        if slot.argument is None:
            passed.append(Literal(target, slot.default))
            continue
        argument = arguments[slot.argument]
        if isinstance(argument, SpecialArgument):
            passed.append(argument.expression)
        elif isinstance(argument, LambdaArgument):
            passed.append(match.lambdas[slot.argument])
        else:
            passed.append(coerce(argument, target, analysis, at))
    return tuple(passed)


# ---------------------------------------------------------------------------- one overload


def _match(
    overload: AnyOverload,
    slots: tuple[Slot, ...],
    arguments: Sequence[Argument],
    analysis: Analysis,
) -> Match | None:
    """Return the match of one overload, or None if it does not accept the arguments."""
    given = [(slot, arguments[slot.argument]) for slot in slots if slot.argument is not None]
    if not all(_fits_in_kind(slot.parameter.pattern, argument) for slot, argument in given):
        return None
    if overload.needs_numeric and not any(
        isinstance(argument, Expr) and argument.type == NUMERIC for _, argument in given
    ):
        return None
    variables = _Variables(analysis)
    for slot, argument in given:
        if isinstance(argument, Expr):
            variables.see(slot.parameter.pattern, argument)
    if not variables.settle():
        return None
    lambdas = _resolve_lambdas(given, variables)
    if lambdas is None:
        return None
    total = 0
    targets: list[Type] = []
    for slot in slots:
        passed = None if slot.argument is None else arguments[slot.argument]
        target = _target(slot.parameter.pattern, passed, variables)
        targets.append(target)
        if isinstance(passed, Expr):
            argument_cost = cost(passed, kind_of(passed, analysis), target, analysis)
            if argument_cost is None:
                return None
            total += argument_cost
    result = overload.result
    result_type = result(targets) if callable(result) else variables.substitute(result)
    return Match(overload, slots, tuple(targets), result_type, total, lambdas)


def _fits_in_kind(pattern: Pattern, argument: Argument) -> bool:
    if isinstance(pattern, Special):
        return isinstance(argument, SpecialArgument) and argument.kind == pattern.kind
    if isinstance(pattern, LambdaOf):
        return isinstance(argument, LambdaArgument) and len(argument.node.parameters) == len(
            pattern.parameters
        )
    return isinstance(argument, Expr)


def _target(pattern: Pattern, argument: Argument | None, variables: _Variables) -> Type:
    if isinstance(pattern, Special):
        return STRING
    if isinstance(pattern, LambdaOf):
        return variables.substitute(pattern.body)
    if isinstance(pattern, TypeVariable) and pattern.name == "ANY":
        return argument.type if isinstance(argument, Expr) else INT64
    return variables.substitute(pattern)


def _resolve_lambdas(
    given: Sequence[tuple[Slot, Argument]], variables: _Variables
) -> Mapping[int, LambdaExpr] | None:
    """Resolve the lambdas among the arguments, whose body types can determine more variables.

    Return the lambdas by argument index, or None if a body does not have the required type.
    """
    lambdas: dict[int, LambdaExpr] = {}
    for slot, argument in given:
        pattern = slot.parameter.pattern
        if not isinstance(argument, LambdaArgument):
            continue
        assert isinstance(pattern, LambdaOf)
        assert slot.argument is not None
        body = argument.resolve([variables.substitute(one) for one in pattern.parameters])
        fitted = variables.fit_body(pattern.body, body, argument.node.at)
        if fitted is None:
            return None
        lambdas[slot.argument] = fitted
    return lambdas


class _Variables:
    """The types of the type variables of one signature."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._seen: dict[str, tuple[TypeVariable, list[Candidate]]] = {}
        self._types: dict[str, Type] = {}

    def see(self, pattern: Pattern, argument: Expr) -> None:
        """Record `argument` as a candidate for the type variable in `pattern`, if there is one."""
        if isinstance(pattern, TypeVariable):
            if pattern.name != "ANY":
                self._candidates(pattern).append(make_candidate(argument, self._analysis))
        elif isinstance(pattern, ArrayOf):
            variable = pattern.element
            if isinstance(variable, TypeVariable) and variable.name != "ANY":
                self._candidates(variable).extend(self._elements(argument))

    def _candidates(self, variable: TypeVariable) -> list[Candidate]:
        return self._seen.setdefault(variable.name, (variable, []))[1]

    def _elements(self, argument: Expr) -> list[Candidate]:
        kind = kind_of(argument, self._analysis)
        if kind >= Kind.NULL or not argument.type.is_array:
            return []
        # The type of an array of structs is settled before its elements are compared with others.
        is_settled = argument.type.item().is_struct
        if kind is Kind.COMPOSITE and isinstance(argument, MakeArray) and not is_settled:
            return [make_candidate(item, self._analysis) for item in argument.items]
        return [Candidate(argument.type.item(), Kind.VALUE)]

    def settle(self) -> bool:
        """Determine the type of every variable; return False if a variable has no possible type."""
        for name, (variable, candidates) in self._seen.items():
            common = common_type_of(candidates, self._analysis) if candidates else INT64
            if common is None:
                return False
            if variable.only and common.code not in variable.only:
                narrowed = self._narrowed(variable, candidates)
                if narrowed is None:
                    return False
                common = narrowed
            self._types[name] = common
        return True

    def _narrowed(self, variable: TypeVariable, candidates: Sequence[Candidate]) -> Type | None:
        """Return an allowed type of the variable that all candidates convert to, or None."""
        for type_ in _PREFERRED:
            if type_.code in variable.only and all(
                one.expression is not None
                and cost(one.expression, one.kind, type_, self._analysis) is not None
                for one in candidates
            ):
                return type_
        return None

    def fit_body(self, pattern: Pattern, body: LambdaExpr, at: int) -> LambdaExpr | None:
        """Return the lambda with its body coerced to the type of `pattern`, or None if impossible.

        A variable without a type yet takes the type of the body.
        """
        if isinstance(pattern, TypeVariable) and pattern.name not in self._types:
            if body.type.is_array or (pattern.only and body.type.code not in pattern.only):
                return None  # the result of the body becomes an array element
            self._types[pattern.name] = body.type
        expected = self.substitute(pattern)
        body_cost = cost(body.body, kind_of(body.body, self._analysis), expected, self._analysis)
        if body_cost is None:
            return None
        converted = coerce(body.body, expected, self._analysis, at)
        return LambdaExpr(expected, body.parameters, converted)

    def substitute(self, pattern: Pattern) -> Type:
        """Return the type that `pattern` denotes under the types of the variables."""
        if isinstance(pattern, Type):
            return pattern
        if isinstance(pattern, TypeVariable):
            known = self._types.get(pattern.name)
            return known if known is not None else _first_allowed(pattern)
        if isinstance(pattern, ArrayOf):
            return array_of(self.substitute(pattern.element))
        return STRING


_PREFERRED: tuple[Type, ...] = (
    SCALARS["INT64"],
    SCALARS["FLOAT64"],
    SCALARS["NUMERIC"],
    SCALARS["STRING"],
    *(
        type_
        for code, type_ in SCALARS.items()
        if code not in ("INT64", "FLOAT64", "NUMERIC", "STRING")
    ),
)


def _first_allowed(variable: TypeVariable) -> Type:
    """Return the default type of a variable without candidates."""
    if not variable.only:
        return INT64
    return next((type_ for type_ in _PREFERRED if type_.code in variable.only), INT64)
