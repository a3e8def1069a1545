"""The values that models admit for a column which the database knows as text alone.

SQLAlchemy keeps an `Enum` as STRING, and without `create_constraint` the schema says no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Choices = Mapping[tuple[str, str], tuple[str, ...]]  # by table and column, in lower case


def choices_of_metadata(metadata: Any) -> Choices:
    """Return what the columns of type `Enum` in a SQLAlchemy metadata are stored as."""
    return {
        (table.fullname.lower(), column.name.lower()): stored
        for table in metadata.tables.values()
        for column in table.columns
        if (stored := _stored(column.type))
    }


def choices_of_sources(sources: Iterable[Any]) -> Choices:
    """Return what the models among schema sources admit; of two, the later source wins."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for source in sources:
        if (choices := getattr(source, "choices", None)) is not None:
            found |= choices()
    return found


def _stored(type_: Any) -> tuple[str, ...]:
    """Return the texts that an `Enum` is stored as, also inside a `TypeDecorator`."""
    enums: Iterable[str] = getattr(getattr(type_, "impl", type_), "enums", None) or ()
    return tuple(enums)
