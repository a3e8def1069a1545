"""Postings of search indexes: from the tokens of documents to the documents.

The entries of a search index are its documents: ordinary rows of a tree, with versions, clones and
snapshots. Postings are derived from them and hold nothing of their own, so that they can be
dropped and made again at any time. They are made by the first query of a partition that has more
than a few documents, and follow the writes of the tree from then on:

    TreePostings            one for each search index that was queried
    └─ Partition            one for each value of its partition columns that was queried
       ├─ Segment           numbered documents, with the postings of their tokens; only appended to
       └─ live              for each segment a bit for each number: it is the newest version

A version of a document is a number in a segment for good, known by the identity of its row. A write
only notes the key; the next query gives the new version a number and sets the bits of that key. The
undo of a write does the same, and finds that the older version has a number already. A clone shares
the segments and copies the bits; from then on, each of both stores adds to a segment of its own.

A query at an earlier timestamp takes the live documents, less those that were written since: there
are few of these, and their versions at the timestamp are matched one by one.

A posting is an integer, the number of its document and its occurrence there (`values.token_list`):

    number << 32 | occurrence
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from sys import byteorder
from threading import Lock
from typing import Any

from spanemu.base.bits import bits_of, numbers_in
from spanemu.base.call import current
from spanemu.base.record import NamedTuple
from spanemu.schema.indexes import SearchIndex
from spanemu.storage.layout import EVERYTHING, TreeId
from spanemu.storage.reads import StoreReads
from spanemu.storage.versions import Row, visible
from spanemu.values.key import ByteRange, after_prefix, decode_part
from spanemu.values.token_finder import append_occurrences, tells_text
from spanemu.values.token_list import OtherTokenList, Tokenizer
from spanemu.values.types import TypeCode

NUMBER_SHIFT = 32
_HIGH = 1 if byteorder == "little" else 0  # the place of the number among the halves of a posting
OCCURRENCE_MAX = (1 << NUMBER_SHIFT) - 1
CHUNK = 256  # documents that are numbered or filled in while the store's mutex is held
TOUCHED_MAX = 4096  # keys that are noted before they are sorted by partition
_DEAD_MIN = 1024  # numbers of old versions that a partition keeps in any case
_SMALL = 64  # documents of a segment that another segment takes over
_ABSENT = object()  # a cell that a document of another layout lacks


class _Arrays(dict[bytes, "array[int]"]):
    """Arrays of postings by token; an array is made when the first posting is added."""

    __slots__ = ()

    def __missing__(self, token: bytes) -> array[int]:
        created = self[token] = array("Q")
        return created


def _numbers(postings: array[int]) -> Sequence[int]:
    """Return the numbers of the documents of postings: one half of each integer."""
    return memoryview(postings).cast("B").cast("I")[_HIGH::2]


class ColumnPostings:
    """The postings of one token list of the documents of a segment.

    `tokenizers` are those that made the lists. `is_complete` is False if postings cannot tell what
    a list holds: an occurrence is too large, or the document has another layout, because its index
    was altered since.
    """

    __slots__ = (
        "_nulls", "_ordered", "_vague", "bitmaps", "filled", "is_complete", "nulls", "tokenizers",
        "tokens", "trigram_counts", "vague",
    )  # fmt: skip

    def __init__(self) -> None:
        self.tokens = _Arrays()
        self.tokenizers: dict[Tokenizer, None] = {}
        self.nulls: list[int] = []
        self._nulls = 0, 0  # `nulls` as bits, and how many of them
        self._ordered: tuple[int, list[tuple[Any, bytes]]] = 0, []  # with the number of tokens
        self.is_complete = True
        self.filled = 0  # documents whose tokens are here
        # The documents of a token as bits, with the number of postings that they were made of.
        self.bitmaps: dict[bytes, tuple[int, int]] = {}
        self.vague: list[int] = []  # lists of n-grams that do not tell the text they are of
        self._vague = 0, 0
        # By number, how many trigrams the text of a list has; 0 or nothing before they are counted.
        self.trigram_counts = array("I")

    def add(self, number: int, data: Any) -> None:
        """Add the token list of a new last document."""
        if data is None:
            self.nulls.append(number)
            return
        base = number << NUMBER_SHIFT
        try:
            tokenizer = append_occurrences(data, self.tokens, base, OCCURRENCE_MAX)
        except (OtherTokenList, OverflowError, AttributeError, TypeError):
            self.is_complete = False
            return
        self.tokenizers[tokenizer] = None
        if tokenizer.has_ngrams and not tells_text(data, tokenizer):
            self.vague.append(number)

    def documents(self, token: bytes) -> int:
        """Return the documents that have a token, a bit for each number."""
        postings = self.tokens.get(token)
        if postings is None:
            return 0
        bits, size = self.bitmaps.get(token, (0, 0))
        count = len(postings)
        if size < count:
            bits |= bits_of(_numbers(postings[size:count]))
            self.bitmaps[token] = bits, count
        return bits

    def size(self, token: bytes) -> int:
        """Return the number of occurrences of a token."""
        postings = self.tokens.get(token)
        return 0 if postings is None else len(postings)

    def without_list(self) -> int:
        """Return the documents whose list is NULL."""
        self._nulls = _extended(self._nulls, self.nulls)
        return self._nulls[0]

    def with_vague_list(self) -> int:
        """Return the documents with n-grams from which nothing follows about their text."""
        self._vague = _extended(self._vague, self.vague)
        return self._vague[0]

    def ordered(self, key: Callable[[bytes], Any]) -> list[tuple[Any, bytes]]:
        """Return the tokens with their keys, in order; those without a key are left out.

        `key` is the same for all calls.
        """
        size, ordered = self._ordered
        tokens = list(self.tokens)
        if size < len(tokens):
            keys = [(key(token), token) for token in tokens]
            ordered = sorted([pair for pair in keys if pair[0] is not None])
            self._ordered = len(tokens), ordered
        return ordered

    def occurrences(self, token: bytes, number: int) -> list[int]:
        """Return the occurrences of a token in a document."""
        postings = self.tokens.get(token)
        if postings is None:
            return []
        first = bisect_left(postings, number << NUMBER_SHIFT)
        end = bisect_left(postings, number + 1 << NUMBER_SHIFT, first)
        return [posting & OCCURRENCE_MAX for posting in postings[first:end]]


def _extended(known: tuple[int, int], numbers: Sequence[int]) -> tuple[int, int]:
    """Return numbers as bits, with how many there are, from those of the first ones."""
    bits, size = known
    count = len(numbers)
    return (bits | bits_of(numbers[size:count]), count) if size < count else known


class Segment:
    """Numbered documents of a partition, and the postings of their token lists.

    The postings of a list are filled when a query searches it.
    """

    __slots__ = ("_filling", "by_key", "by_row", "columns", "keys", "rows")

    def __init__(self, columns: Iterable[int]) -> None:
        self.rows: list[Row] = []
        self.keys: list[bytes] = []
        self.by_row: dict[int, int] = {}  # `rows` keeps the rows, so that their ids stay theirs
        self.by_key: dict[bytes, int | tuple[int, ...]] = {}
        self.columns = {column: ColumnPostings() for column in columns}
        self._filling = Lock()  # Stores that share the segment have mutexes of their own.

    def add(self, key: bytes, row: Row) -> int:
        """Give a version of a document the next number."""
        number = len(self.rows)
        self.rows.append(row)
        self.keys.append(key)
        self.by_row[id(row)] = number
        older = self.by_key.get(key)
        if older is None:
            self.by_key[key] = number
        else:
            self.by_key[key] = (*(older if isinstance(older, tuple) else (older,)), number)
        return number

    def fill(self, columns: Iterable[int], limit: int) -> int:
        """Add the tokens of documents, at most `limit`; return how many documents remain."""
        remaining = 0
        with self._filling:
            for column in columns:
                postings = self.columns[column]
                end = min(len(self.rows), postings.filled + limit)
                for number in range(postings.filled, end):
                    row = self.rows[number]
                    postings.add(number, row[column] if column < len(row) else _ABSENT)
                limit -= end - postings.filled
                postings.filled = end
                remaining += len(self.rows) - end
        return remaining

    def number_of(self, row: Row) -> int | None:
        """Return the number of a version, None if it is not in the segment."""
        return self.by_row.get(id(row))

    def numbers_of_all(self, rows: Iterable[Row]) -> list[int] | None:
        """Return the numbers of versions, None if not all are in the segment."""
        try:
            return list(map(self.by_row.__getitem__, map(id, rows)))
        except KeyError:
            return None

    def numbers_of(self, key: bytes) -> tuple[int, ...]:
        """Return the numbers of all versions of a document."""
        numbers = self.by_key.get(key, ())
        return numbers if isinstance(numbers, tuple) else (numbers,)


class Live:
    """The documents of a segment that are the newest version of their row, a bit for each."""

    __slots__ = ("bits",)

    def __init__(self, bits: bytes | bytearray = b"") -> None:
        self.bits = bytearray(bits)

    def set(self, number: int) -> None:
        """Set the bit of a document."""
        position = number >> 3
        if position >= len(self.bits):
            self.bits.extend(bytes(max(64, position + 1 - len(self.bits))))
        self.bits[position] |= 1 << (number & 7)

    def clear(self, number: int) -> None:
        """Clear the bit of a document."""
        if number >> 3 < len(self.bits):
            self.bits[number >> 3] &= ~(1 << (number & 7))

    def as_int(self) -> int:
        """Return the bits as one integer."""
        return int.from_bytes(self.bits, "little")


class View(NamedTuple):
    """The documents of a partition as of a timestamp.

    `segments` pairs segments with the bits of the documents that are visible. `others` are visible
    documents that no segment has, with their keys.
    """

    segments: tuple[tuple[Segment, int], ...]
    others: tuple[tuple[bytes, Row], ...]


class Partition:
    """The documents of one partition of a search index, as one store sees them."""

    def __init__(self, columns: Sequence[int], keys: Iterable[bytes]) -> None:
        self._columns = columns
        self.touched = dict.fromkeys(keys)
        self.segments: list[tuple[Segment, Live]] = []
        self._open: Segment | None = None  # the last segment, if no other store has it

    def share(self) -> Partition:
        """Return the same documents for a clone of the store."""
        twin = Partition(self._columns, self.touched)
        twin.segments = [(segment, Live(live.bits)) for segment, live in self.segments]
        return twin

    def close(self) -> None:
        """Add no more documents to the last segment, because another store has it from now on."""
        self._open = None

    def update(self, keys: Sequence[bytes], rows: Sequence[Row | None]) -> None:
        """Number the newest versions of documents, and make them the live ones."""
        for key, row in zip(keys, rows, strict=True):
            for segment, live in self.segments:
                for number in segment.numbers_of(key):
                    live.clear(number)
            if row is not None and not self._revive(row):
                segment, live = self._last()
                live.set(segment.add(key, row))

    def _revive(self, row: Row) -> bool:
        """Make a version live that has a number; return whether it has one."""
        for segment, live in reversed(self.segments):
            number = segment.number_of(row)
            if number is not None:
                live.set(number)
                return True
        return False

    def _last(self) -> tuple[Segment, Live]:
        """Return the segment to add to, which takes over a small one that other stores have."""
        if self._open is not None:
            return self.segments[-1]
        small: list[tuple[Segment, Live]] = []
        while self.segments and len(self.segments[-1][0].rows) <= _SMALL << len(small):
            small.append(self.segments.pop())
        self._open = Segment(self._columns)
        self.segments.append((self._open, Live()))
        for segment, live in reversed(small):
            self._copy(segment, live)
        return self.segments[-1]

    def _copy(self, segment: Segment, live: Live) -> None:
        into, bits = self.segments[-1]
        alive = live.as_int()
        for number, row in enumerate(segment.rows):
            if alive >> number & 1:
                bits.set(into.add(segment.keys[number], row))

    def fill(self, columns: Sequence[int]) -> int:
        """Add the tokens of some documents; return how many documents remain."""
        remaining = 0
        for segment, _ in self.segments:
            remaining = segment.fill(columns, CHUNK)
            if remaining:
                break
        return remaining

    def compact(self) -> None:
        """Number all documents again, once the old versions are more than the live ones."""
        numbers = sum([len(segment.rows) for segment, _ in self.segments])
        alive = sum([live.as_int().bit_count() for _, live in self.segments])
        if numbers <= 2 * alive + _DEAD_MIN:
            return
        for segment, live in self.segments:
            for number in numbers_in(live.as_int()):
                self.touched[segment.keys[number]] = None
        self._open, self.segments = None, []


class Selection(NamedTuple):
    """A partition by its prefix, and the positions of the token lists that a query looks at."""

    prefix: bytes
    columns: tuple[int, ...]


class DocumentLayout(NamedTuple):
    """The types of the columns that partition an index, and where token lists are in a document."""

    partition: tuple[TypeCode, ...]
    tokens: tuple[int, ...]


def layout_of(index: SearchIndex) -> DocumentLayout:
    """Return the layout of the documents of a search index."""
    first = len(index.full_key)
    codes = [column.type.code for column in index.partition_by]
    return DocumentLayout(tuple(codes), tuple(range(first, first + len(index.key))))


class TreePostings:
    """The postings of the tree of a search index in one store.

    The store's mutex guards all fields. `touched` are keys of documents that were written, which
    are sorted by partition later.
    """

    def __init__(self, layout: DocumentLayout) -> None:
        self.layout = layout
        self.touched: dict[bytes, None] = {}
        self._partitions: dict[bytes, Partition] = {}
        self._is_shared = False  # True if other stores have the partitions, which nobody changes

    def touch(self, key: bytes) -> None:
        """Note that a document was written. The caller holds the store's mutex."""
        self.touched[key] = None
        if len(self.touched) > TOUCHED_MAX:
            self._sort_touched()

    def share(self) -> TreePostings:
        """Return the same postings for a clone of the store. The caller holds its mutex."""
        self._sort_touched()
        if not self._is_shared:
            for partition in self._partitions.values():
                partition.close()
        twin = TreePostings(self.layout)
        twin._partitions = self._partitions
        self._is_shared = twin._is_shared = True
        return twin

    def _own(self) -> None:
        """Copy partitions that other stores have before they are changed."""
        if self._is_shared:
            self._partitions = {key: each.share() for key, each in self._partitions.items()}
            self._is_shared = False

    def view(self, store: StoreReads, tree: TreeId, selection: Selection, at: int) -> View:
        """Return the documents of a partition, with the postings of the lists selected."""
        prefix = selection.prefix
        while True:
            current().check()  # What was numbered stays, if the request ends here.
            with store.mutex:
                self._own()
                self._sort_touched()
                partition = self._partition(store, tree, prefix)
                partition.compact()
                keys = list(islice(partition.touched, CHUNK))
                for key in keys:
                    del partition.touched[key]
                partition.update(keys, [store.get(tree, key) for key in keys])
                if not partition.touched and not partition.fill(selection.columns):
                    return _view(partition, _changed(store, tree, prefix, at))

    def _partition(self, store: StoreReads, tree: TreeId, prefix: bytes) -> Partition:
        partition = self._partitions.get(prefix)
        if partition is None:
            keys = [key for key, _ in store.scan_items(tree, [range_of(prefix)])]
            partition = self._partitions[prefix] = Partition(self.layout.tokens, keys)
        return partition

    def _sort_touched(self) -> None:
        """Give the written keys to their partitions; those of other partitions do not matter."""
        if not self.touched:
            return
        self._own()
        touched, self.touched = self.touched, {}
        for key in touched:
            partition = self._partitions.get(self._prefix(key))
            if partition is not None:
                partition.touched[key] = None

    def _prefix(self, key: bytes) -> bytes:
        at = 0
        for code in self.layout.partition:
            _, at = decode_part(code, key, at)
        return key[:at]


def range_of(prefix: bytes) -> ByteRange:
    """Return the range of keys that begin with a prefix."""
    return prefix, (after_prefix(prefix) if prefix else EVERYTHING[0][1])


def _changed(store: StoreReads, tree: TreeId, prefix: bytes, at: int) -> dict[bytes, Row | None]:
    """Return the documents that were written after a timestamp, as they were then."""
    if at >= store.last_commit:
        return {}
    items = store.written_items(tree, range_of(prefix), at)
    return {key: visible(version, at) for key, version in items}


def _view(partition: Partition, changed: dict[bytes, Row | None]) -> View:
    segments = []
    for segment, live in partition.segments:
        hidden = [number for key in changed for number in segment.numbers_of(key)]
        bits = live.as_int()
        segments.append((segment, bits & ~bits_of(hidden) if hidden else bits))
    others = [(key, row) for key, row in changed.items() if row is not None]
    return View(tuple(segments), tuple(others))


def note_writes(postings: Mapping[TreeId, TreePostings], writes: Iterable[Any]) -> None:
    """Note the keys of writes. The caller holds the store's mutex."""
    for write in writes:
        of_tree = postings.get(write[0])
        if of_tree is not None:
            of_tree.touch(write[1])
