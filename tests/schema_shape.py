"""What a schema says, as plain data: two schemas that say the same have equal shapes.

Left out is what depends on how a schema came to be: ids, positions in stored rows, generations, and
the order of objects and of constraints.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from spanemu.ddl.schema_text import kept_packages
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity

_BY_ORIGIN = frozenset(
    {
        "id", "position", "positions_used", "least_width", "generation", "next_id", "limits",
        "dialect", "fold", "ready",
    }
)  # fmt: skip
_UNORDERED = frozenset({"foreign_keys", "checks", "grants", "managed_by", "synonyms"})


def shape(schema: Schema) -> dict[str, Any]:
    """Return what a schema says."""
    said: dict[str, Any] = _plain(schema)
    said["statistics"] = dict(kept_packages(schema))  # The others are no part of a schema.
    for sequence in said["sequences"].values():
        sequence["start_counter"] = sequence["start_counter"] or 1  # PostgreSQL prints the default
    said["sequences"] = {
        name: sequence for name, sequence in said["sequences"].items() if not sequence["internal"]
    }
    return said


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Enum) or not hasattr(value, "__dataclass_fields__"):
        return value
    return {
        name: _field(name, getattr(value, name))
        for name in value.__dataclass_fields__
        if name not in _BY_ORIGIN and not (isinstance(value, Identity) and name == "sequence")
    }


def _field(name: str, value: Any) -> Any:
    if name in ("key", "suffix", "stored") and isinstance(value, tuple):
        return [_part(part) for part in value]
    plain = _plain(value)
    return sorted(plain, key=repr) if name in _UNORDERED else plain


def _part(part: Any) -> Any:
    """Return a column of a key or an index by its name, which identifies it."""
    if isinstance(part, Column):
        return part.name
    column = getattr(part, "column", None)
    return part if column is None else (column.name, part.order)
