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
    prose = "Table not found: {name}"


class UnrecognizedName(Suggesting):
    prose = "Unrecognized name: {name}"


class FunctionNotFound(Suggesting):
    prose = "Function not found: {name}"


class TypeNotFound(AnalysisError):
    prose = "Type not found: {name}"
    name: str


class NameNotFoundInside(AnalysisError):
    prose = "Name {name} not found inside {inside}"
    name: str
    inside: str


class NameAmbiguousInside(AnalysisError):
    prose = "Name {name} is ambiguous inside {inside}"
    name: str
    inside: str


class AmbiguousAlias(AnalysisError):
    prose = (
        "Name {name} in {clause} is ambiguous; it may refer to multiple columns in the SELECT-list"
    )
    name: str
    clause: str


class NoSuchField(AnalysisError):
    prose = "Field name {name} does not exist in {type}"
    name: str
    type: str


class AmbiguousField(AnalysisError):
    prose = "Struct field name {name} is ambiguous"
    name: str


class NeedsQualifier(AnalysisError):
    prose = "Alias {name} cannot be used without a qualifier in strict name resolution mode"
    name: str


class NoFields(AnalysisError):
    prose = "Cannot access field {name} on a value with type {type}"
    name: str
    type: str


class FieldOfUntypedParameter(AnalysisError):
    prose = "Cannot access field {name} on parameter {parameter} whose type is unknown"
    name: str
    parameter: str


class DuplicateTableAlias(AnalysisError):
    prose = "Duplicate table alias {alias} in the same FROM clause"
    alias: str


class DuplicateOffsetAlias(AnalysisError):
    prose = "Duplicate alias {alias} found"
    alias: str


class DuplicateCommonTable(AnalysisError):
    prose = "Duplicate alias {alias} for WITH subquery"
    alias: str


class ColumnNotInTable(AnalysisError):
    prose = "Column {name} is not present in table {table}"
    name: str
    table: str


class SequenceNotFound(AnalysisError):
    prose = "Sequence not found: {name}"
    name: str


class SystemVariableUnknown(AnalysisError):
    prose = "Unrecognized name: @@{name}"
    name: str
