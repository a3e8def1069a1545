"""Remembers what batches of statements lead to: a test run plans its schema once.

A plan depends on the statements, on the schema they start from and on the types that came with
them, and on nothing else; the work of its steps finds the rows of whatever database it is given.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from spanemu.schema.proto_bundle import ProtoTypes
from spanemu.schema.schema import Schema

BATCHES_MAX = 8
STATEMENTS_MAX = 2_000  # of a batch that is kept: each leaves a generation of the schema behind

T = TypeVar("T")
_Key = tuple[int, tuple[str, ...], ProtoTypes]


class BatchMemory(Generic[T]):
    """The last few batches and what was made of them. Safe to use from several threads."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the map; never held while a plan is made.
        # Each entry holds its schema, so that no other can get the same identity.
        self._known: OrderedDict[_Key, tuple[Schema, Sequence[T]]] = OrderedDict()

    def recall(
        self,
        statements: Sequence[str],
        schema: Schema,
        sent: ProtoTypes,
        make: Callable[[], Sequence[T]],
    ) -> Sequence[T]:
        """What `make` gave for this batch before, or gives now."""
        key = (id(schema), tuple(statements), sent)
        with self._mutex:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known[1]
        made = make()
        if len(statements) <= STATEMENTS_MAX:
            with self._mutex:
                self._known[key] = (schema, made)
                if len(self._known) > BATCHES_MAX:
                    self._known.popitem(last=False)
        return made
