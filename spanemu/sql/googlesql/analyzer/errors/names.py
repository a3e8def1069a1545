"""Names that mean nothing here, or too much."""

from __future__ import annotations

from spanemu.sql.errors import AnalysisError, did_you_mean


class Suggesting(AnalysisError):
    """A name is unknown; `suggestion` is a known one that looks like it."""

    name: str
    suggestion: str | None = None

    def sentence(self) -> str:
        return super().sentence() + did_you_mean(self.suggestion)


class TableNotFound(Suggesting):
    """No table, view or common table of that name."""

    prose = "Table not found: {name}"


class UnrecognizedName(Suggesting):
    """No column, alias or variable of that name is in scope."""

    prose = "Unrecognized name: {name}"


class FunctionNotFound(Suggesting):
    """No function of that name."""

    prose = "Function not found: {name}"


class TypeNotFound(AnalysisError):
    """No type of that name."""

    prose = "Type not found: {name}"
    name: str


class AmbiguousColumn(AnalysisError):
    """Several columns in scope have that name."""

    prose = "Column name {name} is ambiguous"
    name: str


class NameNotFoundInside(AnalysisError):
    """A range variable has no such column."""

    prose = "Name {name} not found inside {inside}"
    name: str
    inside: str


class NameAmbiguousInside(AnalysisError):
    """A range variable has several such columns."""

    prose = "Name {name} is ambiguous inside {inside}"
    name: str
    inside: str


class AmbiguousAlias(AnalysisError):
    """Several select items share the alias that GROUP BY uses."""

    prose = (
        "Name {name} in {clause} is ambiguous; it may refer to multiple columns in the SELECT-list"
    )
    name: str
    clause: str


class NoSuchField(AnalysisError):
    """A struct has no such field."""

    prose = "Field name {name} does not exist in {type}"
    name: str
    type: str


class AmbiguousField(AnalysisError):
    """A struct has several such fields."""

    prose = "Struct field name {name} is ambiguous"
    name: str


class NeedsQualifier(AnalysisError):
    """A view mentions a column of a table without saying of which."""

    prose = "Alias {name} cannot be used without a qualifier in strict name resolution mode"
    name: str


class NoFields(AnalysisError):
    """A value of that type has no fields at all."""

    prose = "Cannot access field {name} on a value with type {type}"
    name: str
    type: str


class FieldOfUntypedParameter(AnalysisError):
    """A field of a parameter whose type nobody declared."""

    prose = "Cannot access field {name} on parameter {parameter} whose type is unknown"
    name: str
    parameter: str


class DuplicateTableAlias(AnalysisError):
    """Two items of a FROM clause share an alias."""

    prose = "Duplicate table alias {alias} in the same FROM clause"
    alias: str


class DuplicateOffsetAlias(AnalysisError):
    """An array and its offset share an alias."""

    prose = "Duplicate alias {alias} found"
    alias: str


class DuplicateCommonTable(AnalysisError):
    """Two common tables of one WITH share a name."""

    prose = "Duplicate alias {alias} for WITH subquery"
    alias: str


class ColumnNotInTable(AnalysisError):
    """A statement that writes names a column that its table does not have."""

    prose = "Column {name} is not present in table {table}"
    name: str
    table: str


class SequenceNotFound(AnalysisError):
    """No sequence of that name."""

    prose = "Sequence not found: {name}"
    name: str


class SystemVariableUnknown(AnalysisError):
    """Spanner has no system variables."""

    prose = "Unrecognized name: @@{name}"
    name: str
