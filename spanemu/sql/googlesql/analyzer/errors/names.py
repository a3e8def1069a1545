"""Errors for names that are unknown, ambiguous, duplicate or not visible."""

from __future__ import annotations

from spanemu.sql.errors import AnalysisError, did_you_mean


class Suggesting(AnalysisError):
    """A name is unknown; `suggestion` is the closest known name."""

    name: str
    suggestion: str | None = None

    def sentence(self) -> str:
        return super().sentence() + did_you_mean(self.suggestion)


class TableNotFound(Suggesting):
    """No table, view or common table has the name."""

    prose = "Table not found: {name}"


class UnrecognizedName(Suggesting):
    """No column, alias or variable with the name is in scope."""

    prose = "Unrecognized name: {name}"


class FunctionNotFound(Suggesting):
    """No function has the name."""

    prose = "Function not found: {name}"


class TypeNotFound(AnalysisError):
    """No type has the name."""

    prose = "Type not found: {name}"
    name: str


class AmbiguousColumn(AnalysisError):
    """Several columns in scope have the name."""

    prose = "Column name {name} is ambiguous"
    name: str


class NameNotFoundInside(AnalysisError):
    """A range variable has no column with the name."""

    prose = "Name {name} not found inside {inside}"
    name: str
    inside: str


class NameAmbiguousInside(AnalysisError):
    """A range variable has several columns with the name."""

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
    """A struct has no field with the name."""

    prose = "Field name {name} does not exist in {type}"
    name: str
    type: str


class AmbiguousField(AnalysisError):
    """A struct has several fields with the name."""

    prose = "Struct field name {name} is ambiguous"
    name: str


class NeedsQualifier(AnalysisError):
    """A view names a column of a table without a qualifier."""

    prose = "Alias {name} cannot be used without a qualifier in strict name resolution mode"
    name: str


class NoFields(AnalysisError):
    """A field is accessed on a value of a type without fields."""

    prose = "Cannot access field {name} on a value with type {type}"
    name: str
    type: str


class FieldOfUntypedParameter(AnalysisError):
    """A field is accessed on an undeclared parameter."""

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
    """A DML statement names a column that its table does not have."""

    prose = "Column {name} is not present in table {table}"
    name: str
    table: str


class SequenceNotFound(AnalysisError):
    """No sequence has the name."""

    prose = "Sequence not found: {name}"
    name: str


class SystemVariableUnknown(AnalysisError):
    """A system variable is used; Spanner has none."""

    prose = "Unrecognized name: @@{name}"
    name: str
