"""Resolves arguments that are keywords, not values: DAY, WEEK(MONDAY), NFC, SEQUENCE name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from spanemu.base.errors import Unsupported
from spanemu.sql.functions.registry import AggregateFunction, Function, Special
from spanemu.sql.functions.time.date_parts import ALLOWED
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.names import SequenceNotFound
from spanemu.sql.googlesql.analyzer.errors.typing import BadCall
from spanemu.sql.googlesql.analyzer.expressions.overload import SpecialArgument
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import Literal, SequenceRef
from spanemu.values.types import INT64, STRING, Type

_KNOWN_PARTS = frozenset(part for parts in ALLOWED.values() for part in parts)
_NORMALIZATION_MODES = frozenset({"NFC", "NFD", "NFKC", "NFKD"})


def date_part(part: str) -> SpecialArgument:
    """Return the date part `part`, in upper case, as an argument."""
    return SpecialArgument("DATE_PART", Literal(STRING, part))


def check_known(part: str, at: int) -> None:
    """Raise BadCall if the date part does not exist."""
    if part not in _KNOWN_PARTS:
        raise BadCall(f"A valid date part name is required but found {part}", at=at)


def check_part(key: str, part: str, at: int, shown: str, type_: Type | None = None) -> None:
    """Raise BadCall if the date part does not exist or the function `key` does not support it."""
    check_known(part, at)
    allowed = ALLOWED.get(key)
    if allowed is not None and part not in allowed:
        function = shown.format(type=type_)
        raise BadCall(f"{function} does not support the {part} date part", at=at)


@lru_cache(maxsize=1024)
def special_positions(function: Function | AggregateFunction) -> Mapping[int, str]:
    """Return the kinds of the keyword arguments of a function's overloads, by argument index."""
    return {
        number: parameter.pattern.kind
        for overload in function.overloads
        for number, parameter in enumerate(overload.parameters)
        if isinstance(parameter.pattern, Special)
    }


def special_argument(
    kind: str, node: ast.Expression, call: ast.Call, env: Env
) -> SpecialArgument | None:
    """Resolve a keyword argument of `kind`; return None if `node` is an ordinary expression."""
    if kind == "DATE_PART":
        return _date_part_argument(node, call)
    if kind == "SEQUENCE":
        return _sequence_argument(node, env)
    if kind == "NORMALIZATION_MODE" and type(node) is ast.Name:
        mode = str(node.path).upper()
        if mode not in _NORMALIZATION_MODES:
            raise BadCall(f"A valid normalization mode is required but found {mode}", at=node.at)
        return SpecialArgument(kind, Literal(STRING, mode))
    if type(node) is ast.SequenceArgument:
        raise Unsupported(f"{node.kind} arguments")
    return None


def _date_part_argument(node: ast.Expression, call: ast.Call) -> SpecialArgument | None:
    if type(node) is ast.Name and len(node.path.parts) == 1:
        part = node.path.parts[0].name.upper()
    elif type(node) is ast.Call and len(node.arguments) == 1:
        inside = node.arguments[0]
        if type(inside) is not ast.Name:
            return None
        part = f"{str(node.function).upper()}({str(inside.path).upper()})"
    else:
        raise BadCall("A valid date part name is required", at=node.at)
    check_known(part, node.at)
    function = call.function.parts[-1].name.upper()
    check_part(function, part, call.at, function)
    return date_part(part)


def _sequence_argument(node: ast.Expression, env: Env) -> SpecialArgument | None:
    if type(node) is not ast.SequenceArgument or node.kind.upper() != "SEQUENCE":
        return None
    sequence = env.analysis.schema.sequence(str(node.path))
    if sequence is None or sequence.internal:
        raise SequenceNotFound(str(node.path), at=node.at)
    env.analysis.traits.sequences.add(sequence.name)
    return SpecialArgument("SEQUENCE", SequenceRef(INT64, sequence.name))
