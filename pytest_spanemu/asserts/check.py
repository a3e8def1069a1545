"""A check: one condition on what a test's code does to its database.

    with spanner_assert.queries(max=2): ...     checks the block
    spanner_assert.queries(max=2).so_far()      checks the test up to this line

A check that a test creates and uses in neither way fails the test when its body ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Any, Self

from spanemu.base.record import dataclass

__tracebackhide__ = True

FindProblem = Callable[[], str | None]  # returns a failure text, or None when the condition holds


class BlockCheck:
    """A check of a block, for conditions that compare the end of the block with its start.

    `begin` runs when the block is entered and returns the function that checks the block when it
    ends. `name` is the assertion's name in failure texts.
    """

    def __init__(self, name: str, begin: Callable[[], FindProblem]) -> None:
        self._name = name
        self._begin = begin
        self._position = ""
        self._is_used = False

    @property
    def misuse(self) -> str | None:
        """A sentence that says how to use the check, None if the test has used it."""
        if self._is_used:
            return None
        return f"{self._call} at {self._position} has checked nothing. {self._usage}"

    def attach_to(self, caller: FrameType) -> None:
        """Store the line of the code that created the check, for failure texts."""
        self._position = f"{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}"

    def __enter__(self) -> Self:
        self._is_used = True
        self._find_problem = self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            _fail_for(self._find_problem())

    @property
    def _call(self) -> str:
        return f"spanner_assert.{self._name}(...)"

    @property
    def _usage(self) -> str:
        return f"Write `with {self._call}:` to check a block."


class Check(BlockCheck):
    """A check of a block, or of the test so far: `find_problem_so_far` checks the latter."""

    def __init__(
        self, name: str, find_problem_so_far: FindProblem, begin: Callable[[], FindProblem]
    ) -> None:
        super().__init__(name, begin)
        self._find_problem_so_far = find_problem_so_far

    def so_far(self) -> None:
        """Raise AssertionError unless the condition holds for the test up to this call."""
        self._is_used = True
        _fail_for(self._find_problem_so_far())

    @property
    def _usage(self) -> str:
        return (
            f"Write {self._call}.so_far() to check the test so far, "
            f"or `with {self._call}:` to check a block."
        )


def _fail_for(problem: str | None) -> None:
    if problem is not None:
        raise AssertionError(problem)


# ---------------------------------------------------------------------------- the calling line


def caller_of(module: str) -> FrameType:
    """Return the frame that called into `module`, for a function of `module`."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") == module and frame.f_back is not None:
        frame = frame.f_back
    return frame


# ---------------------------------------------------------------------------- recordings

Marks = tuple[int, int, int]  # the number of queries, commit attempts and aborts


@dataclass(frozen=True, slots=True)
class RecordingSlice:
    """The part of a recording between two positions."""

    queries: Sequence[Any]
    attempts: Sequence[Any]
    aborts: int

    @classmethod
    def between(cls, recording: Any, start: Marks, end: Marks) -> RecordingSlice:
        """Return the requests that a recording holds from `start` to `end`."""
        return cls(
            recording.queries[start[0] : end[0]],
            recording.attempts[start[1] : end[1]],
            end[2] - start[2],
        )

    @property
    def commits(self) -> Sequence[Any]:
        """The commits that succeeded."""
        return [commit for commit in self.attempts if not commit.error]

    @property
    def mutations(self) -> int:
        """The number of mutations in the commits that succeeded."""
        return sum(commit.mutations for commit in self.commits)

    @property
    def lock_waits(self) -> list[Any]:
        """The requests that waited for locks."""
        requests = [*self.queries, *self.attempts]
        return [request for request in requests if request.lock_wait_seconds]


def marks_of(recording: Any) -> Marks:
    """Return the current end of a recording."""
    return len(recording.queries), len(recording.attempts), recording.aborts


def recording_check(
    name: str, recording: Any, start: Marks, find_problem: Callable[[RecordingSlice], str | None]
) -> Check:
    """Return a check of what a recording holds from `start` on, or of a block."""

    def since(first: Marks) -> str | None:
        return find_problem(RecordingSlice.between(recording, first, marks_of(recording)))

    def begin() -> FindProblem:
        first = marks_of(recording)
        return lambda: since(first)

    return Check(name, lambda: since(start), begin)
