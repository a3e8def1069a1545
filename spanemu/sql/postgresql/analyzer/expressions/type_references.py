"""The types that casts name: `bigint`, `varchar(10)`, `text[]`."""

from __future__ import annotations

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors.typing import (
    BadModifier,
    ModifierNotSupported,
    MultidimensionalArray,
    TypeNotSupported,
    UndefinedType,
)
from spanemu.sql.postgresql.foreign_types import is_foreign, title, type_called
from spanemu.sql.postgresql.types import named
from spanemu.values import types
from spanemu.values.types import Type, array_of

PRECISION_MAX = 1000
_TEXT_LENGTH_MAX = 10_485_760
_OF_SCHEMA = {"tokenlist": types.TOKENLIST, "commit_timestamp": types.TIMESTAMP}


def type_of(reference: ast.TypeReference) -> Type:
    """Return the type that a query names.

    Raise TypeNotSupported for a type that only PostgreSQL has, UndefinedType for an unknown name,
    MultidimensionalArray for several pairs of brackets.
    """
    if reference.schema not in ("", "pg_catalog"):
        type_ = _OF_SCHEMA.get(reference.name) if reference.schema == "spanner" else None
    else:
        type_ = named(reference.name)
    if type_ is None:
        foreign = type_called(reference.name)
        if not reference.schema and is_foreign(foreign):
            raise TypeNotSupported(title(foreign), at=reference.at)
        qualifier = f"{reference.schema}." if reference.schema else ""
        raise UndefinedType(qualifier + reference.name, at=reference.at)
    if reference.dimensions > 1:
        raise MultidimensionalArray(at=reference.at)
    return array_of(type_) if reference.dimensions else type_


def modifiers_of(reference: ast.TypeReference) -> tuple[int, ...]:
    """Return the length of varchar(n), or precision and scale of numeric(p, s), or nothing.

    Raise ModifierNotSupported for any other type, BadModifier for numbers out of range.
    """
    modifiers = reference.modifiers
    if not modifiers:
        return ()
    if reference.dimensions or reference.name not in ("varchar", "numeric"):
        raise ModifierNotSupported(at=reference.at)
    if reference.name == "varchar":
        return _length(modifiers, reference.at)
    return _precision_and_scale(modifiers, reference.at)


def _length(modifiers: tuple[int, ...], at: int) -> tuple[int, ...]:
    if len(modifiers) != 1:
        raise BadModifier("invalid type modifier", at=at)
    if modifiers[0] < 1:
        raise BadModifier("length for type varchar must be at least 1", at=at)
    if modifiers[0] > _TEXT_LENGTH_MAX:
        raise BadModifier(f"length for type varchar cannot exceed {_TEXT_LENGTH_MAX}", at=at)
    return modifiers


def _precision_and_scale(modifiers: tuple[int, ...], at: int) -> tuple[int, ...]:
    if len(modifiers) > 2:
        raise BadModifier("invalid NUMERIC type modifier", at=at)
    precision, scale = (*modifiers, 0)[:2]
    if not 1 <= precision <= PRECISION_MAX:
        problem = f"NUMERIC precision {precision} must be between 1 and {PRECISION_MAX}"
        raise BadModifier(problem, at=at)
    if not -PRECISION_MAX <= scale <= PRECISION_MAX:
        problem = f"NUMERIC scale {scale} must be between -{PRECISION_MAX} and {PRECISION_MAX}"
        raise BadModifier(problem, at=at)
    return precision, scale
