"""Builds calls of scalar functions, among them the hidden functions behind operators.

Also formats argument types and signatures for error messages: SUBSTR(STRING, INT64, [INT64]).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.base.errors import Unsupported
from spanemu.sql.analysis.call_binding import bind, signature_of
from spanemu.sql.errors import FUNCTION_CALLS, AnalysisError
from spanemu.sql.functions.comparison import is_comparable, is_orderable
from spanemu.sql.functions.registry import (
    AggregateFunction,
    Arity,
    ArrayOf,
    Function,
    LambdaOf,
    Overload,
    Parameter,
    Pattern,
    Special,
    TypeVariable,
)
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import (
    BadCall,
    NoMatchingSignature,
    NotDefinedFor,
    WrongArgumentCount,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, kind_of, supertype
from spanemu.sql.googlesql.analyzer.expressions.overload import (
    AnyOverload,
    Argument,
    LambdaArgument,
    SpecialArgument,
    choose,
    coerced_arguments,
)
from spanemu.sql.resolved import Expr, FunctionCall
from spanemu.values.types import Type


def operator_call(name: str, arguments: Sequence[Argument], analysis: Analysis, at: int) -> Expr:
    """Return a call of a hidden function such as "$add"."""
    function = analysis.catalog.scalars.get(name)
    if function is None:
        raise Unsupported(f"Operator {name}")
    return function_call(function, arguments, {}, analysis, at)


def function_call(
    function: Function,
    arguments: Sequence[Argument],
    names: Mapping[str, int],
    analysis: Analysis,
    at: int,
) -> FunctionCall:
    """Return a call of a scalar function with resolved arguments.

    `names` maps lower-cased names to the indexes of named arguments. Raise AnalysisError if no
    overload accepts the arguments.
    """
    analysis.count(FUNCTION_CALLS, analysis.limits.function_calls, at)
    check_concatenated(function.name, arguments, analysis, at)
    match = choose(function.overloads, arguments, names, analysis)
    if match is None:
        _check_comparable(function.name, [one for one in arguments if isinstance(one, Expr)], at)
        raise no_match(function, arguments, analysis, at)
    if function.name in _EQUALITIES and not is_comparable(match.targets[0]):
        raise NotDefinedFor("Equality", str(match.targets[0]), at=at)
    passed = coerced_arguments(match, arguments, analysis, at)
    assert isinstance(match.overload, Overload)
    signature = signature_of(function, match.overload, match.targets, match.result)
    if signature.volatile:
        analysis.traits.volatile = True
        if signature.target is not None:
            analysis.traits.remote_calls.add(signature.function)
    if signature.stable:
        analysis.traits.stable = True
    return FunctionCall(match.result, signature, passed, at=at)


def check_concatenated(
    name: str, arguments: Sequence[Argument], analysis: Analysis, at: int
) -> None:
    """Raise BadCall if ARRAY_CONCAT or ARRAY_CONCAT_AGG gets an untyped NULL or another type."""
    if name not in _CONCATENATIONS:
        return
    for argument in arguments:
        if isinstance(argument, Expr) and not argument.type.is_array:
            if (kind := kind_of(argument, analysis)) is Kind.PENDING:
                continue
            raise BadCall(
                "The argument to ARRAY_CONCAT (or ARRAY_CONCAT_AGG) must be an array type but was "
                f"{'NULL' if kind is Kind.NULL else argument.type}",
                at=at,
            )


_CONCATENATIONS = frozenset({"ARRAY_CONCAT", "ARRAY_CONCAT_AGG"})


def no_match(
    function: Function | AggregateFunction,
    arguments: Sequence[Argument],
    analysis: Analysis,
    at: int,
) -> AnalysisError:
    """Return the error for a call that matches no overload."""
    symbol, kind = "", "aggregate function"
    if isinstance(function, Function):
        symbol = function.operator_symbol
        kind = "operator" if symbol else "function"
    display_name = f"{kind} {symbol or function.name}"
    supported = _signatures(function.name, symbol, function.overloads)
    if len(function.overloads) == 1 and not symbol:
        (overload,) = function.overloads
        if bind(overload.parameters, len(arguments), {}) is None:
            return WrongArgumentCount(display_name, supported[0], at=at)
    return NoMatchingSignature(display_name, argument_types(arguments, analysis), supported, at=at)


_EQUALITIES = frozenset(
    {"$equal", "$not_equal", "$in", "$in_unnest", "$is_distinct_from", "NULLIF"}
)
_ORDERINGS: Mapping[str, str] = {
    "$less": "Less than",
    "$less_or_equal": "Less than or equal",
    "$greater": "Greater than",
    "$greater_or_equal": "Greater than or equal",
    "$between": "BETWEEN",
    "GREATEST": "GREATEST",
    "LEAST": "LEAST",
}


def _check_comparable(name: str, arguments: Sequence[Expr], at: int) -> None:
    """Raise NotDefinedFor, instead of a signature error, for types that cannot be compared."""
    type_ = _common_type(tuple(dict.fromkeys(argument.type for argument in arguments)))
    if type_ is None:
        return
    if name in _EQUALITIES and not is_comparable(type_):
        raise NotDefinedFor("Equality", str(type_), at=at)
    if name in _ORDERINGS and not is_orderable(type_):
        raise NotDefinedFor(_ORDERINGS[name], str(type_), at=at)


def _common_type(types: Sequence[Type]) -> Type | None:
    """Return the only one of some types, or the supertype of elements of several tables."""
    if len(types) > 1 and not all(type_.is_graph for type_ in types):
        return None
    common: Type | None = None
    for type_ in types:
        common = type_ if common is None else supertype(common, type_)
        if common is None:
            return None
    return common


# ---------------------------------------------------------------------------- error messages

_LISTED_MAX = 12
# Operators that are neither infix nor written as symbol(operand).
_FORMS: Mapping[str, str] = {
    "BETWEEN": "({}) BETWEEN ({}) AND ({})",
    "IS FALSE": "({}) IS FALSE",
    "IS NULL": "({}) IS NULL",
    "IS TRUE": "({}) IS TRUE",
    "NOT": "NOT ({})",
}


def argument_types(arguments: Sequence[Argument], analysis: Analysis) -> str:
    """Return the types of the arguments of a call for an error message; "" without arguments."""
    return ", ".join(_argument(argument, analysis) for argument in arguments)


def _argument(argument: Argument, analysis: Analysis) -> str:
    if isinstance(argument, SpecialArgument):
        return argument.kind
    if isinstance(argument, LambdaArgument):
        return "LAMBDA"
    if kind_of(argument, analysis) in (Kind.NULL, Kind.PENDING):
        return "NULL" if kind_of(argument, analysis) is Kind.NULL else "<untyped>"
    return str(argument.type)


def _signatures(name: str, symbol: str, overloads: Sequence[AnyOverload]) -> tuple[str, ...]:
    """Return the first distinct signatures of the overloads for an error message."""
    texts = dict.fromkeys(_signature(name, symbol, one.parameters) for one in overloads)
    return tuple(texts)[:_LISTED_MAX]


def _signature(name: str, symbol: str, parameters: Sequence[Parameter]) -> str:
    shown = _shown(parameters, is_operator=bool(symbol))
    if symbol in _FORMS:
        return _FORMS[symbol].format(*shown)
    if symbol and len(shown) == 2:
        return f"{shown[0]} {symbol} {shown[1]}"
    return f"{symbol or name}({', '.join(shown)})"


def _shown(parameters: Sequence[Parameter], *, is_operator: bool) -> list[str]:
    """Return the text of each parameter; parameters that are repeated together have one text."""
    kinds: Mapping[str, str] = {}
    if not is_operator:
        kinds = _graph_kinds(parameters)
    repeated = [each for each in parameters if each.arity is Arity.REPEATED]
    if len(repeated) < 2:
        return [_parameter(parameter, kinds) for parameter in parameters]
    together = ", ".join([_pattern(each.pattern, kinds) for each in repeated])
    single = [_parameter(each, kinds) for each in parameters if each not in repeated]
    return [*single, f"[[{together}], ...]"]


def _graph_kinds(parameters: Sequence[Parameter]) -> dict[str, str]:
    """Return the names of the types of graphs that variables of a signature stand for."""
    return {
        parameter.pattern.name: _GRAPH_KINDS[parameter.pattern.only]
        for parameter in parameters
        if isinstance(parameter.pattern, TypeVariable) and parameter.pattern.only in _GRAPH_KINDS
    }


# How signatures name the variables of types of graphs, by the type codes allowed.
_GRAPH_KINDS: Mapping[frozenset[str], str] = {
    frozenset({"GRAPH_NODE"}): "GRAPH_NODE",
    frozenset({"GRAPH_EDGE"}): "GRAPH_EDGE",
    frozenset({"GRAPH_PATH"}): "GRAPH_PATH",
    frozenset({"GRAPH_NODE", "GRAPH_EDGE"}): "GRAPH_ELEMENT",
}


def _parameter(parameter: Parameter, kinds: Mapping[str, str]) -> str:
    text = _pattern(parameter.pattern, kinds)
    if parameter.named_only:
        text = f"{parameter.name} => {text}"
    if parameter.arity is Arity.OPTIONAL:
        return f"[{text}]"
    return f"[{text}, ...]" if parameter.arity is Arity.REPEATED else text


def _pattern(pattern: Pattern, kinds: Mapping[str, str]) -> str:
    if isinstance(pattern, TypeVariable):
        return kinds.get(pattern.name, "ANY")
    if isinstance(pattern, ArrayOf):
        any_array = isinstance(pattern.element, TypeVariable)
        return "ARRAY" if any_array else f"ARRAY<{_pattern(pattern.element, kinds)}>"
    if isinstance(pattern, LambdaOf):
        inside = ", ".join(_pattern(one, kinds) for one in pattern.parameters)
        return f"FUNCTION<({inside})->{_pattern(pattern.body, kinds)}>"
    if isinstance(pattern, Special):
        return pattern.kind
    return str(pattern)
