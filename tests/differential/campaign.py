"""Runs seeds against both engines and reports the smallest query of each difference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.differential.documented import explanation
from tests.differential.literals import LEAVES
from tests.differential.outcome import NO_ANSWER, PATIENT_SECONDS_MAX, SECONDS_MAX, Outcome
from tests.differential.statements import Statement, random_statement
from tests.differential.targets import Target
from tests.differential.tree import minimal


@dataclass(frozen=True)
class Difference:
    """A query that the engines answer differently."""

    seed: int
    sql: str
    ours: Outcome
    theirs: Outcome

    def __str__(self) -> str:
        return f"seed {self.seed}\n  {self.sql}\n  ours   {self.ours}\n  theirs {self.theirs}"


def has_failed(reference: Outcome) -> bool:
    """Return whether the reference ran into a mistake of its own, and so says nothing."""
    return reference.code == "INTERNAL" or "Failed to find column" in reference.message


def compare(
    ours: Target, theirs: Target, statement: Statement, sql: str = ""
) -> tuple[Outcome, Outcome] | None:
    """Return the two answers to a statement, or to `sql` in its place, if no document says why."""
    first, other = (each.ask(statement, SECONDS_MAX, sql) for each in (ours, theirs))
    if first.agrees(other) or other.code in NO_ANSWER or has_failed(other):
        return None
    if first.code in NO_ANSWER:  # a busy machine, or a plan that is too slow by far
        first = ours.ask(statement, PATIENT_SECONDS_MAX, sql)
        if first.agrees(other):
            return None
    return None if explanation(sql or statement.sql, first, other) else (first, other)


def differences(
    ours: Target,
    theirs: Target,
    seeds: range,
    *,
    shrink: bool,
    make: Callable[[int], Statement] = random_statement,
) -> Iterator[Difference]:
    """Yield every difference among the statements of these seeds."""
    for seed in seeds:
        statement = make(seed)
        result = compare(ours, theirs, statement)
        if result is None:
            continue
        codes = [each.code for each in result]

        def fails(sql: str, given: Statement = statement, codes: list[str] = codes) -> bool:
            again = compare(ours, theirs, given, sql)
            return again is not None and [each.code for each in again] == codes

        least = str(minimal(statement.piece, LEAVES, fails)) if shrink else statement.sql
        again = compare(ours, theirs, statement, least) or result
        yield Difference(seed, least, *again)
