"""Chooses what a call by name, or an operator, means for argument types; the choices are cached.

A `Choice` has the overload to call and the types to which the arguments are coerced. The functions
that Spanner has come from the catalog, the others from what PostgreSQL is known to have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.sql.analysis.call_binding import Slot, bind
from spanemu.sql.errors import AnalysisError
from spanemu.sql.functions.registry import (
    AggregateFunction,
    AggregateOverload,
    ArrayOf,
    Function,
    Overload,
    Parameter,
    TypeVariable,
)
from spanemu.sql.postgresql.analyzer.expressions import overload as rules
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    AmbiguousFunction,
    AmbiguousOperator,
    NoSuchFunction,
    UndefinedFunction,
    UndefinedOperator,
    UnknownPolymorphicType,
    UnsupportedFunction,
)
from spanemu.sql.postgresql.analyzer.expressions.overload import Solution, solve
from spanemu.sql.postgresql.catalog import CATALOG, KnownSignature, known_signatures, operators
from spanemu.sql.postgresql.types import (
    ANY,
    ANY_ARRAY,
    ANY_COMPATIBLE,
    ANY_COMPATIBLE_ARRAY,
    ANY_COMPATIBLE_NON_ARRAY,
    ANY_ELEMENT,
    ANY_NON_ARRAY,
    UNKNOWN,
    title,
)
from spanemu.values.types import POSTGRESQL_SCALARS, SCALARS, STRING, Type, array_of

Names = tuple[tuple[str, int], ...]  # the named arguments: (name, index)


class Implementation(NamedTuple):
    """An overload in the catalog; `slots` say which argument each of its parameters takes."""

    function: Function | AggregateFunction
    overload: Overload | AggregateOverload
    slots: tuple[Slot, ...]


class _Signature(NamedTuple):
    """A signature of a function for calls with some number of arguments."""

    operands: tuple[Type, ...]
    implementation: Implementation | None  # None: Spanner lacks it


class Choice(NamedTuple):
    """The meaning of a call: what is called, and the type of each argument and of the result."""

    implementation: Implementation
    types: tuple[Type, ...]
    result: Type


class _Problem(NamedTuple):
    """The error that a call raises."""

    error: Callable[..., AnalysisError]
    text: str


def choose_function(
    name: str, types: tuple[Type, ...], names: Names, display_name: str, at: int
) -> Choice:
    """Return what a call of `name` means. `names` are the named arguments, which come last.

    Raise UndefinedFunction, AmbiguousFunction, UnsupportedFunction or UnknownPolymorphicType.
    """
    choice = _function_choice(name, types, names)
    if isinstance(choice, Choice):
        return choice
    raise _raised(choice, f"{display_name}{choice.text}", at)


def choose_operator(symbol: str, types: tuple[Type, ...], at: int) -> Choice:
    """Return what an operator means: of the two, the first of `types` is the left operand's.

    Raise UndefinedOperator, AmbiguousOperator, UnsupportedFunction or UnknownPolymorphicType.
    """
    choice = _operator_choice(symbol, types)
    if isinstance(choice, Choice):
        return choice
    raise _raised(choice, choice.text, at)


def _raised(problem: _Problem, text: str, at: int) -> AnalysisError:
    if problem.error is UnknownPolymorphicType:
        return UnknownPolymorphicType(at=at)
    return problem.error(text, at=at)


@cache
def _function_choice(name: str, types: tuple[Type, ...], names: Names) -> Choice | _Problem:
    signatures = _signatures(name, len(types), names)
    given = _listed(types, names)
    chosen = next((each for each in signatures if each.operands == types), None)
    if chosen is None:
        applicable = rules.applicable(signatures, types)
        if not applicable:
            return _Problem(UndefinedFunction if signatures else NoSuchFunction, given)
        chosen = applicable[0] if len(applicable) == 1 else rules.select(applicable, types)
    if chosen is None:
        return _Problem(AmbiguousFunction, given)
    return _choice(chosen, types, "")


@cache
def _operator_choice(symbol: str, types: tuple[Type, ...]) -> Choice | _Problem:
    candidates = operators(symbol, len(types))
    # An unknown operand is assumed to be of the other operand's type.
    known = next((type_ for type_ in types if type_ != UNKNOWN), UNKNOWN)
    chosen = candidates.get(tuple(known if type_ == UNKNOWN else type_ for type_ in types))
    if chosen is None:
        applicable = rules.applicable(tuple(candidates.values()), types)
        if not applicable:
            return _Problem(UndefinedOperator, _written(symbol, types))
        chosen = applicable[0] if len(applicable) == 1 else rules.select(applicable, types)
    if chosen is None:
        return _Problem(AmbiguousOperator, _written(symbol, types))
    solution = solve(chosen.operands, types)
    if solution is None or solution.undetermined:
        return _Problem(UnknownPolymorphicType, "")
    for signature in _signatures(chosen.function, len(types), ()):
        if signature.implementation is not None and solve(signature.operands, solution.types):
            is_exact = all(map(_is_instance, signature.operands, solution.types))
            if is_exact:
                return _choice(signature, solution.types, chosen.function)
    return _Problem(UnsupportedFunction, chosen.function + _listed(solution.types, ()))


def _is_instance(operand: Type, type_: Type) -> bool:
    return operand == type_ or operand.proto_name.startswith("any")


def _choice(signature: _Signature, types: tuple[Type, ...], function: str) -> Choice | _Problem:
    solution = solve(signature.operands, types)
    assert solution is not None
    if solution.undetermined:
        return _Problem(UnknownPolymorphicType, "")
    implementation = signature.implementation
    if implementation is None:
        return _Problem(UnsupportedFunction, function + _listed(solution.types, ()))
    return Choice(
        implementation, solution.types, _result(implementation.overload, implementation, solution)
    )


def _result(
    overload: Overload | AggregateOverload, implementation: Implementation, solution: Solution
) -> Type:
    if callable(overload.result):
        slots = implementation.slots
        return overload.result(
            tuple(STRING if s.argument is None else solution.types[s.argument] for s in slots)
        )
    pattern = overload.result
    element = next((each for each in solution.elements if each is not None), None)
    if isinstance(pattern, Type):
        return pattern
    if element is None:  # a variable restricted to scalar types, which the signature replaced
        element = _variable_type(implementation, solution)
    return array_of(element) if isinstance(pattern, ArrayOf) else element


def _variable_type(implementation: Implementation, solution: Solution) -> Type:
    for slot in implementation.slots:
        if isinstance(slot.parameter.pattern, TypeVariable) and slot.argument is not None:
            return solution.types[slot.argument]
        if isinstance(slot.parameter.pattern, ArrayOf) and slot.argument is not None:
            return solution.types[slot.argument].item()
    return STRING


@cache
def _signatures(name: str, count: int, names: Names) -> tuple[_Signature, ...]:
    """Return the signatures of `name` that take `count` arguments, Spanner's before others."""
    function = CATALOG.lookup(name)
    known = [
        operands
        for signature in known_signatures(name)
        if (operands := _known_operands(signature, count, names)) is not None
    ]
    result: dict[tuple[Type, ...], _Signature] = {}
    if function is not None:
        positional = count - len(names)
        for overload in function.overloads:
            slots = bind(overload.parameters, positional, dict(names))
            if slots is None:
                continue
            for operands in _operands(slots, count, known):
                implementation = Implementation(function, overload, slots)
                result.setdefault(operands, _Signature(operands, implementation))
    for operands in known:
        result.setdefault(operands, _Signature(operands, None))
    return tuple(result.values())


def _known_operands(signature: KnownSignature, count: int, names: Names) -> tuple[Type, ...] | None:
    types = signature.types
    if names:
        return None
    if signature.variadic:
        repeated = types[-1].element or types[-1]
        missing = count - len(types) + 1
        return types[:-1] + (repeated,) * missing if missing > 0 else None
    if len(types) - signature.defaults <= count <= len(types):
        return types[:count]
    return None


def _operands(
    slots: Sequence[Slot], count: int, known: Sequence[tuple[Type, ...]]
) -> Iterator[tuple[Type, ...]]:
    """Yield the operand types of a signature for each choice of its restricted variables."""
    for variables in _variables([slot.parameter for slot in slots]):
        operands: list[Type] = [UNKNOWN] * count
        for slot in slots:
            if slot.argument is not None:
                operands[slot.argument] = _operand(slot.parameter, variables)
        yield _declared(tuple(operands), known)


def _variables(parameters: Sequence[Parameter]) -> Iterator[Mapping[str, Type]]:
    """Yield the types of the restricted type variables; signatures have at most one of these."""
    for parameter in parameters:
        pattern: Any = parameter.pattern
        variable = pattern.element if isinstance(pattern, ArrayOf) else pattern
        if isinstance(variable, TypeVariable) and variable.only:
            scalars = (*SCALARS.values(), *POSTGRESQL_SCALARS.values())
            by_code = {type_.code.value: type_ for type_ in scalars}
            yield from ({variable.name: by_code[code]} for code in sorted(variable.only))
            return
    yield {}


def _operand(parameter: Parameter, variables: Mapping[str, Type]) -> Type:
    pattern = parameter.pattern
    if isinstance(pattern, Type):
        return pattern
    if isinstance(pattern, ArrayOf) and isinstance(pattern.element, TypeVariable):
        type_ = variables.get(pattern.element.name)
        return ANY_ARRAY if type_ is None else array_of(type_)
    if isinstance(pattern, TypeVariable):
        if pattern.name == "ANY":
            return ANY
        return variables.get(pattern.name, ANY_ELEMENT)
    return STRING


# The pseudo-types that PostgreSQL declares where the catalog has a type variable.
_KINDS = {
    ANY_ELEMENT: {ANY_ELEMENT, ANY_NON_ARRAY, ANY_COMPATIBLE, ANY_COMPATIBLE_NON_ARRAY},
    ANY_ARRAY: {ANY_ARRAY, ANY_COMPATIBLE_ARRAY},
}


def _declared(operands: tuple[Type, ...], known: Sequence[tuple[Type, ...]]) -> tuple[Type, ...]:
    """Return operands with the pseudo-types that PostgreSQL declares for the function."""
    for types in known:
        pairs = zip(operands, types, strict=True)
        if all(type_ in _KINDS.get(operand, (operand,)) for operand, type_ in pairs):
            return types
    return operands


def _listed(types: Sequence[Type], names: Names) -> str:
    """Return the types as an argument list: (bigint, a => text)."""
    by_index = {index: f"{name} => " for name, index in names}
    listed = (f"{by_index.get(index, '')}{title(type_)}" for index, type_ in enumerate(types))
    return f"({', '.join(listed)})"


def _written(symbol: str, types: Sequence[Type]) -> str:
    return " ".join((*map(title, types[:-1]), symbol, title(types[-1])))
