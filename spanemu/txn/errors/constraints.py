"""What unique indexes, foreign keys and checks refuse."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class UniqueViolation(SpannerError):
    """Two rows have the same key in a unique index."""

    code = Code.ALREADY_EXISTS
    prose = "UNIQUE violation on index {index}, duplicate key: {key} in this transaction."
    index: str
    key: str


class ReferencedKeyMissing(SpannerError):
    """A foreign key refers to a row that does not exist."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key constraint `{foreign_key}` is violated on table `{table}`. Cannot find "
        "referenced values in {referenced}({columns}). The key that is referred to is {key}."
    )
    foreign_key: str
    table: str
    referenced: str
    columns: str
    key: str


class StillReferenced(SpannerError):
    """A referenced row goes or changes while rows refer to it."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key constraint violation when deleting or updating referenced row(s): referencing "
        "row(s) found in table `{table}`. `{foreign_key}` refers to key {key} of `{referenced}`."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class WrittenAndDeleted(SpannerError):
    """One unit writes and deletes a row that an ON DELETE CASCADE foreign key refers to."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot write a value for the referenced column `{table}.{column}` and delete it in the "
        "same transaction. The row is {key}, and `{foreign_key}` refers to it with ON DELETE "
        "CASCADE."
    )
    table: str
    column: str
    key: str
    foreign_key: str


class CheckViolated(SpannerError):
    """A CHECK constraint is FALSE for a row."""

    code = Code.OUT_OF_RANGE
    prose = "Check constraint `{table}`.`{check}` is violated for key {key}"
    table: str
    check: str
    key: str
