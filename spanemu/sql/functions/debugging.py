"""ERROR, the one debugging function.

The declared type is INT64, but the analyzer treats a call as an untyped NULL, which fits wherever
a value stands (`IF(ok, 'text', ERROR('...'))`). ERROR is volatile: constant folding would fail a
query that never evaluates the call.
"""

from __future__ import annotations

from typing import NoReturn

from spanemu.sql.functions.errors import RaisedByQuery
from spanemu.sql.functions.notation import chapter, overload


def error(message: str | None) -> NoReturn:
    """Raise the error that `ERROR(message)` asks for."""
    raise RaisedByQuery("ERROR function called with NULL value" if message is None else message)


FUNCTIONS = chapter(
    "debugging",
    {"ERROR": (overload("(STRING) -> INT64", error, called=True, volatile=True),)},
)
