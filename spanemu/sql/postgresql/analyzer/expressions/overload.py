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
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce
from spanemu.sql.postgresql.analyzer.expressions.polymorphism import solve
from spanemu.sql.postgresql.foreign_types import category, is_preferred
from spanemu.sql.postgresql.types import UNKNOWN
from spanemu.values.types import Type


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
