"""The entries of search indexes: for each row one document, with its token lists."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.limits import KEY_BYTES_MAX, TOKEN_BYTES_MAX
from spanemu.schema.indexes import SearchIndex
from spanemu.txn.rules import CompiledSingleIndex, Entry, Row
from spanemu.txn.value_errors import TooManyTokenBytes


class CompiledSearchIndex(CompiledSingleIndex):
    """A search index, compiled: a row has one document, or none if a filter leaves it out."""

    def __init__(self, index: SearchIndex, key_bytes: int = KEY_BYTES_MAX) -> None:
        super().__init__(index, key_bytes)
        self._tokens = slice(self.key_parts, self.key_parts + len(index.key))

    def entries(self, row: Row) -> Sequence[Entry]:
        entries = super().entries(row)
        for _, cells in entries:
            size = sum([len(tokens) for tokens in cells[self._tokens] if tokens is not None])
            if size > TOKEN_BYTES_MAX:
                raise TooManyTokenBytes(self.index.name, size, TOKEN_BYTES_MAX)
        return entries
