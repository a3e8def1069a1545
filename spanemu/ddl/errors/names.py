"""Errors of names that are taken, invalid or unknown. DDL must spell names exactly."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class DuplicateName(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Duplicate name in schema: {name}."
    name: str


class InvalidObjectName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{kind} name not valid: {name}."
    kind: str
    name: str


class ReservedIndexName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot use reserved name {name} for a secondary index."
    name: str


class ReservedPrefix(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid {kind} name: {name}. Prefix {prefix} cannot be used."
    kind: str
    name: str
    prefix: str


class SchemaNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Schema not found: {name}"
    name: str


class TableNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Table not found: {name}"
    name: str


class QueueIsNoTable(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{name} is a queue, not a table. Use CREATE, ALTER and DROP QUEUE for queues."
    name: str


class ColumnNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Column not found in table {table}: {column}"
    table: str
    column: str


class IndexNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Index not found: {name}"
    name: str


class ConstraintNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "{constraint} is not a constraint in {table}"
    constraint: str
    table: str


class SequenceNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Sequence not found: {name}"
    name: str


class ViewNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "View not found: {name}"
    name: str


class ObjectNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "{kind} not found: {name}"
    kind: str
    name: str


class NamedSchemaNotSupported(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "{kind} is not yet supported in named schema: {name}."
    kind: str
    name: str
