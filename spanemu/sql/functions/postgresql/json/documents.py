"""Documents that functions build."""

from __future__ import annotations

from typing import Any

from spanemu.sql.functions.postgresql.errors import BadJsonb
from spanemu.values.errors import BadValue
from spanemu.values.pg_jsonb import Jsonb, checked


def document_of(value: Any) -> Jsonb:
    """Return plain data in normal form as a document; raise BadJsonb if it is nested too deep."""
    try:
        return checked(value)
    except BadValue as failure:
        raise BadJsonb(failure.reason) from None
