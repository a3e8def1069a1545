"""Pages of a listing: a size, and an opaque token of the next page.

A token contains the key of the first item of the next page, so paging stays correct while items are
added and removed.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, Protocol, TypeVar

from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import dataclass

PAGE_SIZE_MAX = 1000

_TIME_MAX = 1 << 63  # nanoseconds; no time is later
_MARK = b"\x01"  # Starts every token's payload, so that most other Base64 text is refused.

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class InvalidPageToken(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid page token: "{token}".'
    token: str


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The size and token of a requested page; a size out of range means the largest."""

    size: int = 0
    token: str = ""

    @property
    def limit(self) -> int:
        """The largest number of items on the page."""
        return self.size if 0 < self.size <= PAGE_SIZE_MAX else PAGE_SIZE_MAX

    def start(self) -> str:
        """Return the key of the first item, "" for the beginning. Raise InvalidPageToken."""
        return _decode(self.token) if self.token else ""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a listing, and the token of the next page, "" on the last page."""

    items: Sequence[T]
    next_token: str = ""


def page(items: Iterable[tuple[str, T]], limit: int) -> Page[T]:
    """Return the first `limit` of `items`, (key, item) pairs from the start of the page on."""
    pairs = list(islice(items, limit + 1))
    if len(pairs) <= limit:
        return Page([item for _, item in pairs])
    return Page([item for _, item in pairs[:limit]], _encode(pairs[limit][0]))


def newest_first(items: Iterable[tuple[int, str, T]], paging: PageRequest) -> Page[T]:
    """Return a page of (time, name, item) triples, given in any order, latest first.

    Sorts all items for each page, so it suits listings of moderate size.
    """
    start = paging.start()
    keyed = ((f"{_TIME_MAX - time:020d}{name}", item) for time, name, item in items)
    remaining = (pair for pair in keyed if pair[0] >= start)
    return page(sorted(remaining, key=lambda pair: pair[0]), paging.limit)


def _encode(key: str) -> str:
    return urlsafe_b64encode(_MARK + key.encode()).decode().rstrip("=")


def _decode(token: str) -> str:
    try:
        payload = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        if payload[:1] != _MARK or _encode(payload[1:].decode()) != token:
            raise InvalidPageToken(token)
        return payload[1:].decode()
    except (Base64Error, ValueError) as problem:
        raise InvalidPageToken(token) from problem


class SortedNames(Protocol[T_co]):
    """A sorted mapping from full names to resources."""

    def irange(self, low: str, high: str) -> Iterator[str]:
        """Yield the names from `low` to `high`, in order."""
        ...

    def __getitem__(self, name: str) -> T_co: ...


def under(names: SortedNames[T], prefix: str, start: str = "") -> Iterator[tuple[str, T]]:
    """Yield the resources whose names begin with `prefix`, in order, from `start` on."""
    for name in names.irange(max(prefix, start), prefix + chr(0x10FFFF)):
        yield name, names[name]
