"""Binds the arguments of a call to the parameters of a signature, and overloads to argument types.

Arguments are bound by number and name, without types:

parameters                        arguments   bound
(STRING, INT64, [STRING = ' '])   2           STRING, INT64
(T, T...)                         3           T, T, T
([a=>INT64], [b=>INT64])          b => ...    default of a, b
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spanemu.base.record import dataclass
from spanemu.sql.functions.registry import Arity, Function, Overload, Parameter, Signature
from spanemu.sql.resolved import ApproximateDistance, FunctionCall
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class Slot:
    """A value to pass: the argument at index `argument`, or the parameter's default if None."""

    parameter: Parameter
    argument: int | None

    @property
    def default(self) -> Any:
        return self.parameter.default


def bind(
    parameters: Sequence[Parameter], positional: int, named: Mapping[str, int]
) -> tuple[Slot, ...] | None:
    """Return the slots in the order of the signature, or None if numbers or names do not match.

    `positional` is the number of positional arguments. `named` maps lower-cased names to the
    indexes of the named arguments, which follow the positional arguments.
    """
    counts = _counts(parameters, positional, named)
    if counts is None:
        return None
    repetitions, optional = counts
    slots: list[Slot] = []
    next_argument, names_used, is_run_bound = 0, 0, False
    for parameter in parameters:
        named_argument = named.get(parameter.name.lower()) if parameter.name else None
        if named_argument is not None:
            if next_argument < positional:
                return None  # also passed by position
            slots.append(Slot(parameter, named_argument))
            names_used += 1
        elif parameter.arity is Arity.REPEATED:
            if not is_run_bound:
                repeated_parameters = [p for p in parameters if p.arity is Arity.REPEATED]
                for _ in range(repetitions):
                    for repeated in repeated_parameters:
                        slots.append(Slot(repeated, next_argument))
                        next_argument += 1
                is_run_bound = True
        elif parameter.arity is Arity.REQUIRED and not parameter.named_only:
            slots.append(Slot(parameter, next_argument))
            next_argument += 1
        elif parameter.arity is Arity.REQUIRED:
            return None
        elif optional > 0 and not parameter.named_only:
            slots.append(Slot(parameter, next_argument))
            next_argument += 1
            optional -= 1
        else:
            slots.append(Slot(parameter, None))
    if next_argument != positional or names_used != len(named):
        return None
    return _without_trailing_defaults(slots, is_run_bound)


def _counts(
    parameters: Sequence[Parameter], positional: int, named: Mapping[str, int]
) -> tuple[int, int] | None:
    """Return the number of repetitions, and the number of optional parameters that are passed."""
    required = repeated = optional = 0
    for parameter in parameters:
        if parameter.name and parameter.name.lower() in named:
            continue
        if parameter.arity is Arity.REPEATED:
            repeated += 1
        elif parameter.arity is Arity.REQUIRED:
            required += not parameter.named_only
        else:
            optional += not parameter.named_only
    remaining = positional - required
    if remaining < 0:
        return None
    if not repeated:
        return (0, remaining) if remaining <= optional else None
    repetitions, optional_given = divmod(remaining, repeated)
    return (repetitions, optional_given) if optional_given <= optional else None


def _without_trailing_defaults(slots: list[Slot], is_run_bound: bool) -> tuple[Slot, ...]:
    """Drop trailing slots without an argument, so that defaults of the Python function apply."""
    if not is_run_bound:
        while slots and slots[-1].argument is None:
            slots.pop()
    return tuple(slots)


def approximation(call: FunctionCall) -> ApproximateDistance:
    """Return the call of an approximate distance, for the planner to place."""
    return ApproximateDistance(call.type, call.signature, call.arguments, call.safe, call.at)


# Binding an overload can build closures, so all calls with the same types share one signature.
# Dialects share overloads under names of their own. An entry holds the function, and with it the
# overload, so that their ids are not reused.
_SIGNATURES_MAX = 20_000
_signatures: dict[Any, tuple[Function, Signature]] = {}


def signature_of(
    function: Function, overload: Overload, types: tuple[Type, ...], result: Type
) -> Signature:
    """Return the signature of calls of `overload` with arguments of `types`."""
    key = (id(function), id(overload), types, result)
    known = _signatures.get(key)
    if known is not None:
        return known[1]
    evaluate: Any = overload.evaluate
    if overload.bind is not None:
        evaluate = overload.bind(types, result)
    signature = Signature(
        function.name,
        types,
        result,
        evaluate,
        overload.nulls,
        overload.context,
        overload.lazy,
        overload.volatile,
        overload.stable,
        function.operation,
        function.cannot_fail,
        function.is_slow,
        overload.target,
    )
    if len(_signatures) >= _SIGNATURES_MAX:
        _signatures.clear()
    _signatures[key] = (function, signature)
    return signature
