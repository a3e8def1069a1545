"""Runs seeds against both engines and reports the smallest query of each difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.differential.documented import explanation
from tests.differential.literals import LEAVES
from tests.differential.outcome import NO_ANSWER, PATIENT_SECONDS_MAX, Outcome, ask
from tests.differential.queries import ORDERED, random_statement
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


def compare(ours: Any, theirs: Any, sql: str, *, ordered: bool) -> tuple[Outcome, Outcome] | None:
    """The two answers, if they differ and no document says why."""
    one, other = (ask(each, sql, ordered=ordered) for each in (ours, theirs))
    if one.agrees(other) or other.code in NO_ANSWER:
        return None
    if one.code in NO_ANSWER:  # a busy machine, or a plan that is too slow by far
        one = ask(ours, sql, ordered=ordered, seconds=PATIENT_SECONDS_MAX)
        if one.agrees(other):
            return None
    return None if explanation(sql, one, other) else (one, other)


def differences(ours: Any, theirs: Any, seeds: range, *, shrink: bool) -> Iterator[Difference]:
    """Every difference among the statements of these seeds."""
    for seed in seeds:
        statement = random_statement(seed)
        ordered = statement.kind == ORDERED
        found = compare(ours, theirs, str(statement), ordered=ordered)
        if found is None:
            continue
        codes = [each.code for each in found]

        def fails(sql: str, ordered: bool = ordered, codes: list[str] = codes) -> bool:
            again = compare(ours, theirs, sql, ordered=ordered)
            return again is not None and [each.code for each in again] == codes

        least = str(minimal(statement, LEAVES, fails) if shrink else statement)
        again = compare(ours, theirs, least, ordered=ordered) or found
        yield Difference(seed, least, *again)
