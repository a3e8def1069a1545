"""Errors of dumps and loads. Each message names the file.

InvalidDump        a file or folder that is no dump
LoadRejected       a file that cannot be loaded
└── DamagedFile    a file that is not as it was written
"""

from __future__ import annotations

from pathlib import Path


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


def reason_of(problem: Exception) -> str:
    """Return what is wrong with JSON whose reading failed, in words for its author."""
    if isinstance(problem, KeyError):
        return f"{problem.args[0]!r} is missing"
    if isinstance(problem, ValueError):
        return str(problem)
    return "a part of it has another form"
