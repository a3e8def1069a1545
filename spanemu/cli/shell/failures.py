"""Failures as the shell shows them: the status, the message, and a caret below the position.

ERROR INVALID_ARGUMENT: Unrecognized name: Nam [at 1:8]
SELECT Nam FROM Singers
       ^
"""

from __future__ import annotations

import re

from google.api_core.exceptions import GoogleAPICallError, GoogleAPIError, RetryError

from spanemu.api.client import message_with_position
from spanemu.base.errors import SpannerError

_POSITION = re.compile(r"\[at (\d+):(\d+)\]")
_TAB_WIDTH = 8  # of the columns in messages


class ShellFailure(Exception):
    """A failure of the shell itself, such as an unknown command; the message says what is wrong."""


def failure_text(problem: Exception, sql: str = "") -> str:
    """Return the text of a failure of the server or of the shell; `sql` is the text that failed."""
    if isinstance(problem, RetryError):
        return "ERROR: the server does not answer"
    if isinstance(problem, GoogleAPICallError):
        message = message_with_position(problem)
        code = problem.grpc_status_code
        status = "" if code is None else f" {code.name}"
    else:
        message = str(problem)
        status = f" {problem.code.name}" if isinstance(problem, SpannerError) else ""
    return f"ERROR{status}: {message}{caret(message, sql)}"


def caret(message: str, sql: str) -> str:
    """Return the line of `sql` at the position in a message and a caret below it, or nothing."""
    match = _POSITION.search(message)
    lines = sql.split("\n")
    if match is None or not 1 <= int(match[1]) <= len(lines):
        return ""
    shown = lines[int(match[1]) - 1].expandtabs(_TAB_WIDTH)
    column = int(match[2])
    return f"\n{shown}\n{' ' * (column - 1)}^" if column <= len(shown) + 1 else ""


FAILURES = (GoogleAPIError, SpannerError, ShellFailure)
