"""Schedules: whose turn it is in a run, which fault the run meets, and how that is written.

ABBA                  a step of A, two of B, and one of A; afterwards nobody is interrupted
AA1A                  A1 is the first thread that A starts, and A1.2 the second that A1 starts
AABB/lost:A1          the response to the first commit of A is lost; of A1: /lost:A1:1
AB/transactions       a step lasts from the beginning of a transaction to its end
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spanemu.base.rand import SeededRandom
from spanemu.explorer.actors import LETTERS, Actor, Roster

_ACTOR = r"[A-Z](?:\d+(?:\.\d+)*)?"
_WORD = re.compile(f"(?:{_ACTOR})+")
_LETTER = re.compile(_ACTOR)
_FAULT = re.compile(rf"(abort|late|lost):(?:([A-Z])(\d+)|({_ACTOR}):(\d+))")


class InvalidSchedule(ValueError):
    """A text that is no schedule of the actors."""


class Fault(NamedTuple):
    """A fault of the nth commit of an actor: "abort", or a "late" or "lost" response."""

    kind: str
    actor: int
    nth: int

    def text(self, actors: Sequence[Actor]) -> str:
        """Return the fault as a schedule names it."""
        actor = actors[self.actor]
        separator = "" if actor.parent is None else ":"
        return f"{self.kind}:{actor.letter}{separator}{self.nth}"


class Plan(NamedTuple):
    """A schedule: the actors to follow, then `order` decides, in which no actor is interrupted.

    `priorities` decide instead of `order` if there are any. A run `by_transaction` interrupts no
    serializable transaction, and with `is_serial` no transaction at all. The actors of `order` run,
    and the threads that they start. `in_turn` lets an actor run only after those before it in
    `order` have ended.
    """

    word: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    by_transaction: bool = False
    fault: Fault | None = None
    is_detailed: bool = False
    is_serial: bool = False
    in_turn: bool = False
    priorities: Priorities | None = None


class Priorities:
    """Random priorities of actors, a few of which change at random steps.

    A run with `changes` of them finds each race that depends on so many ordered steps and one more,
    with a probability that falls only with the number of steps ("A randomized scheduler with
    probabilistic guarantees of finding bugs", Burckhardt and others, 2010).
    """

    def __init__(self, draw: SeededRandom, steps: int, changes: int = 2) -> None:
        self._draw = draw
        self._priorities: dict[int, float] = {}
        self._changes = {draw.randrange(1, max(2, steps)) for _ in range(changes)}
        self._lowest = 0.0

    def chosen(self, position: int, enabled: Sequence[int]) -> int:
        """Return the actor that takes the step at a position."""
        for actor in enabled:
            if actor not in self._priorities:
                self._priorities[actor] = 1.0 + self._draw.random()
        if position in self._changes:
            self._changes.discard(position)
            self.lower(max(enabled, key=self._priorities.__getitem__))
        return max(enabled, key=self._priorities.__getitem__)

    def lower(self, actor: int) -> None:
        """Give an actor the lowest priority: it sleeps, or its priority changes."""
        self._lowest -= 1.0
        self._priorities[actor] = self._lowest


def parsed_schedule(text: str, roster: Roster, functions: int) -> Plan:
    """Return the plan of a schedule such as "ABBA" or "AABB/lost:A1". Raises InvalidSchedule."""
    letters, *options = text.split("/")
    word = []
    if _WORD.fullmatch(letters):
        word = [roster.named(letter) for letter in _LETTER.findall(letters)]
    if not word or None in word:
        known = ", ".join(LETTERS[:functions])
        raise InvalidSchedule(f"schedule={text!r}: the actors are {known}, and A1 is a thread of A")
    plan = Plan(tuple(actor.number for actor in word if actor), tuple(range(functions)))
    for option in options:
        fault = _parsed_fault(option, roster)
        if option == "transactions":
            plan = plan._replace(by_transaction=True)
        elif fault is not None:
            plan = plan._replace(fault=fault)
        else:
            raise InvalidSchedule(
                f"schedule={text!r}: {option!r} is neither 'transactions' nor a fault such as "
                "'abort:A1', 'late:A1' or 'lost:A1'"
            )
    return plan


def _parsed_fault(text: str, roster: Roster) -> Fault | None:
    match = _FAULT.fullmatch(text)
    if match is None:
        return None
    kind, letter, nth, thread, nth_of_thread = match.groups()
    actor = roster.named(letter or thread)
    return None if actor is None else Fault(kind, actor.number, int(nth or nth_of_thread))
