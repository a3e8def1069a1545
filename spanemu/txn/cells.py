"""The checks that a column applies to a value, composed once for each column.

Checks receive Python values, never NULL, and raise. A column that accepts every value of its type
has no check.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import cache, partial
from typing import Any

from spanemu.base.limits import BYTES_LENGTH_MAX, CELL_BYTES_MAX, STRING_LENGTH_MAX
from spanemu.base.record import dataclass
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql.dialects import dialect_of
from spanemu.sql.executor.build import (
    ColumnFunction,
    compile_column_expression,
    compile_row_expression,
)
from spanemu.sql.functions.registry import Context
from spanemu.txn import value_errors
from spanemu.values.types import Type, TypeCode

Check = Callable[[Any], None]

DEFAULT_PLACEMENT = "default"
DOCUMENTS = frozenset({TypeCode.JSON, TypeCode.PG_JSONB})


def check_of(table: str, column: Column, cell_bytes: int = CELL_BYTES_MAX) -> Check | None:
    """Return the check for non-NULL values of the column, or None if there is none."""
    if column.type.is_array:
        return _array_check(table, column, cell_bytes)
    code = column.type.code
    if code is TypeCode.STRING:
        return _text_check(table, column, cell_bytes)
    if code in _BINARY:
        return _bytes_check(table, column, cell_bytes)
    if code in DOCUMENTS:
        return _json_check(table, column, cell_bytes)
    return None


def surely_valid_length(column: Column, cell_bytes: int = CELL_BYTES_MAX) -> int | None:
    """Return the length up to which values of the column pass its check, whatever they contain.

    That of a document is `chars_max`. None stands for a check of more than the length. A longer
    value may be valid as well.
    """
    code = column.type.code
    if code in DOCUMENTS:
        return cell_bytes
    if code is TypeCode.STRING:
        limit = STRING_LENGTH_MAX if column.length is None else column.length
        return min(limit, cell_bytes // _CHARACTER_BYTES_MAX)
    if code in _BINARY:
        limit = BYTES_LENGTH_MAX if column.length is None else column.length
        return min(limit, cell_bytes)
    return None


def placement_check(table: str, column: Column, placements: Set[str]) -> Check:
    """Return a check that a placement key names a placement that exists.

    The default placement exists in every database. Placement names are shorter than any limit on
    text, so their length needs no check.
    """

    def check(value: Any) -> None:
        if value not in placements and value != DEFAULT_PLACEMENT:
            raise value_errors.UnknownPlacement(value, table, column.name)

    return check


def _text_check(table: str, column: Column, cell_bytes: int) -> Check:
    limit = STRING_LENGTH_MAX if column.length is None else column.length
    surely_fits, name = min(limit, cell_bytes // _CHARACTER_BYTES_MAX), column.name

    def check(value: Any) -> None:
        if len(value) > surely_fits:
            if (size := len(value.encode())) > cell_bytes:
                raise value_errors.CellTooLarge(table, name, size, cell_bytes)
            if len(value) > limit:
                raise value_errors.ValueTooLong(table, name, len(value), limit)

    return check


def _bytes_check(table: str, column: Column, cell_bytes: int) -> Check:
    limit = BYTES_LENGTH_MAX if column.length is None else column.length
    name = column.name

    def check(value: Any) -> None:
        size = len(value)
        if size > cell_bytes:
            raise value_errors.CellTooLarge(table, name, size, cell_bytes)
        if size > limit:
            raise value_errors.ValueTooLong(table, name, size, limit)

    return check


def _json_check(table: str, column: Column, cell_bytes: int) -> Check:
    def check(value: Any) -> None:
        if value.chars_max > cell_bytes and (size := len(value.text)) > cell_bytes:
            raise value_errors.CellTooLarge(table, column.name, size, cell_bytes)

    return check


def _array_check(table: str, column: Column, cell_bytes: int) -> Check:
    item = column.type.item().code
    of_item = _ITEM_CHECKS.get(item)
    check_item = None if of_item is None else of_item(table, column, cell_bytes)
    vector = column.vector_length
    item_bytes = _ITEM_BYTES.get(item)

    def check(value: Any) -> None:
        if vector is not None:
            _check_vector(table, column.name, value, vector)
        present = [element for element in value if element is not None] if check_item else value
        if check_item is not None:
            for element in present:
                check_item(element)
        size = len(value) * item_bytes if item_bytes else sum(map(_size, present))
        if size > cell_bytes:
            raise value_errors.CellTooLarge(table, column.name, size, cell_bytes)

    return check


def _check_vector(table: str, column: str, value: Any, length: int) -> None:
    if len(value) > length:
        raise value_errors.VectorTooLong(table, column, len(value), length)
    if len(value) < length:
        raise value_errors.VectorTooShort(table, column, len(value), length)
    if isinstance(value, tuple | list) and None in value:  # a packed vector has none
        raise value_errors.NullInVector(table, column)


def _size(value: Any) -> int:
    """Return the bytes of an element whose type has no fixed size; NULL takes one."""
    if isinstance(value, str):
        return len(value.encode())
    return len(value) if isinstance(value, bytes) else _OTHER_BYTES


_CHARACTER_BYTES_MAX = 4  # of UTF-8
_OTHER_BYTES = 16  # the approximate size of a NUMERIC, an empty JSON document or a UUID
_BINARY = frozenset({TypeCode.BYTES, TypeCode.PROTO, TypeCode.TOKENLIST})
_ITEM_BYTES = {
    TypeCode.BOOL: 1,
    TypeCode.DATE: 4,
    TypeCode.FLOAT32: 4,
    TypeCode.FLOAT64: 8,
    TypeCode.INT64: 8,
    TypeCode.TIMESTAMP: 12,
}
_ITEM_CHECKS: dict[TypeCode, Callable[[str, Column, int], Check]] = {
    TypeCode.STRING: _text_check,
    TypeCode.BYTES: _bytes_check,
}


Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False, slots=True)
class RowExpression:
    """A compiled expression over one row.

    `evaluate(row, context)` computes its value; `reads` holds the positions of its columns.
    `compiled_for_many` compiles the expression for many rows when that is first needed.
    """

    evaluate: Callable[[Row, Context], Any]
    reads: frozenset[int]
    compiled_for_many: Callable[[], ColumnFunction]

    def evaluate_all(self, rows: Sequence[Row], context: Context) -> list[Any]:
        """Compute the values of many rows."""
        return self.compiled_for_many()(rows, context)


def compile_expression(schema: Schema, table: Table, text: str, type_: Type) -> RowExpression:
    """Compile SQL text over columns of `table` into a function of a stored row."""
    analyzed = dialect_of(schema.dialect).analyze_expression(text, table, schema, expected=type_)
    positions = {column.id: stored.position for column, stored in analyzed.columns}
    return RowExpression(
        compile_row_expression(analyzed.expression, positions),
        frozenset(positions.values()),
        cache(partial(compile_column_expression, analyzed.expression, positions)),
    )
