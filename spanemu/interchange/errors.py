"""Errors of dumps and loads.

    InvalidDump        a file or folder that is no dump
    LoadRejected       a file that cannot be loaded
    └── DamagedFile    a file that is not as it was written
    StatementRefused   a statement among others

Messages name the file, except that of a statement, whose file the caller knows.
"""

from __future__ import annotations

from pathlib import Path

from spanemu.base.errors import SpannerError


class InvalidDump(ValueError):
    """A folder that is no dump; the message names the file."""


class LoadRejected(Exception):
    """A file that cannot be loaded; the message names the file, the place in it and the reason."""


class DamagedFile(LoadRejected):
    """A file that is not as it was written; `problem` says how, as a predicate."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"{path} {problem}; --edited loads files that were changed on purpose")
        self.path = str(path)
        self.problem = problem


class StatementRefused(Exception):
    """A statement that the server refuses, by its index among those of its transaction."""

    def __init__(self, index: int, failure: SpannerError) -> None:
        super().__init__(index, failure)
        self.index = index
        self.failure = failure


def reason_of(problem: Exception) -> str:
    """Return the problem with JSON that cannot be read, in words for its author."""
    if isinstance(problem, KeyError):
        return f"{problem.args[0]!r} is missing"
    if isinstance(problem, ValueError):
        return str(problem)
    return "a part of it has another form"
