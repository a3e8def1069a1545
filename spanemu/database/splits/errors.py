"""Errors of split points and split boundaries."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class SplitInsideHierarchy(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Splits fall between rows of {root}, not inside: {table} is interleaved in it."
    table: str
    root: str


class SplitPointNamesNothing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A split point must name a table or an index."


class SplitPointKeyCount(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Wrong number of keys in a split point of {target}: a table takes at least one, an index "
        "its own key and, if wanted, that of its table."
    )
    target: str


class SplitPointKeysContradict(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "A split point of index {index} has two values for column {column}: the index key and the "
        "key of table {table} must agree."
    )
    index: str
    table: str
    column: str


class SplitPointOnSearchIndex(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Split points cannot be added to {index}: search and vector indexes take none."
    index: str


class SplitPointExpiresTooLate(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The expire time of a split point may be at most {days} days from now."
    days: int


class TooManySplitPoints(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Too many split points {where}. The limit is {limit}."
    limit: int
    where: str


class SplitPointsTooLarge(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A request for split points has {size} bytes; the limit is {limit}."
    size: int
    limit: int
