"""Declarations of functions as data: signatures are texts that are parsed once, at import.

    overload("(STRING, INT64, [STRING]) -> STRING", lpad)
    overload("(ARRAY<T1>, LAMBDA(T1) -> BOOL) -> ARRAY<T1>", array_filter)
    overload("(TIMESTAMP, DATE_PART, [STRING]) -> TIMESTAMP", timestamp_trunc, context=True)

A pattern is

    STRING, INT64 ...         a type                  ARRAY<P>       an array
    T, T1, T2 ...             one type for all uses   ANY            any type, each use its own
    T{INT64|NUMERIC}          a variable restricted to type codes (stated once per signature);
                              NUMBER in braces is INT64|NUMERIC|FLOAT32|FLOAT64
    LAMBDA(P, P) -> P         a lambda
    DATE_PART, SEQUENCE ...   a special argument (`SPECIALS`): it reaches `evaluate` as a str: the
                              part in upper case ("DAY", "WEEK(MONDAY)"), the sequence's name
    ?                         (result only) computed: pass `result=` with (types) -> type

and a parameter is a pattern with marks around it

    [P]                       optional                P...           zero or more (see `Arity`)
    name=>P                   may be given by name    *name=>P       by name only
    P LITERAL                 must be a constant      [P = 0]        default: an integer, 'text',
                                                                     TRUE, FALSE or NULL

A signature whose first parameter is NUMERIC matches no call without a NUMERIC argument.

An omitted optional argument is not passed, so that the Python default applies. Where a later
argument is given or a P... comes before the omitted argument, its declared default is passed.

Keywords of `overload` are the fields of `registry.Overload`: context, lazy, nulls (or the short
`called=True` for Nulls.CALLED), volatile, stable, bind, target. Keywords of `aggregate` are the
fields of `registry.AggregateOverload`.

A chapter module ends in a table, keyed by "NAME" or "NAME|ALIAS|ALIAS"; "$name" is hidden:

    FUNCTIONS = chapter("string", {"LENGTH": (overload(...), overload(...)), ...})
    AGGREGATES = aggregates("aggregate", {"COUNT": (aggregate(...),)})

A row is a tuple of overloads, or `function(overloads, ...)` or `aggregate_function(overloads, ...)`
with what planner and executor know of the function: fields of `registry.Function` and of
`registry.AggregateFunction`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypedDict, Unpack

from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.registry import (
    Accumulator,
    AggregateFunction,
    AggregateOverload,
    Arity,
    ArrayOf,
    Function,
    LambdaOf,
    Nulls,
    Operation,
    Overload,
    Parameter,
    Pattern,
    ResultType,
    Special,
    TypeVariable,
)
from spanemu.sql.remote_calls import Target
from spanemu.values.types import (
    NUMERIC,
    POSTGRESQL_SCALARS,
    SCALARS,
    Type,
    TypeCode,
    array_of,
)

SPECIALS = frozenset({"DATE_PART", "SEQUENCE", "MODEL", "NORMALIZATION_MODE"})

_NUMBER = frozenset({"INT64", "NUMERIC", "FLOAT32", "FLOAT64"})
_TOKEN = lazy_pattern(r"\s*(\.\.\.|->|=>|'[^']*'|-?\d+|\w+|[<>()\[\]{}|,*=?])")
_VARIABLE = lazy_pattern(r"T\d*|ANY")
_TYPES = {type_.code.value: type_ for type_ in (SCALARS | POSTGRESQL_SCALARS).values()}
_LITERALS: Mapping[str, Any] = {"TRUE": True, "FALSE": False, "NULL": None}

Evaluate = Callable[..., Any]
Bind = Callable[[Sequence[Type], Type], Evaluate]
Make = Callable[[Sequence[Type], Type], Callable[[], Accumulator]]
ComputedResult = Callable[[Sequence[Type]], Type]


class OverloadFlags(TypedDict, total=False):
    """Keywords of `overload`: see `registry.Overload`."""

    nulls: Nulls
    called: bool
    context: bool
    lazy: bool
    volatile: bool
    stable: bool
    bind: Bind
    target: Target
    result: ComputedResult


class AggregateFlags(TypedDict, total=False):
    """Keywords of `aggregate`: see `registry.AggregateOverload`."""

    skips_nulls: bool
    allows_order: bool
    allows_limit: bool
    allows_null_handling: bool
    allows_having: bool
    at_once: Callable[[Sequence[Any]], Any]
    result: ComputedResult


class FunctionFacts(TypedDict, total=False):
    """Keywords of `function` and `operator`: see `registry.Function`."""

    operation: Operation
    cannot_fail: bool
    is_slow: bool


class AggregateFacts(TypedDict, total=False):
    """Keywords of `aggregate_function`: see `registry.AggregateFunction`."""

    is_min: bool
    is_max: bool
    counts_rows: bool
    null_is_false: bool
    decorrelates: bool


class Row(NamedTuple):
    """A row of a chapter's table: the overloads of a function, and its facts."""

    overloads: tuple[Any, ...]
    facts: Mapping[str, Any]


Rows = Mapping[str, Sequence[Overload] | Row]
AggregateRows = Mapping[str, Sequence[AggregateOverload] | Row]


class NotationError(ValueError):
    """A signature text that does not parse: a mistake in a function table of this package."""


def overload(
    text: str, evaluate: Evaluate | None = None, **flags: Unpack[OverloadFlags]
) -> Overload:
    """Return the overload that `text` and the flags describe.

    Without `evaluate` the flags must include `bind`. Raise NotationError for a text that does not
    parse.
    """
    parameters, result = signature(text)
    rest: dict[str, Any] = dict(flags)
    computed = rest.pop("result", None)
    if rest.pop("called", False):
        rest["nulls"] = Nulls.CALLED
    if evaluate is None and "bind" not in rest:
        raise NotationError(f"{text}: neither evaluate nor bind")
    return Overload(
        parameters,
        _result(text, result, computed),
        evaluate if evaluate is not None else _unbound,
        needs_numeric=_needs_numeric(parameters),
        **rest,
    )


def aggregate(text: str, make: Make, **flags: Unpack[AggregateFlags]) -> AggregateOverload:
    """Return the aggregate overload that `text` and the flags describe."""
    parameters, result = signature(text)
    rest: dict[str, Any] = dict(flags)
    computed = rest.pop("result", None)
    return AggregateOverload(
        parameters,
        _result(text, result, computed),
        make,
        needs_numeric=_needs_numeric(parameters),
        **rest,
    )


def _needs_numeric(parameters: Sequence[Parameter]) -> bool:
    return bool(parameters) and parameters[0].pattern == NUMERIC


def function(overloads: Sequence[Overload], **facts: Unpack[FunctionFacts]) -> Row:
    """Return the row of a function with facts."""
    return Row(tuple(overloads), dict(facts))


def aggregate_function(
    overloads: Sequence[AggregateOverload], **facts: Unpack[AggregateFacts]
) -> Row:
    """Return the row of an aggregate function with facts."""
    return Row(tuple(overloads), dict(facts))


def _row(entry: Sequence[Any] | Row) -> Row:
    return entry if isinstance(entry, Row) else Row(tuple(entry), {})


def chapter(name: str, table: Rows, *, safe_allowed: bool = True) -> tuple[Function, ...]:
    """Return the functions of a documentation chapter from a table by "NAME|ALIAS"."""
    functions = []
    for key, entry in table.items():
        first, *aliases = key.split("|")
        overloads, facts = _row(entry)
        is_hidden = first.startswith("$")
        functions.append(
            Function(
                first, overloads, name, tuple(aliases), safe_allowed, hidden=is_hidden, **facts
            )
        )
    return tuple(functions)


def operator(
    name: str, symbol: str, overloads: Sequence[Overload], **facts: Unpack[FunctionFacts]
) -> Function:
    """Return a hidden function that error messages call `symbol`."""
    return Function(
        name,
        tuple(overloads),
        "operator",
        safe_allowed=False,
        hidden=True,
        operator_symbol=symbol,
        **facts,
    )


def aggregates(name: str, table: AggregateRows) -> tuple[AggregateFunction, ...]:
    """Return the aggregate functions of a chapter from a table by "NAME|ALIAS"."""
    functions = []
    for key, entry in table.items():
        first, *aliases = key.split("|")
        overloads, facts = _row(entry)
        functions.append(AggregateFunction(first, overloads, name, tuple(aliases), **facts))
    return tuple(functions)


def _unbound(*_: Any) -> Any:
    raise AssertionError("an overload with `bind` was called without binding")


def _result(text: str, pattern: Pattern | None, computed: ComputedResult | None) -> ResultType:
    if (pattern is None) != (computed is not None):
        raise NotationError(f"{text}: '?' as result goes with result=")
    return computed if pattern is None else pattern  # type: ignore[return-value]


# The result is None where it is computed ("?").
@cache
def signature(text: str) -> tuple[tuple[Parameter, ...], Pattern | None]:
    """Return the parameters and the result of a signature text."""
    return _Parser(text).signature()


class _Parser:
    """A recursive-descent parser of the tokens of one signature."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._next = 0
        self._variables: dict[str, TypeVariable] = {}

    def signature(self) -> tuple[tuple[Parameter, ...], Pattern | None]:
        self._expect("(")
        parameters: list[Parameter] = []
        while not self._take(")"):
            if parameters:
                self._expect(",")
            parameters.append(self._parameter())
        self._expect("->")
        result = None if self._take("?") else self._pattern()
        if self._peek():
            raise self._error("the end")
        return tuple(self._restricted(p) for p in parameters), result and self._fix(result)

    def _restricted(self, parameter: Parameter) -> Parameter:
        return replace(parameter, pattern=self._fix(parameter.pattern))

    def _fix(self, pattern: Pattern) -> Pattern:
        """Give every use of a type variable the restriction that the signature states once."""
        match pattern:
            case TypeVariable(name):
                return self._variables[name]
            case ArrayOf(element):
                return ArrayOf(self._fix(element))
            case LambdaOf(parameters, body):
                return LambdaOf(tuple(self._fix(p) for p in parameters), self._fix(body))
            case _:
                return pattern

    def _parameter(self) -> Parameter:
        optional = self._take("[")
        named_only = self._take("*")
        name = ""
        if self._peek(1) == "=>":
            name = self._word()
            self._expect("=>")
        pattern = self._pattern()
        literal = self._take("LITERAL")
        repeated = self._take("...")
        default = self._constant() if self._take("=") else None
        if optional:
            self._expect("]")
        arity = Arity.OPTIONAL if optional else Arity.REPEATED if repeated else Arity.REQUIRED
        return Parameter(pattern, arity, name, named_only, literal, default)

    def _pattern(self) -> Pattern:
        word = self._word()
        if word == "ARRAY":
            self._expect("<")
            element = self._pattern()
            self._expect(">")
            return array_of(element) if isinstance(element, Type) else ArrayOf(element)
        if word == "LAMBDA":
            return self._lambda()
        if word in _TYPES:
            return _TYPES[word]
        if word in SPECIALS:
            return Special(word)
        if _VARIABLE.fullmatch(word):
            return self._variable(word)
        raise NotationError(f"{self._text}: unknown type {word}")

    def _variable(self, name: str) -> TypeVariable:
        only: set[str] = set()
        if self._take("{"):
            only |= self._codes()
            while self._take("|"):
                only |= self._codes()
            self._expect("}")
        known = self._variables.get(name)
        if known is None or only:
            self._variables[name] = known = TypeVariable(name, frozenset(only))
        return known

    def _codes(self) -> frozenset[str]:
        word = self._word()
        return _NUMBER if word == "NUMBER" else frozenset({TypeCode(word).value})

    def _lambda(self) -> LambdaOf:
        self._expect("(")
        parameters = [self._pattern()]
        while self._take(","):
            parameters.append(self._pattern())
        self._expect(")")
        self._expect("->")
        return LambdaOf(tuple(parameters), self._pattern())

    def _constant(self) -> Any:
        token = self._peek()
        self._next += 1
        if token in _LITERALS:
            return _LITERALS[token]
        if token.startswith("'"):
            return token[1:-1]
        try:
            return int(token)
        except ValueError:
            raise self._error("a constant") from None

    def _peek(self, ahead: int = 0) -> str:
        at = self._next + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def _take(self, token: str) -> bool:
        if self._peek() == token:
            self._next += 1
            return True
        return False

    def _expect(self, token: str) -> None:
        if not self._take(token):
            raise self._error(repr(token))

    def _word(self) -> str:
        token = self._peek()
        if not token.isidentifier():
            raise self._error("a word")
        self._next += 1
        return token

    def _error(self, expected: str) -> NotationError:
        return NotationError(f"{self._text}: expected {expected}, got {self._peek()!r}")


def _tokens(text: str) -> list[str]:
    tokens, at, end = [], 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise NotationError(f"{text}: cannot read {text[at:]!r}")
        tokens.append(match[1])
        at = match.end()
    return tokens
