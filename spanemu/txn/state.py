"""The lifecycle of a read-write transaction, as a table (nothing else decides what may follow)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, auto


class State(StrEnum):
    """Where a read-write transaction stands."""

    ACTIVE = auto()
    COMMITTING = auto()  # holds every lock it needs; can no longer be wounded
    COMMITTED = auto()
    ABORTED = auto()  # lost to another transaction; the client runs it again
    INVALID = auto()  # a statement or its commit failed for good; the failure is repeated
    ROLLED_BACK = auto()


NEXT: Mapping[State, frozenset[State]] = {
    State.ACTIVE: frozenset(
        {State.COMMITTING, State.ABORTED, State.INVALID, State.ROLLED_BACK},
    ),
    State.COMMITTING: frozenset({State.COMMITTED, State.ABORTED, State.INVALID}),
    State.ABORTED: frozenset({State.ROLLED_BACK}),
    State.INVALID: frozenset({State.ROLLED_BACK}),
    State.COMMITTED: frozenset(),
    State.ROLLED_BACK: frozenset(),
}
