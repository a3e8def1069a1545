"""Light classes for frozen data: the guarantees of a frozen dataclass at a fraction of its cost.

A frozen dataclass is generated from six pieces of source when its module is imported, and sets each
field through `object.__setattr__` when an instance is created. A syntax tree and a plan have
hundreds of such classes, and a fast start is a feature of spanemu. `record` generates only
`__init__`; the type checker verifies that no field is assigned (`frozen_default`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, TypeVar, dataclass_transform

T = TypeVar("T")


class Record:
    """A base class with equality, hash and `repr` by fields, except those with `compare=False`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash((type(self), *_compared(self)))

    def __repr__(self) -> str:
        shown = (
            f"{name}={getattr(self, name)!r}"
            for name, each in self.__dataclass_fields__.items()
            if each.repr
        )
        return f"{type(self).__qualname__}({', '.join(shown)})"


class Unique(Record):
    """A record that equals only itself: a node of a large tree."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: type[T]) -> type[T]:
    """Turn a class into a record: fields as with `dataclass`, frozen for the type checker."""
    decorated: type[T] = _fields_only(kind)
    return decorated


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def keyword_record(kind: type[T]) -> type[T]:
    """Turn a class into a record whose fields are passed by name only."""
    decorated: type[T] = _keywords_only(kind)
    return decorated


_fields_only: Callable[[type[Any]], Any] = dataclass(eq=False, repr=False)
_keywords_only: Callable[[type[Any]], Any] = dataclass(eq=False, repr=False, kw_only=True)


def _compared(instance: Any) -> tuple[Any, ...]:
    return tuple(
        getattr(instance, name)
        for name, each in instance.__dataclass_fields__.items()
        if each.compare
    )
