"""Names that are taken, not allowed, or unknown. References in DDL must be spelt exactly."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class DuplicateName(SpannerError):
    """Something in the schema has the name already."""

    code = Code.FAILED_PRECONDITION
    prose = "Duplicate name in schema: {name}."
    name: str


class InvalidObjectName(SpannerError):
    """A name does not follow the rules for names of its kind."""

    code = Code.INVALID_ARGUMENT
    prose = "{kind} name not valid: {name}."
    kind: str
    name: str


class ReservedIndexName(SpannerError):
    """An index takes the name under which the primary key is shown."""

    code = Code.INVALID_ARGUMENT
    prose = "Cannot use reserved name {name} for a secondary index."
    name: str


class ReservedPrefix(SpannerError):
    """A constraint takes a name that Spanner may generate."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid {kind} name: {name}. Prefix {prefix} cannot be used."
    kind: str
    name: str
    prefix: str


class SchemaNotFound(SpannerError):
    """An object is named in a schema that does not exist."""

    code = Code.NOT_FOUND
    prose = "Schema not found: {name}"
    name: str


class TableNotFound(SpannerError):
    """A statement refers to a table that does not exist."""

    code = Code.NOT_FOUND
    prose = "Table not found: {name}"
    name: str


class ColumnNotFound(SpannerError):
    """A statement refers to a column that its table does not have."""

    code = Code.NOT_FOUND
    prose = "Column not found in table {table}: {column}"
    table: str
    column: str


class IndexNotFound(SpannerError):
    """A statement refers to an index that does not exist."""

    code = Code.NOT_FOUND
    prose = "Index not found: {name}"
    name: str


class ConstraintNotFound(SpannerError):
    """A statement refers to a constraint that its table does not have."""

    code = Code.NOT_FOUND
    prose = "{constraint} is not a constraint in {table}"
    constraint: str
    table: str


class SequenceNotFound(SpannerError):
    """A statement refers to a sequence that does not exist."""

    code = Code.NOT_FOUND
    prose = "Sequence not found: {name}"
    name: str


class ViewNotFound(SpannerError):
    """A statement refers to a view that does not exist."""

    code = Code.NOT_FOUND
    prose = "View not found: {name}"
    name: str


class ObjectNotFound(SpannerError):
    """A statement refers to an object of some other kind that does not exist."""

    code = Code.NOT_FOUND
    prose = "{kind} not found: {name}"
    kind: str
    name: str


class NamedSchemaNotSupported(SpannerError):
    """An object of a kind that lives in the default schema only is named in another."""

    code = Code.UNIMPLEMENTED
    prose = "{kind} is not yet supported in named schema: {name}."
    kind: str
    name: str
