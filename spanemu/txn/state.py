"""The lifecycle of a read-write transaction, as the only table of permitted transitions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum, auto


class State(StrEnum):
    """The lifecycle state of a read-write transaction."""

    ACTIVE = auto()
    COMMITTING = auto()  # holds every lock it needs; can no longer be wounded
    COMMITTED = auto()
    ABORTED = auto()  # lost a conflict; the client retries the transaction
    INVALID = auto()  # failed permanently; later requests get the same error
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
