"""What an index may not be."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class IndexWithoutKey(SpannerError):
    """An index over no columns."""

    code = Code.INVALID_ARGUMENT
    prose = "Index {index} does not specify any key columns."
    index: str


class IndexColumnMissing(SpannerError):
    """An index names a column that its table does not have."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Index {index} specifies key column {column} which does not exist in the index's base "
        "table."
    )
    index: str
    column: str


class IndexColumnTwice(SpannerError):
    """An index names a column twice."""

    code = Code.INVALID_ARGUMENT
    prose = "Index {index} specifies key column {column} twice."
    index: str
    column: str


class IndexColumnType(SpannerError):
    """Values of an indexed column's type have no order; the type has no entry of its own."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot reference {type} {column} in the creation of index {index}."
    index: str
    column: str
    type: str


class IndexColumnUnsupported(SpannerError):
    """Values of an indexed column's type have no order."""

    code = Code.INVALID_ARGUMENT
    prose = "Index {index} uses column {column} of unsupported type {type}."
    index: str
    column: str
    type: str


class StoredColumnIsKey(SpannerError):
    """An index stores a column of its own key."""

    code = Code.INVALID_ARGUMENT
    prose = "Index {index} specifies stored column {column} already specified as primary key."
    index: str
    column: str


class StoredColumnIsTableKey(SpannerError):
    """An index stores a column of the table's key, which every entry has anyway."""

    code = Code.FAILED_PRECONDITION
    prose = "Index {index} specifies stored column {column} which is a key of table {table}."
    index: str
    column: str
    table: str


class StoredColumnExists(SpannerError):
    """A column to be stored is in the index already."""

    code = Code.FAILED_PRECONDITION
    prose = "Column {column} is already existed in index {index}."
    index: str
    column: str


class StoredColumnNotFound(SpannerError):
    """A stored column to drop is not stored."""

    code = Code.NOT_FOUND
    prose = "Index {index} does not have stored column {column}."
    index: str
    column: str


class IndexInOtherSchema(SpannerError):
    """An index is named in another schema than its table."""

    code = Code.FAILED_PRECONDITION
    prose = "Index {index} does not match the schema of the indexed table {table}."
    index: str
    table: str


class IndexParentNotFound(SpannerError):
    """An index is interleaved in a table that does not exist."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot interleave index {index} within nonexistent table {parent}."
    index: str
    parent: str


class IndexFilterColumn(SpannerError):
    """An index leaves out rows by a column that its entries do not hold."""

    code = Code.INVALID_ARGUMENT
    prose = "Index {index} filters by column {column}, which is neither a key nor a stored column."
    index: str
    column: str


class IndexInterleavedInParent(SpannerError):
    """INTERLEAVE IN PARENT, or ON DELETE, on an index: entries have no parent rows."""

    code = Code.INVALID_ARGUMENT
    prose = "Index {index} can only be INTERLEAVE IN {parent}, without PARENT and ON DELETE."
    index: str
    parent: str


class IndexParentMissing(SpannerError):
    """An index's key lacks a column of the table it is interleaved in."""

    code = Code.FAILED_PRECONDITION
    prose = "Index {index} does not reference index parent key column {column}."
    index: str
    column: str


class IndexManaged(SpannerError):
    """Foreign keys need the index that is to go."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot drop index `{index}`. It is in use by foreign keys: {foreign_keys}. You must drop "
        "the foreign keys before dropping the index."
    )
    index: str
    foreign_keys: str


class TooManyIndexes(SpannerError):
    """The database has as many indexes as it may have."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot add index {index}: too many indices in the database (limit {limit})."
    index: str
    limit: int


class TooManyTableIndexes(SpannerError):
    """A table has as many indexes as it may have."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot add index {index}: too many indices on table {table} (limit {limit})."
    index: str
    table: str
    limit: int


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
