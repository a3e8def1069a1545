"""What a foreign key or a check may not be."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class ForeignKeyColumnMissing(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Column `{column}` not found for table `{table}` in foreign key `{foreign_key}`."
    foreign_key: str
    table: str
    column: str


class ForeignKeyColumnTwice(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Column `{column}` used more than once for table `{table}` in foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    column: str


class ForeignKeyColumnCount(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "The number of columns are different for table `{table}` and table `{referenced}` in "
        "foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    referenced: str


class ForeignKeyTypeUnsupported(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Column `{column}` for foreign key `{foreign_key}` on table `{table}` has an unsupported "
        "type."
    )
    foreign_key: str
    table: str
    column: str


class ForeignKeyTypeDiffers(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "The column types are different for column `{column}` of table `{table}` and column "
        "`{referenced_column}` of table `{referenced}` in foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    column: str
    referenced: str
    referenced_column: str


class ForeignKeyCommitTimestamp(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Commit timestamp column is not supported for column `{column}` of table `{table}` in "
        "foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    column: str


class ForeignKeyActionNotEnforced(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "ON DELETE actions are not supported for NOT ENFORCED foreign keys: `{foreign_key}`."
    foreign_key: str


class CheckInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Error parsing expression '{expression}' from check constraint '{check}' in table "
        "'{table}': {reason}"
    )
    table: str
    check: str
    expression: str
    reason: str


class CheckWithoutColumns(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Check constraint `{table}`.`{check}` does not use any non generated column. Expression: "
        "'{expression}'. A check constraint expression requires at least one non-generated column "
        "as dependency."
    )
    table: str
    check: str
    expression: str


class CheckOnCommitTimestamp(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Column `{column}` has option commit_timestamp, which is not supported in check "
        "constraint `{check}`."
    )
    check: str
    column: str
