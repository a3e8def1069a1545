"""Errors of indexes."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class IndexWithoutKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Index {index} does not specify any key columns."
    index: str


class IndexColumnMissing(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_COLUMN
):
    prose = (
        "Index {index} specifies key column {column} which does not exist in the index's base "
        "table."
    )
    index: str
    column: str


class IndexColumnTwice(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DUPLICATE_COLUMN
):
    prose = "Index {index} specifies key column {column} twice."
    index: str
    column: str


class IndexColumnType(SpannerError, code=Code.FAILED_PRECONDITION):
    """A key column of a type that has no order: in Spanner's words, and in its emulator's."""

    prose = (
        "Index {index} is defined on a column of unsupported type {type}. Cannot reference {type} "
        "{column} in the creation of index {index}."
    )
    index: str
    column: str
    type: str


class IndexColumnUnsupported(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Index {index} uses column {column} of unsupported type {type}."
    index: str
    column: str
    type: str


class StoredColumnIsKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Index {index} specifies stored column {column} already specified as primary key."
    index: str
    column: str


class StoredColumnIsTableKey(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Index {index} specifies stored column {column} which is a key of table {table}."
    index: str
    column: str
    table: str


class StoredColumnExists(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Column {column} is already existed in index {index}."
    index: str
    column: str


class StoredColumnNotFound(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_COLUMN):
    prose = "Index {index} does not have stored column {column}."
    index: str
    column: str


class IndexInOtherSchema(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Index {index} does not match the schema of the indexed table {table}."
    index: str
    table: str


class IndexParentNotFound(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot interleave index {index} within nonexistent table {parent}."
    index: str
    parent: str


class IndexFilterColumn(SpannerError, code=Code.UNIMPLEMENTED):
    """WHERE c IS NOT NULL names a column that is neither a key nor a stored column."""

    prose = "Cannot null-filter column {column} that is not in the index {index}."
    index: str
    column: str


class IndexInterleavedInParent(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Index {index} can only be INTERLEAVE IN {parent}, without PARENT and ON DELETE."
    index: str
    parent: str


class IndexParentMissing(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Index {index} does not reference index parent key column {column}."
    index: str
    column: str


class IndexManaged(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = (
        "Cannot drop index `{index}`. It is in use by foreign keys: {foreign_keys}. You must drop "
        "the foreign keys before dropping the index."
    )
    index: str
    foreign_keys: str


class TooManyIndexes(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Cannot add index {index}: too many indices in the database (limit {limit})."
    index: str
    limit: int


class TooManyTableIndexes(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Cannot add index {index}: too many indices on table {table} (limit {limit})."
    index: str
    table: str
    limit: int


class SearchIndexInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Search index {index} is invalid: column {column} {reason}."
    index: str
    column: str
    reason: str


class SearchIndexOptionsInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The options of search index {index} are invalid: {reason}."
    index: str
    reason: str


class SearchIndexOtherwiseDropped(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot drop search index {index} by DROP INDEX. Use DROP SEARCH INDEX."
    index: str


class SearchIndexByTokens(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Search index {index} cannot be partitioned by TOKENLIST type column {column}"
    index: str
    column: str


class SearchIndexOrderType(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Search index {index} ordered by column {column} with invalid type {type}"
    index: str
    column: str
    type: str


class SearchIndexOrderNull(SpannerError, code=Code.INVALID_ARGUMENT):
    """A nullable column to order by, without the filter that leaves its NULLs out."""

    prose = "Column {column} in search index {index} must be NOT NULL."
    index: str
    column: str


class SearchIndexTokenOrder(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Token key {column} in search index {index} does not support order."
    index: str
    column: str


class VectorIndexInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The key column {column} in vector index {index} {reason}."
    index: str
    column: str
    reason: str


class VectorIndexOptionsInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The options of vector index {index} are invalid: {reason}."
    index: str
    reason: str


class VectorIndexFilterColumn(SpannerError, code=Code.INVALID_ARGUMENT):
    """WHERE c IS NOT NULL names a column that is neither a key nor a stored column."""

    prose = (
        "Vector index {index} cannot be filtered by column {column}, which is not among its key "
        "and stored columns."
    )
    index: str
    column: str


class VectorIndexPartitioned(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "PARTITION BY is not supported in vector index `{index}`."
    index: str


class VectorIndexColumnTwice(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Index {index} specifies stored column {column} twice."
    index: str
    column: str


class VectorIndexKeyStored(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Index {index} specifies stored column {column} already specified as primary key."
    index: str
    column: str


class VectorIndexColumnNotStored(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Column {column} in index {index} is not a stored column. Only stored columns may be "
        "dropped from indices."
    )
    index: str
    column: str


class SearchIndexParentInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot interleave search index {index} in table {table}: {reason}."
    index: str
    table: str
    reason: str


class IndexPartMissing(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Index {index} does not have {what} {column}."
    index: str
    what: str
    column: str
