"""One judgement, of the test so far or of a block: the protocol that all assertions share.

    spanner_assert.queries(max=2)               the test so far
    with spanner_assert.queries(max=2): ...     the block alone

A check whose value nobody keeps is judged at once; one that is kept and not used as a block, when
the test's body ends. What comes before and what a block is, each kind of check says by two
functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

__tracebackhide__ = True

Judgement = Callable[[], str | None]  # what is wrong, as a text; None when all is well


class Check:
    """`so_far` judges what was there when this was made; `begin` opens a block and gives what
    judges it when it ends.
    """

    def __init__(self, so_far: Judgement, begin: Callable[[], Judgement]) -> None:
        self._judge = so_far
        self._begin = begin
        self._is_judged = False

    def now(self) -> None:
        """Raise AssertionError for what is wrong so far, the first time that this is called."""
        __tracebackhide__ = True
        if not self._is_judged:
            self._is_judged = True
            self._raise()

    def __enter__(self) -> Self:
        self._is_judged = True
        self._judge = self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True
        if kind is None:
            self._raise()

    def _raise(self) -> None:
        __tracebackhide__ = True
        text = self._judge()
        if text is not None:
            raise AssertionError(text)


# ---------------------------------------------------------------------------- recordings

Marks = tuple[int, int, int]  # how many queries, attempts to commit and aborts there were


@dataclass(frozen=True, slots=True)
class RecordingSlice:
    """What was recorded in a stretch of a test."""

    queries: Sequence[Any]
    attempts: Sequence[Any]
    aborts: int

    @classmethod
    def between(cls, recording: Any, first: Marks, last: Marks) -> RecordingSlice:
        """What came after the first marks, and before the last."""
        return cls(
            recording.queries[first[0] : last[0]],
            recording.attempts[first[1] : last[1]],
            last[2] - first[2],
        )

    @property
    def commits(self) -> Sequence[Any]:
        """The commits that succeeded."""
        return [commit for commit in self.attempts if not commit.error]

    @property
    def mutations(self) -> int:
        """Mutations of the commits that succeeded."""
        return sum(commit.mutations for commit in self.commits)


def marks_of(recording: Any) -> Marks:
    """Where a recording stands."""
    return len(recording.queries), len(recording.attempts), recording.aborts


def check_of(recording: Any, start: Marks, judge: Callable[[RecordingSlice], str | None]) -> Check:
    """A check of a recording: from the marks to now, or of a block."""

    def since(first: Marks, last: Marks | None = None) -> Judgement:
        return lambda: judge(RecordingSlice.between(recording, first, last or marks_of(recording)))

    return Check(since(start, marks_of(recording)), lambda: since(marks_of(recording)))
