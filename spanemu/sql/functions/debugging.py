"""ERROR, the one debugging function.

Its type is given as INT64; the analyzer treats a call as an untyped NULL, so that it fits any
place (`IF(ok, 'text', ERROR('...'))`). It is volatile: folding it would fail a query that never
gets to call it.
"""

from __future__ import annotations

from typing import NoReturn

from spanemu.sql.functions.errors import RaisedByQuery
from spanemu.sql.functions.notation import chapter, overload


def error(message: str | None) -> NoReturn:
    """Fail with the query's own words."""
    raise RaisedByQuery("ERROR function called with NULL value" if message is None else message)


FUNCTIONS = chapter(
    "debugging",
    {"ERROR": (overload("(STRING) -> INT64", error, called=True, volatile=True),)},
)
