"""The choice among functions or operators of one name, by chapter 10 of PostgreSQL's manual.

A candidate that takes exactly the argument types wins. Otherwise the candidates remain to which all
arguments convert implicitly, and of those

 1. the ones with the most exact matches,
 2. the ones with the most exact matches and preferred types,
 3. for arguments of type unknown: the ones of the category string, or of the only category, and in
    it the preferred types,
 4. the one that takes the type of all known arguments for the unknown ones as well.

If one is left, the call means that one. Types of PostgreSQL that Spanner lacks take part: a call
that means a function with such an argument is refused.

A polymorphic signature is solved for the types for which anyelement, anyarray and their kin stand:

    arraycontains(anyarray, anyarray)                     all arrays have one type
    array_cat(anycompatiblearray, anycompatiblearray)     the arrays have a common type
    textanycat(text, anynonarray)                         any type but an array
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from spanemu.base.record import NamedTuple
from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce, select_common_type
from spanemu.sql.postgresql.types import (
    ANY,
    ANY_ARRAY,
    ANY_COMPATIBLE,
    ANY_COMPATIBLE_ARRAY,
    ANY_COMPATIBLE_NON_ARRAY,
    ANY_ELEMENT,
    ANY_NON_ARRAY,
    POLYMORPHIC,
    UNKNOWN,
    category,
    is_preferred,
)
from spanemu.values.types import STRING, Type, array_of


class Candidate(Protocol):
    """A function or operator with the types of its parameters, one for each argument."""

    @property
    def operands(self) -> tuple[Type, ...]: ...


C = TypeVar("C", bound=Candidate)


def applicable(candidates: Sequence[C], types: tuple[Type, ...]) -> list[C]:
    """Return the candidates to which all arguments convert implicitly."""
    return [each for each in candidates if _accepts(each.operands, types)]


def _accepts(operands: tuple[Type, ...], types: tuple[Type, ...]) -> bool:
    return all(map(can_coerce, types, operands)) and solve(operands, types) is not None


def select(candidates: Sequence[C], types: tuple[Type, ...]) -> C | None:
    """Return the candidate that the rules select from applicable ones; None if several remain."""
    remaining = list(candidates)
    for count in (_exact_matches, _exact_or_preferred):
        remaining = _with_most(remaining, types, count)
        if len(remaining) == 1:
            return remaining[0]
    unknown = [number for number, type_ in enumerate(types) if type_ == UNKNOWN]
    if not unknown:
        return None
    remaining = _of_one_category(remaining, unknown)
    if len(remaining) == 1:
        return remaining[0]
    return _by_known_type(remaining, types)


def _exact_matches(operands: tuple[Type, ...], types: tuple[Type, ...]) -> int:
    return sum(type_ == operand for type_, operand in zip(types, operands, strict=True))


def _exact_or_preferred(operands: tuple[Type, ...], types: tuple[Type, ...]) -> int:
    return sum(
        type_ == operand or (is_preferred(operand) and category(operand) == category(type_))
        for type_, operand in zip(types, operands, strict=True)
        if type_ != UNKNOWN
    )


def _with_most(
    candidates: list[C],
    types: tuple[Type, ...],
    count: Callable[[tuple[Type, ...], tuple[Type, ...]], int],
) -> list[C]:
    counts = [count(each.operands, types) for each in candidates]
    most = max(counts)
    return [each for each, number in zip(candidates, counts, strict=True) if number == most]


def _of_one_category(candidates: list[C], unknown: Sequence[int]) -> list[C]:
    """Return the candidates that take the category of each unknown argument; all if none is."""
    preferences: dict[int, tuple[str, bool]] = {}
    for number in unknown:
        operands = [each.operands[number] for each in candidates]
        categories = {category(operand) for operand in operands}
        if len(categories) > 1 and "S" not in categories:
            return candidates
        chosen = "S" if "S" in categories else categories.pop()
        has_preferred = any(
            category(operand) == chosen and is_preferred(operand) for operand in operands
        )
        preferences[number] = (chosen, has_preferred)
    fitting = [
        each
        for each in candidates
        if all(
            category(each.operands[number]) == chosen
            and (is_preferred(each.operands[number]) or not has_preferred)
            for number, (chosen, has_preferred) in preferences.items()
        )
    ]
    return fitting or candidates


def _by_known_type(candidates: list[C], types: tuple[Type, ...]) -> C | None:
    """Return the only candidate that takes the type of all known arguments for the unknown ones."""
    known = {type_ for type_ in types if type_ != UNKNOWN}
    if len(known) != 1:
        return None
    same_types = tuple(known) * len(types)
    fitting = applicable(candidates, same_types)
    return fitting[0] if len(fitting) == 1 else None


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
