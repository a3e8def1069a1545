"""Pages of a listing: size, opaque token, and what comes next.

A token names the first item of the next page by its key, so that a page stays right while
others add and remove items around it.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from spanemu.base.errors import Code, SpannerError

PAGE_SIZE_MAX = 1000

_TIME_MAX = 1 << 63  # nanoseconds; no time is later
_MARK = b"\x01"  # Opens every token's payload, so that most other base64 text is refused.

T = TypeVar("T")


class InvalidPageToken(SpannerError):
    """A page token that no listing gave out."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid page token: "{token}".'
    token: str


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page a caller wants; a size out of range means the largest."""

    size: int = 0
    token: str = ""

    @property
    def limit(self) -> int:
        """How many items the page may hold."""
        return self.size if 0 < self.size <= PAGE_SIZE_MAX else PAGE_SIZE_MAX

    def start(self) -> str:
        """The key of the first item wanted, "" for the beginning. Raises InvalidPageToken."""
        return _decode(self.token) if self.token else ""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items of a listing, and the token of the page after, "" if this is the last."""

    items: Sequence[T]
    next_token: str = ""


def page(items: Iterable[tuple[str, T]], limit: int) -> Page[T]:
    """The first `limit` of `items`, (key, item) pairs that begin where the request says."""
    found = list(islice(items, limit + 1))
    if len(found) <= limit:
        return Page([item for _, item in found])
    return Page([item for _, item in found[:limit]], _encode(found[limit][0]))


def newest_first(items: Iterable[tuple[int, str, T]], paging: PageRequest) -> Page[T]:
    """A page of (time, name, item) triples in any order: the latest come first.

    Sorts all of them for each page, for listings that nobody pages through by the thousand.
    """
    start = paging.start()
    keyed = ((f"{_TIME_MAX - time:020d}{name}", item) for time, name, item in items)
    wanted = (pair for pair in keyed if pair[0] >= start)
    return page(sorted(wanted, key=lambda pair: pair[0]), paging.limit)


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
