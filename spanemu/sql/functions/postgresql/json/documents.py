"""Documents that functions build."""

from __future__ import annotations

from typing import Any

from spanemu.sql.functions.postgresql.errors import BadJsonb, JsonbArrayTooLong
from spanemu.values.pg_jsonb import Jsonb, checked
from spanemu.values.types import BadValue

ARRAY_ELEMENTS_MAX = 1_000_000  # of an array to which a function adds elements


def document_of(value: Any) -> Jsonb:
    """Return plain data in normal form as a document; raise BadJsonb if it is nested too deep."""
    try:
        return checked(value)
    except BadValue as failure:
        raise BadJsonb(failure.reason) from None


def lengthened(items: list[Any]) -> list[Any]:
    """Return an array that a function has made longer. Raise JsonbArrayTooLong if too long."""
    if len(items) > ARRAY_ELEMENTS_MAX:
        raise JsonbArrayTooLong(ARRAY_ELEMENTS_MAX)
    return items
