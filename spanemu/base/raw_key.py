"""Conversion of Python keys to the keys of Spanner's requests."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from datetime import UTC, date, datetime
from math import isfinite
from typing import Any


def raw_key(key: Iterable[Any]) -> list[Any]:
    """Return key parts as Spanner's requests hold them, from Python values.

    Bytes are encoded as Base64.
    """
    return [_raw(part) for part in key]


def _raw(part: Any) -> Any:
    match part:
        case None | bool() | str():
            return part
        case float():
            return part if isfinite(part) else _NOT_FINITE[str(part)]
        case bytes():
            return b64encode(part).decode("ascii")
        case datetime():
            if hasattr(part, "rfc3339"):  # the client's own, with nanoseconds
                return part.rfc3339()
            return part.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case date():
            return part.isoformat()
        case _:  # INT64, NUMERIC and UUID travel as text
            return str(part)


_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
