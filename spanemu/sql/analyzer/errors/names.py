"""Names that mean nothing here, or too much."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.sql.analyzer.errors.base import AnalysisError, did_you_mean


@dataclass(eq=False)
class Suggesting(AnalysisError):
    """A name is unknown; `suggestion` is a known one that looks like it."""

    name: str
    suggestion: str | None = None

    def sentence(self) -> str:
        return super().sentence() + did_you_mean(self.suggestion)


@dataclass(eq=False)
class TableNotFound(Suggesting):
    """No table, view or common table of that name."""

    prose = "Table not found: {name}"


@dataclass(eq=False)
class UnrecognizedName(Suggesting):
    """No column, alias or variable of that name is in scope."""

    prose = "Unrecognized name: {name}"


@dataclass(eq=False)
class FunctionNotFound(Suggesting):
    """No function of that name."""

    prose = "Function not found: {name}"


@dataclass(eq=False)
class TypeNotFound(AnalysisError):
    """No type of that name."""

    prose = "Type not found: {name}"
    name: str


@dataclass(eq=False)
class AmbiguousColumn(AnalysisError):
    """Several columns in scope have that name."""

    prose = "Column name {name} is ambiguous"
    name: str


@dataclass(eq=False)
class NameNotFoundInside(AnalysisError):
    """A range variable has no such column."""

    prose = "Name {name} not found inside {inside}"
    name: str
    inside: str


@dataclass(eq=False)
class NameAmbiguousInside(AnalysisError):
    """A range variable has several such columns."""

    prose = "Name {name} is ambiguous inside {inside}"
    name: str
    inside: str


@dataclass(eq=False)
class AmbiguousAlias(AnalysisError):
    """Several select items share the alias that GROUP BY uses."""

    prose = (
        "Name {name} in {clause} is ambiguous; it may refer to multiple columns in the SELECT-list"
    )
    name: str
    clause: str


@dataclass(eq=False)
class NoSuchField(AnalysisError):
    """A struct has no such field."""

    prose = "Field name {name} does not exist in {type}"
    name: str
    type: str


@dataclass(eq=False)
class AmbiguousField(AnalysisError):
    """A struct has several such fields."""

    prose = "Struct field name {name} is ambiguous"
    name: str


@dataclass(eq=False)
class NoFields(AnalysisError):
    """A value of that type has no fields at all."""

    prose = "Cannot access field {name} on a value with type {type}"
    name: str
    type: str


@dataclass(eq=False)
class FieldOfUntypedParameter(AnalysisError):
    """A field of a parameter whose type nobody declared."""

    prose = "Cannot access field {name} on parameter {parameter} whose type is unknown"
    name: str
    parameter: str


@dataclass(eq=False)
class DuplicateTableAlias(AnalysisError):
    """Two items of a FROM clause share an alias."""

    prose = "Duplicate table alias {alias} in the same FROM clause"
    alias: str


@dataclass(eq=False)
class DuplicateOffsetAlias(AnalysisError):
    """An array and its offset share an alias."""

    prose = "Duplicate alias {alias} found"
    alias: str


@dataclass(eq=False)
class DuplicateCommonTable(AnalysisError):
    """Two common tables of one WITH share a name."""

    prose = "Duplicate alias {alias} for WITH subquery"
    alias: str


@dataclass(eq=False)
class ColumnNotInTable(AnalysisError):
    """A statement that writes names a column that its table does not have."""

    prose = "Column {name} is not present in table {table}"
    name: str
    table: str


@dataclass(eq=False)
class SequenceNotFound(AnalysisError):
    """No sequence of that name."""

    prose = "Sequence not found: {name}"
    name: str


@dataclass(eq=False)
class SystemVariableUnknown(AnalysisError):
    """Spanner has no system variables."""

    prose = "Unrecognized name: @@{name}"
    name: str
