"""Short failures: the message, the statement with a caret and the test's line of code, without the
frames of the client library and of the plugin.

    clean_errors()         errors end the test without a traceback
    statement_errors(sql)  errors of the client keep their type, so that a test can expect them
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import pytest
from google.api_core.exceptions import GoogleAPICallError

import spanemu
from pytest_spanemu.sources.source import Dml, SourceError
from spanemu.api.client import message_with_position, server_message
from spanemu.base.excerpts import INDENT, excerpt, position_in

__tracebackhide__ = True  # pytest leaves these frames out of tracebacks

_LINES_SHOWN = 8  # of a statement: before the position, and after


@contextmanager
def clean_errors() -> Iterator[None]:
    """Fail the test without a traceback if the block raises a usage, schema or API error."""
    try:
        yield
    except (ValueError, spanemu.SchemaRejected) as problem:
        raise pytest.fail.Exception(str(problem), pytrace=False) from None
    except GoogleAPICallError as problem:
        raise pytest.fail.Exception(message_with_position(problem), pytrace=False) from None


class statement_errors:  # used like a function
    """A context that removes the traceback of a client's error and adds the statement.

    A class, because `contextlib` would add frames of its own to the traceback.
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
        shown = statement_text(self._sql, message_with_position(problem))
        if shown and shown not in getattr(problem, "__notes__", ()):
            problem.add_note(shown)
        raise problem.with_traceback(None) from None


def statement_text(sql: str, message: str) -> str:
    """Return a statement with a caret at the position that a message names.

    Return the first lines of the statement for a message without a position.
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
    """Return the error for a statement of a schema source that Spanner has refused."""
    said = message_with_position(problem)
    shown = statement_text(step.text, said)
    return SourceError("\n".join(filter(None, [f"{step.origin}:{step.line}: {said}", shown])))
