"""Values of graph elements and paths, and their identifiers.

An element is an `Element`: its table, its key and its properties. A path is a tuple of elements,
which begins and ends with a node: (node, edge, node, edge, node). Equality is identity: two
elements are equal if table and key are, whatever the values of their properties.

The identifier of an element is Base64 of bytes that name the graph, the table and the key; that of
an edge goes on with the identifiers of its two nodes. It depends on nothing else, so that it stays
the same in later queries:

    99 FinGraph.Account 00 78    91 0e        Account 7 of FinGraph
    string                       INT64
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from spanemu.values.graph_types import ElementTable
from spanemu.values.json import Json
from spanemu.values.key import part_encoder
from spanemu.values.order import ASCENDING
from spanemu.values.types import Type, TypeCode

Key = tuple[Any, ...]
_NO_ENDS: tuple[Key, Key] = ((), ())
_NOTHING = (None, None)


class Element:
    """A node or an edge.

    - `key`: the values of the element key, with one object for every NaN (`plain_key`)
    - `properties`: the values of `table.properties`, in their order
    - `ends`: the keys of source and destination of an edge, in the node tables that the edge table
      names
    - `own`: the label and the properties that the row itself holds
    """

    __slots__ = (
        "destination",
        "dynamic_label",
        "dynamic_properties",
        "key",
        "properties",
        "source",
        "table",
    )

    def __init__(
        self,
        table: ElementTable,
        key: Key,
        properties: Key = (),
        ends: tuple[Key, Key] = _NO_ENDS,
        own: tuple[str | None, Json | None] = _NOTHING,
    ) -> None:
        self.table = table
        self.key = key
        self.properties = properties
        self.source, self.destination = ends
        self.dynamic_label, self.dynamic_properties = own

    @property
    def size_parts(self) -> tuple[Any, ...]:
        """The values that the element itself holds, for accounts of memory."""
        return (*self.key, *self.properties, *self.source, *self.destination)

    def __eq__(self, other: object) -> bool:
        return (
            other.__class__ is Element
            and self.key == other.key
            and self.table.name == other.table.name
        )

    def __hash__(self) -> int:
        return hash((self.table.name, self.key))

    def __repr__(self) -> str:
        return f"{self.table.name}{self.key!r}"


Path = tuple[Element, ...]

_NAN = float("nan")


def plain_key(key: Sequence[Any]) -> Key:
    """Return a key in which every NaN is the same object, so that keys with NaN are equal."""
    return tuple([_NAN if value != value else value for value in key])


def connects(edge: Element, first: Element, second: Element) -> bool:
    """Return whether an edge leads from one node to the other, in either direction."""
    return (is_source(first, edge) and is_destination(second, edge)) or (
        is_source(second, edge) and is_destination(first, edge)
    )


def is_source(node: Element, edge: Element) -> bool:
    """Return whether the edge begins at the node."""
    table = edge.table.source
    return table is not None and edge.source == node.key and table.name == node.table.name


def is_destination(node: Element, edge: Element) -> bool:
    """Return whether the edge ends at the node."""
    table = edge.table.destination
    return table is not None and edge.destination == node.key and table.name == node.table.name


def labels(element: Element) -> tuple[str, ...]:
    """Return the labels of an element, sorted ignoring case: the declared ones and its row's."""
    declared, own = element.table.labels, element.dynamic_label
    if own is None or own.lower() in {label.lower() for label in declared}:
        return declared
    return tuple(sorted((*declared, own), key=str.lower))


def dynamic_members(element: Element) -> dict[str, Any]:
    """Return the properties that the row of an element holds, without those that are declared."""
    document = element.dynamic_properties
    if document is None or document.value.__class__ is not dict:
        return {}
    declared = {name.lower() for name, _ in element.table.properties}
    return {name: value for name, value in document.value.items() if name.lower() not in declared}


def property_names(element: Element) -> tuple[str, ...]:
    """Return the names of the properties of an element, sorted ignoring case."""
    declared = [name for name, _ in element.table.properties]
    return tuple(sorted([*declared, *dynamic_members(element)], key=str.lower))


# ---------------------------------------------------------------------------- identifiers


def identifier(element: Element) -> str:
    """Return the identifier of an element."""
    return _base64(_identifier_bytes(element))


def source_identifier(edge: Element) -> str:
    """Return the identifier of the node at which an edge begins."""
    assert edge.table.source is not None
    return _base64(_node_bytes(edge.table.source, edge.source))


def destination_identifier(edge: Element) -> str:
    """Return the identifier of the node at which an edge ends."""
    assert edge.table.destination is not None
    return _base64(_node_bytes(edge.table.destination, edge.destination))


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()


def _identifier_bytes(element: Element) -> bytes:
    table = element.table
    own = _node_bytes(table, element.key)
    if table.source is None or table.destination is None:
        return own
    source = _node_bytes(table.source, element.source)
    return own + source + _node_bytes(table.destination, element.destination)


def _node_bytes(table: ElementTable, key: Key) -> bytes:
    head, encoders = _table_encoders(table)
    return head + b"".join([encode(value) for encode, value in zip(encoders, key, strict=True)])


_Encode = Callable[[Any], bytes]
_NULL = b"\x80"
_TEXT, _TEXT_END = b"\x99", b"\x00\x78"
_INTEGER_SIZE = 0x90  # plus or minus the number of bytes that follow
_OTHER = b"\xa9"


@lru_cache(maxsize=256)
def _table_encoders(table: ElementTable) -> tuple[bytes, tuple[_Encode, ...]]:
    """Return the start of the identifiers of a table's elements, and encoders of the key parts."""
    head = _text_bytes(f"{table.graph}.{table.name}".encode())
    return head, tuple([_encoder(type_) for type_ in table.key])


def _encoder(type_: Type) -> _Encode:
    encode = _ENCODERS.get(type_.code)
    if encode is None:
        # The parts of a key in storage are an order-preserving form of every key type.
        part = part_encoder(type_, ASCENDING)
        return lambda value: _OTHER + part(value)
    return lambda value: _NULL if value is None else encode(value)


def _integer_bytes(value: int) -> bytes:
    doubled = 2 * value if value >= 0 else -2 * value - 1
    size = max(1, (doubled.bit_length() + 7) // 8)
    if value >= 0:
        return bytes((_INTEGER_SIZE + size,)) + doubled.to_bytes(size, "big")
    inverted = (1 << (8 * size)) - 1 - doubled
    return bytes((_INTEGER_SIZE - size,)) + inverted.to_bytes(size, "big")


def _text_bytes(data: bytes) -> bytes:
    return _TEXT + data.replace(b"\x00", b"\x00\xf0") + _TEXT_END


_ENCODERS: dict[TypeCode, _Encode] = {
    TypeCode.INT64: _integer_bytes,
    TypeCode.STRING: lambda value: _text_bytes(value.encode()),
}
