"""What can be wrong with a split point."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class SplitInsideHierarchy(SpannerError):
    """A boundary was asked for between interleaved rows, which stay with their root row."""

    code = Code.INVALID_ARGUMENT
    prose = "Splits fall between rows of {root}, not inside: {table} is interleaved in it."
    table: str
    root: str


class SplitPointNamesNothing(SpannerError):
    """A split point names neither a table nor an index."""

    code = Code.INVALID_ARGUMENT
    prose = "A split point must name a table or an index."


class SplitPointKeyCount(SpannerError):
    """A split point of an index has other than one or two keys, or one of a table none."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Wrong number of keys in a split point of {target}: a table takes at least one, an index "
        "its own key and, if wanted, that of its table."
    )
    target: str


class SplitPointKeysContradict(SpannerError):
    """A split point of an index names two values for a column of both its keys."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "A split point of index {index} has two values for column {column}: the index key and the "
        "key of table {table} must agree."
    )
    index: str
    table: str
    column: str


class SplitPointOnSearchIndex(SpannerError):
    """A split point is for an index that Spanner splits by itself ("pre-split limits")."""

    code = Code.INVALID_ARGUMENT
    prose = "Split points cannot be added to {index}: search and vector indexes take none."
    index: str


class SplitPointExpiresTooLate(SpannerError):
    """A split point would live longer than Spanner keeps one."""

    code = Code.INVALID_ARGUMENT
    prose = "The expire time of a split point may be at most {days} days from now."
    days: int


class TooManySplitPoints(SpannerError):
    """More split points than Spanner takes, `where` says of what."""

    code = Code.RESOURCE_EXHAUSTED
    prose = "Too many split points {where}. The limit is {limit}."
    limit: int
    where: str


class SplitPointsTooLarge(SpannerError):
    """A request for split points has more bytes than Spanner takes."""

    code = Code.INVALID_ARGUMENT
    prose = "A request for split points has {size} bytes; the limit is {limit}."
    size: int
    limit: int
