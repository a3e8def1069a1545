"""The places of a request's header fields (RFC 9113, 8.3.1), derived from the roles of the fields.

A client sends the same fields with each request, in one of a few orders, so that what follows from
their roles is kept. Roles say nothing of values, except where validity or gRPC depends on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from operator import itemgetter

from spanemu.base.record import NamedTuple
from spanemu.http2 import header_block as headers
from spanemu.http2.header_block import Field

_FIELDS_REMEMBERED_MAX = 64  # of a request
_REMEMBERED_MAX = 128
_role_of = itemgetter(3)
_PSEUDO = bytes((headers.POST, headers.METHOD, headers.SCHEME, headers.PATH, headers.AUTHORITY))
_REQUIRED = frozenset((headers.METHOD, headers.SCHEME, headers.PATH))


class Kind(Enum):
    """The kind of a request, by its fields."""

    MALFORMED = 0
    OTHER = 1  # a request of HTTP that is none of gRPC
    GRPC = 2


class Layout(NamedTuple):
    """The places of the fields that matter in a list of fields; -1 for a field that is missing."""

    kind: Kind
    path: int
    timeout: int
    encoding: int
    content_length: int


def layout_of(fields: Sequence[Field]) -> Layout:
    """Return the places of the fields of a request."""
    roles = bytes(map(_role_of, fields))
    return _layout(roles) if len(roles) <= _FIELDS_REMEMBERED_MAX else _layout.__wrapped__(roles)


@lru_cache(_REMEMBERED_MAX)
def _layout(roles: bytes) -> Layout:
    """Return the places of fields with some roles. The last of several equal fields counts."""
    return Layout(
        _kind(roles),
        roles.find(headers.PATH),
        roles.rfind(headers.TIMEOUT),
        roles.rfind(headers.ENCODING),
        roles.rfind(headers.CONTENT_LENGTH),
    )


def _kind(roles: bytes) -> Kind:
    regular = roles.lstrip(_PSEUDO)
    pseudo = roles[: len(roles) - len(regular)]
    names = [headers.METHOD if role == headers.POST else role for role in pseudo]
    is_valid = headers.INVALID not in roles and set(_PSEUDO).isdisjoint(regular)
    if not is_valid or len(set(names)) < len(names) or not _REQUIRED.issubset(names):
        return Kind.MALFORMED
    is_grpc = headers.POST in pseudo and headers.CONTENT_TYPE in regular
    return Kind.GRPC if is_grpc else Kind.OTHER
