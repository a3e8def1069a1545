"""Search indexes and vector indexes."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class SearchIndexInvalid(SpannerError):
    """A search index that breaks a rule."""

    code = Code.INVALID_ARGUMENT
    prose = "Search index {index} is invalid: column {column} {reason}."
    index: str
    column: str
    reason: str


class VectorIndexInvalid(SpannerError):
    """A vector index that breaks a rule."""

    code = Code.INVALID_ARGUMENT
    prose = "Vector index {index} is invalid: column {column} {reason}."
    index: str
    column: str
    reason: str


class SearchIndexParentInvalid(SpannerError):
    """A search index is interleaved where it cannot be."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot interleave search index {index} in table {table}: {reason}."
    index: str
    table: str
    reason: str


class IndexPartMissing(SpannerError):
    """ALTER names a column that the index does not have in that place."""

    code = Code.FAILED_PRECONDITION
    prose = "Index {index} does not have {what} {column}."
    index: str
    what: str
    column: str
