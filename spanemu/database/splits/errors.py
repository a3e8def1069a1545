"""Errors of split points and split boundaries."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class SplitInsideHierarchy(SpannerError):
    """A boundary between interleaved rows, under a policy that keeps them with their root row."""

    code = Code.INVALID_ARGUMENT
    prose = "Splits fall between rows of {root}, not inside: {table} is interleaved in it."
    table: str
    root: str


class SplitPointNamesNothing(SpannerError):
    """A split point that names neither a table nor an index."""

    code = Code.INVALID_ARGUMENT
    prose = "A split point must name a table or an index."


class SplitPointKeyCount(SpannerError):
    """A split point of an index without one or two keys, or of a table without keys."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Wrong number of keys in a split point of {target}: a table takes at least one, an index "
        "its own key and, if wanted, that of its table."
    )
    target: str


class SplitPointKeysContradict(SpannerError):
    """A split point of an index with two values for a column of both its keys."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "A split point of index {index} has two values for column {column}: the index key and the "
        "key of table {table} must agree."
    )
    index: str
    table: str
    column: str


class SplitPointOnSearchIndex(SpannerError):
    """A split point for an index that Spanner splits by itself ("pre-split limits")."""

    code = Code.INVALID_ARGUMENT
    prose = "Split points cannot be added to {index}: search and vector indexes take none."
    index: str


class SplitPointExpiresTooLate(SpannerError):
    """A split point with an expiry beyond Spanner's limit."""

    code = Code.INVALID_ARGUMENT
    prose = "The expire time of a split point may be at most {days} days from now."
    days: int


class TooManySplitPoints(SpannerError):
    """More split points than Spanner accepts; `where` names the scope of the limit."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many split points {where}. The limit is {limit}."
    limit: int
    where: str


class SplitPointsTooLarge(SpannerError):
    """A request for split points with more bytes than Spanner accepts."""

    code = Code.INVALID_ARGUMENT
    prose = "A request for split points has {size} bytes; the limit is {limit}."
    size: int
    limit: int
