"""What every tree of GoogleSQL is made of: nodes with a place in the text, names, hints, types."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from spanemu.base.record import Record, keyword_record, record


@keyword_record
class Node(Record):
    """Anything that was written somewhere: `text[at:end]`."""

    at: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)


@record
class Identifier(Node):
    """A name as written, without its backticks."""

    name: str
    quoted: bool = field(default=False, compare=False)


@record
class Path(Node):
    """Names joined by dots: a table, a column, a function, or a field of a field."""

    parts: tuple[Identifier, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.parts)

    def __str__(self) -> str:
        return ".".join(self.names)


@record
class Hint(Node):
    """`@{name=value, ...}`: (qualified name, literal value) pairs; identifiers become str."""

    entries: tuple[tuple[str, Any], ...]


@record
class TypeName(Node):
    """A type as written: `path` for a scalar, `element` for ARRAY<...>, `fields` for STRUCT<...>.

    `length` is the parameter of STRING(n) or BYTES(n): an int, or "MAX"; it begins with its
    parenthesis at `length_at`. `vector_length` is that of ARRAY<...>(vector_length=>n).
    """

    path: Path | None = None
    element: TypeName | None = None
    fields: tuple[tuple[Identifier | None, TypeName], ...] | None = None
    length: int | str | None = None
    length_at: int = -1
    vector_length: int | None = None
