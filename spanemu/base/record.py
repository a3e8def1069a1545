"""Light classes for frozen data: what `dataclass(frozen=True)` promises, at a fraction of its cost.

A frozen dataclass is generated from six pieces of source when its module is imported, and sets
each field through `object.__setattr__` when it is made. A syntax tree and a plan have hundreds of
such classes, and starting quickly is part of the product. `record` generates `__init__` alone;
that nobody assigns to a field is for the type checker to see (`frozen_default`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, TypeVar, dataclass_transform

T = TypeVar("T")


class Record:
    """Equality by fields (those with `compare=False` aside), hashing and printing by the same."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash((type(self), *_compared(self)))

    def __repr__(self) -> str:
        shown = (
            f"{name}={getattr(self, name)!r}"
            for name, made in self.__dataclass_fields__.items()
            if made.repr
        )
        return f"{type(self).__qualname__}({', '.join(shown)})"


class Unique(Record):
    """A record that equals only itself: a node of a large tree."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: type[T]) -> type[T]:
    """Class decorator: fields as with `dataclass`, frozen for the type checker."""
    made: type[T] = _fields_only(kind)
    return made


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def keyword_record(kind: type[T]) -> type[T]:
    """Like `record`, with fields that are given by name only."""
    made: type[T] = _keywords_only(kind)
    return made


_fields_only: Callable[[type[Any]], Any] = dataclass(eq=False, repr=False)
_keywords_only: Callable[[type[Any]], Any] = dataclass(eq=False, repr=False, kw_only=True)


def _compared(made: Any) -> tuple[Any, ...]:
    return tuple(
        getattr(made, name) for name, one in made.__dataclass_fields__.items() if one.compare
    )
