"""What unique indexes, foreign keys and checks refuse."""

from __future__ import annotations

from spanemu.base.errors import Code, Detail, ErrorInfo, SpannerError


class UniqueViolation(SpannerError):
    """Two rows have the same key in a unique index."""

    code = Code.ALREADY_EXISTS
    # With the two blanks of Google's emulator, which tests compare with.
    prose = "UNIQUE violation on index {index},  duplicate key: {key} in this transaction."
    index: str
    key: str


class ForeignKeyViolation(SpannerError):
    """A foreign key is violated; the sentence is Spanner's, and a detail has the facts."""

    def details(self) -> tuple[Detail, ...]:
        facts = tuple(self.facts().items())
        return (ErrorInfo("FOREIGN_KEY_VIOLATION", "spanner.googleapis.com", facts),)


class ReferencedKeyMissing(ForeignKeyViolation):
    """A foreign key refers to a row that does not exist."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key constraint `{foreign_key}` is violated on table `{table}`. Cannot find "
        "referenced values in {referenced}({columns})."
    )
    foreign_key: str
    table: str
    referenced: str
    columns: str
    key: str


class StillReferenced(ForeignKeyViolation):
    """A referenced row goes or changes while rows refer to it."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key constraint violation when deleting or updating referenced row(s): referencing "
        "row(s) found in table `{table}`."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class WrittenAndDeleted(ForeignKeyViolation):
    """One unit writes and deletes a row that an ON DELETE CASCADE foreign key refers to."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot write a value for the referenced column `{table}.{column}` and delete it in the "
        "same transaction."
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
