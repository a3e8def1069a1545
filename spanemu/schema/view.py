"""A view."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class View:
    """A named query. `columns` are its output as analyzed when it was defined."""

    name: str
    query: str
    columns: tuple[tuple[str, Type], ...]
    invoker_rights: bool = True
    depends_on: frozenset[str] = frozenset()
