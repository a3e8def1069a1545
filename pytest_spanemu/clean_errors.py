"""Failures as a test's author needs them: the message, the statement with a caret, the author's own
line, and none of the frames of the client library or of the plugin.

    clean_errors()         failures whose sentence says all: they end a test without a traceback
    statement_errors(sql)  failures of the client keep their type, so that a test can expect them
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import pytest
from google.api_core.exceptions import GoogleAPICallError

import spanemu
from pytest_spanemu.sources.source import Dml, SourceError
from spanemu.api.client import server_message
from spanemu.base.excerpts import INDENT, excerpt, position_in

__tracebackhide__ = True  # from pytest, whose users look for their own lines

_LINES_SHOWN = 8  # of a statement, before and after the position


@contextmanager
def clean_errors() -> Iterator[None]:
    """End a test without a traceback where the block fails with a sentence that says all."""
    try:
        yield
    except (ValueError, spanemu.SchemaRejected) as problem:
        raise pytest.fail.Exception(str(problem), pytrace=False) from None
    except GoogleAPICallError as problem:
        raise pytest.fail.Exception(server_message(problem), pytrace=False) from None


class statement_errors:  # It is used like a function.
    """A block in which an error of the client loses its traceback and shows the statement.

    It is a class because `contextlib` would add frames of its own to the traceback.
    """

    def __init__(self, sql: str = "") -> None:
        self._sql = sql

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not isinstance(problem, GoogleAPICallError):
            return
        problem.message = server_message(problem)
        shown = statement_text(self._sql, problem.message)
        if shown and shown not in getattr(problem, "__notes__", ()):
            problem.add_note(shown)
        raise problem.with_traceback(None) from None


def statement_text(sql: str, message: str) -> str:
    """Return a statement with a caret at the position that a message gives.

    Without a position return the first lines of the statement.
    """
    position = position_in(message)
    if position is not None:
        shown = excerpt(sql, *position, before=_LINES_SHOWN, after=_LINES_SHOWN)
        if shown:
            return shown
    lines = sql.strip("\n").rstrip().split("\n")
    listed = [*lines[:_LINES_SHOWN], *(["..."] if len(lines) > _LINES_SHOWN else [])]
    return "\n".join(f"{INDENT}{line.rstrip()}" for line in listed) if sql else ""


def refused_statement(step: Dml, problem: GoogleAPICallError) -> SourceError:
    """Return the error for a statement of a file that Spanner refused."""
    said = server_message(problem)
    shown = statement_text(step.text, said)
    return SourceError("\n".join(filter(None, [f"{step.origin}:{step.line}: {said}", shown])))
