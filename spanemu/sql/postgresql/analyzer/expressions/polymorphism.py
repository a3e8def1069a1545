"""Solves polymorphic signatures: the types for which anyelement, anyarray and their kin stand.

arraycontains(anyarray, anyarray)                     all arrays have one type
array_cat(anycompatiblearray, anycompatiblearray)     the arrays have a common type
textanycat(text, anynonarray)                         any type but an array
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce
from spanemu.sql.postgresql.analyzer.expressions.common_type import select_common_type
from spanemu.sql.postgresql.foreign_types import (
    ANY,
    ANY_ARRAY,
    ANY_COMPATIBLE,
    ANY_COMPATIBLE_ARRAY,
    ANY_COMPATIBLE_NON_ARRAY,
    ANY_ELEMENT,
    ANY_NON_ARRAY,
    POLYMORPHIC,
)
from spanemu.sql.postgresql.types import UNKNOWN
from spanemu.values.types import STRING, Type, array_of


class _Family(NamedTuple):
    element: Type
    array: Type
    non_array: Type


_SAME = _Family(ANY_ELEMENT, ANY_ARRAY, ANY_NON_ARRAY)
_COMPATIBLE = _Family(ANY_COMPATIBLE, ANY_COMPATIBLE_ARRAY, ANY_COMPATIBLE_NON_ARRAY)


class Solution(NamedTuple):
    """The type of each argument; `elements` has the type for which each family's element stands.

    `undetermined` is set if all arguments of a family are of type unknown.
    """

    types: tuple[Type, ...]
    elements: tuple[Type | None, Type | None]
    undetermined: bool = False


def solve(formals: Sequence[Type], actuals: Sequence[Type]) -> Solution | None:
    """Return the types that `formals` denote for arguments of types `actuals`.

    None means that the arguments do not fit the polymorphic parameters.
    """
    if not any(formal in POLYMORPHIC for formal in formals):
        return Solution(tuple(map(_any_type, formals, actuals)), (None, None))
    same = _candidates(_SAME, formals, actuals)
    compatible = _candidates(_COMPATIBLE, formals, actuals)
    if same is None or compatible is None or len(set(same)) > 1:
        return None
    if not all(map(_may_be_range, formals, actuals)):
        return None
    element = same[0] if same else None
    common = select_common_type(compatible) if compatible else None
    if isinstance(common, tuple):
        return None
    if common is None and any(formal in _COMPATIBLE for formal in formals):
        common = STRING
    if common is not None and not all(can_coerce(type_, common) for type_ in compatible):
        return None
    if not _non_arrays_fit(formals, element, common):
        return None
    types = tuple(
        _substituted(formal, actual, element, common)
        for formal, actual in zip(formals, actuals, strict=True)
    )
    undetermined = any(type_ in POLYMORPHIC for type_ in types)
    return Solution(types, (element, common), undetermined)


def _may_be_range(formal: Type, actual: Type) -> bool:
    """Return whether an argument fits a range or an enum, of which Spanner has no types."""
    is_range = formal in POLYMORPHIC and formal not in (*_SAME, *_COMPATIBLE)
    return actual == UNKNOWN or not is_range


def _candidates(
    family: _Family, formals: Sequence[Type], actuals: Sequence[Type]
) -> list[Type] | None:
    """Return the element types that the known arguments suggest; None if one is not an array."""
    elements: list[Type] = []
    for formal, actual in zip(formals, actuals, strict=True):
        if formal not in family or actual == UNKNOWN:
            continue
        if formal == family.array:
            if not actual.is_array:
                return None
            actual = actual.item()
        elements.append(actual)
    return elements


def _non_arrays_fit(formals: Sequence[Type], element: Type | None, common: Type | None) -> bool:
    return not (
        (ANY_NON_ARRAY in formals and element is not None and element.is_array)
        or (ANY_COMPATIBLE_NON_ARRAY in formals and common is not None and common.is_array)
        or (ANY_ARRAY in formals and element is not None and element.is_array)
        or (ANY_COMPATIBLE_ARRAY in formals and common is not None and common.is_array)
    )


def _substituted(formal: Type, actual: Type, element: Type | None, common: Type | None) -> Type:
    for family, type_ in ((_SAME, element), (_COMPATIBLE, common)):
        if formal in family:
            if type_ is None:
                return formal
            return array_of(type_) if formal == family.array else type_
    return _any_type(formal, actual)


def _any_type(formal: Type, actual: Type) -> Type:
    """Return the type of an argument for "any": a bare literal is a text there."""
    if formal != ANY:
        return formal
    return STRING if actual == UNKNOWN else actual
