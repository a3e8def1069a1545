"""Values of seed files as the official client sends them."""

from __future__ import annotations

import json
from typing import Any

from pytest_spanemu.databases.catalog import ColumnInfo

_TRUE, _FALSE = frozenset({"true", "1", "t", "yes"}), frozenset({"false", "0", "f", "no"})


def wire_value(column: ColumnInfo, value: Any) -> Any:
    """A value from a file as the official client sends it."""
    if value is None or column.kind not in _CONVERSIONS:
        return value
    return _CONVERSIONS[column.kind](value)


def _bool(value: Any) -> Any:
    word = str(value).lower()
    return True if word in _TRUE else False if word in _FALSE else value


def _float(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


def _json_text(value: Any) -> Any:
    return value if isinstance(value, str) else json.dumps(value)


def _array(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


_CONVERSIONS = {
    "BOOL": _bool,
    "FLOAT32": _float,
    "FLOAT64": _float,
    "NUMERIC": _text,
    "JSON": _json_text,
    "ARRAY": _array,
}
