"""Functions that nested DML statements on arrays compile to; SQL has no names for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.values.types import BOOL, INT64, Type


class NullArrayInNestedStatement(EvaluationError):
    prose = "Cannot execute a nested {statement} statement on a NULL array value"
    statement: str


class ElementUpdatedTwice(EvaluationError):
    prose = "Attempted to modify an array element with multiple nested UPDATE statements"


def changed_array(type_: Type, statement: str) -> Signature:
    """Return the function (array before, array after) -> array after of a nested statement.

    The function raises NullArrayInNestedStatement if the array before is NULL.
    """

    def evaluate(before: Any, after: Any) -> Any:
        if before is None:
            raise NullArrayInNestedStatement(statement)
        return after

    return Signature("$changed_array", (type_, type_), type_, evaluate, Nulls.CALLED)


class ElementCountMismatch(EvaluationError):
    prose = "ASSERT_ROWS_MODIFIED expected {expected} array elements modified, but found {actual}"
    expected: int
    actual: int


def asserted_elements(type_: Type, modified: Type) -> Signature:
    """Return the function (array, modified elements, asserted count) -> array.

    The function raises ElementCountMismatch if the number of modified elements is another.
    """

    def evaluate(after: Any, elements: Any, expected: Any) -> Any:
        if len(elements or ()) != expected:
            raise ElementCountMismatch(expected, len(elements or ()))
        return after

    return Signature("$asserted_elements", (type_, modified, INT64), type_, evaluate, Nulls.CALLED)


def several_true(count: int) -> Signature:
    """Return a function of `count` BOOLs that returns FALSE.

    The function raises ElementUpdatedTwice if more than one argument is TRUE.
    """
    evaluate: Callable[..., bool] = _refuse_several
    return Signature("$several_true", (BOOL,) * count, BOOL, evaluate, Nulls.CALLED)


def _refuse_several(*hits: bool | None) -> bool:
    if hits.count(True) > 1:
        raise ElementUpdatedTwice
    return False
