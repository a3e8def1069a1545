"""Vectors as rows store them: the elements of a column with `vector_length`, packed.

A tuple of 768 floats takes 24 KB, the packed elements of an ARRAY<FLOAT32> 3 KB. Expressions see
tuples: `unpacked` makes one of a cell that holds a vector.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spanemu.values.floats import GREATEST_NAN
from spanemu.values.types import FLOAT32, Type

if TYPE_CHECKING:
    _Floats = array[float]
else:
    _Floats = array


class Vector(_Floats):
    """The packed elements of a vector, which never change. Equal to a tuple of these elements."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return tuple(self) == other if other.__class__ is tuple else array.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]  # arrays that change have none
        return hash(tuple(self))


Pack = Callable[[Any], Any]


def packer(type_: Type, length: int) -> Pack:
    """Return a function that packs a cell of a column of arrays of floats with that length.

    It returns other cells unchanged: NULL, arrays that the column refuses, and those with the
    greatest NaN of a PostgreSQL database, which is an object of its own.
    """
    code = typecode(type_)

    def pack(cell: Any) -> Any:
        if cell is None or len(cell) != length or cell.__class__ is Vector:
            return cell
        try:
            packed = Vector(code, cell)
        except TypeError:  # an element is NULL
            return cell
        total = sum(packed)  # NaN if an element is
        return cell if total != total and GREATEST_NAN in cell else packed

    return pack


def typecode(type_: Type) -> str:
    """Return the code of `array` for the elements of a type of arrays of floats."""
    return "f" if type_.item() == FLOAT32 else "d"


def unpacked(cell: Any) -> Any:
    """Return a cell as expressions see it: a tuple in the place of a vector."""
    return tuple(cell) if cell.__class__ is Vector else cell
