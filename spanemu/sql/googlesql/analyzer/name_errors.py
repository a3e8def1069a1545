"""Errors for names that are unknown, ambiguous, duplicate or not visible, and the name to suggest.

The suggestion for a misspelt name follows ZetaSQL: the name with the smallest edit distance
(insert, delete or substitute a letter), the alphabetically first name at equal distance, and no
name that differs in more than about a fifth of the letters.
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.sql.errors import AnalysisError, did_you_mean


class Suggesting(AnalysisError):
    """A name is unknown; `suggestion` is the closest known name."""

    name: str
    suggestion: str | None = None

    def sentence(self) -> str:
        suffix = did_you_mean(self.suggestion)
        sentence = super().sentence()
        return sentence.removesuffix(".") + suffix if suffix else sentence


class TableNotFound(Suggesting):
    prose = "Table not found: {name}"


class ModelNotFound(Suggesting):
    prose = "Model not found: {name}"


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


_LETTERS_MIN = 3


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the name of `known` closest to `name`, in its own spelling.

    Return None if no known name is close enough.
    """
    letters = len(name)
    if letters < _LETTERS_MIN:
        return None
    edits_max = letters // 2 if letters < 5 else letters // 5 + 2
    written = name.lower()
    near = (
        (edits, candidate)
        for candidate in known
        if abs(len(candidate) - letters) <= edits_max
        and (edits := _edit_distance(written, candidate.lower())) <= edits_max
    )
    return min(near, default=(0, None))[1]


def _edit_distance(first: str, second: str) -> int:
    """Return the number of insertions, deletions and substitutions between two words."""
    row = list(range(len(second) + 1))
    for number, letter in enumerate(first, 1):
        diagonal, row[0] = row[0], number
        for at, target in enumerate(second, 1):
            substituted = diagonal + (letter != target)
            diagonal = row[at]
            row[at] = min(substituted, row[at] + 1, row[at - 1] + 1)
    return row[-1]
