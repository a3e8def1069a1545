"""Functions that nested DML is made of. They have no name in SQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.values.types import BOOL, INT64, Type


class NullArrayInNestedStatement(EvaluationError):
    """Only an array that is there has elements to change, even if it has none."""

    prose = "Cannot execute a nested {statement} statement on a NULL array value"
    statement: str


class ElementUpdatedTwice(EvaluationError):
    """An element must match the WHERE of one nested UPDATE at most."""

    prose = "Attempted to modify an array element with multiple nested UPDATE statements"


def changed_array(type_: Type, statement: str) -> Signature:
    """(array, what it becomes): the latter, unless the former is NULL."""

    def evaluate(before: Any, after: Any) -> Any:
        if before is None:
            raise NullArrayInNestedStatement(statement)
        return after

    return Signature("$changed_array", (type_, type_), type_, evaluate, Nulls.CALLED)


class ElementCountMismatch(EvaluationError):
    """ASSERT_ROWS_MODIFIED of a nested statement gave another number of elements."""

    prose = "ASSERT_ROWS_MODIFIED expected {expected} array elements modified, but found {actual}"
    expected: int
    actual: int


def asserted_elements(type_: Type, modified: Type) -> Signature:
    """(array, the elements that a statement modified, their asserted count): the array."""

    def evaluate(after: Any, elements: Any, expected: Any) -> Any:
        if len(elements or ()) != expected:
            raise ElementCountMismatch(expected, len(elements or ()))
        return after

    return Signature("$asserted_elements", (type_, modified, INT64), type_, evaluate, Nulls.CALLED)


def several_true(count: int) -> Signature:
    """FALSE, unless more than one of the arguments is TRUE, which is an error."""
    evaluate: Callable[..., bool] = _refuse_several
    return Signature("$several_true", (BOOL,) * count, BOOL, evaluate, Nulls.CALLED)


def _refuse_several(*hits: bool | None) -> bool:
    if hits.count(True) > 1:
        raise ElementUpdatedTwice
    return False
