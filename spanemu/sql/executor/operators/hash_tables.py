"""Hash tables of rows by key, built from a relation that is read once.

A table has one of two forms. While every key is unique, a key maps to its row: that form needs one
object less per key, and is what a join with a table by its primary key builds. From the first
duplicate on, a key maps to all of its rows, in a tuple while they are few: Python's garbage
collector visits every list again and again, but soon ignores tuples of plain values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import FREE_ROWS, MemoryAccount, free_in_parts
from spanemu.sql.executor.relation import BatchFunction, Layout, Value, full_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.sql.resolved import Expr, FunctionCall
from spanemu.values.order import group_key
from spanemu.values.types import Type

_TUPLE_ROWS_MAX = 8

Buckets = dict[Any, Sequence[Row]]


class HashTable:
    """Rows by key: each key's row if `is_unique`, else a sequence of rows. No key is None.

    `longest` is the largest number of rows of a key, at least 1.
    """

    __slots__ = ("is_unique", "longest", "rows")

    def __init__(self, rows: dict[Any, Any], is_unique: bool) -> None:
        self.rows = rows
        self.is_unique = is_unique
        self.longest = 1 if is_unique else max(map(len, rows.values()), default=1)

    def of(self, key: Any) -> Sequence[Row]:
        """Return the rows of a key."""
        bucket = self.rows.get(key)
        if bucket is None:
            return ()
        return (bucket,) if self.is_unique else bucket


def add_to_buckets(buckets: Buckets, keys: Iterable[Any], rows: Iterable[Row]) -> None:
    """Add rows to the buckets of their keys, keeping their order."""
    bucket_of = buckets.get  # A key that is a tuple is hashed at each lookup.
    for key, row in zip(keys, rows, strict=True):
        bucket: Any = bucket_of(key)
        if bucket.__class__ is list:
            bucket.append(row)
        elif bucket is None:
            buckets[key] = (row,)
        elif len(bucket) < _TUPLE_ROWS_MAX:
            buckets[key] = (*bucket, row)
        else:
            buckets[key] = [*bucket, row]


def build_hash_table(
    rows: Iterable[Row], keys_of: BatchFunction, holding: MemoryAccount, run: Run
) -> HashTable:
    """Return `rows` by key, and account for them; a row whose key is None matches nothing."""
    unique: dict[Any, Row] = {}
    all_keys: list[Any] = []
    all_rows: list[Row] = []
    buckets: Buckets = {}
    try:
        source = full_batches(rows)
        for batch in source:
            keys = keys_of(batch, run)
            unique.update(zip(keys, batch, strict=True))
            if None in unique:
                del unique[None]
                batch = [row for key, row in zip(keys, batch, strict=True) if key is not None]
                keys = [key for key in keys if key is not None]
            all_keys += keys
            all_rows += batch
            if len(all_rows) > FREE_ROWS:
                holding.take_keyed(batch, keys, run)
            if len(unique) < len(all_keys):
                add_to_buckets(buckets, all_keys, all_rows)
                for later in source:
                    keys = keys_of(later, run)
                    holding.take_keyed(later, keys, run)
                    add_to_buckets(buckets, keys, later)
                buckets.pop(None, None)
                return HashTable(buckets, False)
    except BaseException:
        free_in_parts(buckets)
        free_in_parts(all_rows)
        free_in_parts(unique)
        raise
    return HashTable(unique, True)


def grouping_value(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> Value:
    """Compile `exprs` to a function of a row whose results are equal for the rows of a group.

    A single key needs no tuple around it.
    """
    keys = [grouped(expr) for expr in exprs]
    return compiler.value(keys[0], layout) if len(keys) == 1 else compiler.cells(keys, layout)


def grouping_values(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> BatchFunction:
    """Compile `exprs` to a function of many rows that returns the group key of each row."""
    keys = [grouped(expr) for expr in exprs]
    if len(keys) == 1:
        return compiler.batch_values(keys[0], layout)
    return compiler.batch_cells(keys, layout)


def grouped(expr: Expr) -> Expr:
    """Return an expression whose values are equal in Python for the rows of a group."""
    convert = group_key(expr.type)
    return expr if convert is None else _converted(expr, convert)


def _converted(expr: Expr, convert: Callable[[Any], Any]) -> Expr:
    signature = Signature("$key", (expr.type,), expr.type, convert, Nulls.STRICT)
    return FunctionCall(expr.type, signature, (expr,))


def equality_keys(exprs: Sequence[Expr]) -> list[Expr]:
    """Return expressions whose values are equal in Python where `exprs` are equal in SQL.

    A value is None for a row that equals no row.
    """
    return [_converted(expr, _not_nan) if expr.type.is_float else expr for expr in exprs]


def equality_value(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> Value:
    """Compile `exprs` to a function of a row whose results are equal where all `exprs` are equal.

    The result is None for a row that equals no row.
    """
    keys = equality_keys(exprs)
    if len(keys) == 1:
        return compiler.value(keys[0], layout)
    cells = compiler.cells(keys, layout)

    def all_or_none(row: Any, run: Any) -> Any:
        key = cells(row, run)
        return None if None in key else key

    return all_or_none


def equality_values(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> BatchFunction:
    """Compile `exprs` to a function of many rows that returns the equality key of each row."""
    keys = equality_keys(exprs)
    if len(keys) == 1:
        return compiler.batch_values(keys[0], layout)
    cells = compiler.batch_cells(keys, layout)

    def all_or_none(rows: Any, run: Any) -> list[Any]:
        return [None if None in key else key for key in cells(rows, run)]

    return all_or_none


def written_values(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> BatchFunction:
    """Compile `exprs` to a function of many rows that returns the value of one expression, or the
    tuple of the values of several, for each row.

    Unlike in an equality key, a value is None for NULL alone, also among others.
    """
    if len(exprs) == 1:
        return compiler.batch_values(exprs[0], layout)
    return compiler.batch_cells(exprs, layout)


def _not_nan(value: Any) -> Any:
    """Return None for NaN: like NULL, NaN equals nothing."""
    return value if value == value else None


def row_key(types: Sequence[Type]) -> Callable[[Sequence[Any]], Any]:
    """Return a function of rows of `types` whose results are equal for rows not distinct."""
    converters = [group_key(type_) for type_ in types]
    if all(convert is None for convert in converters):
        return tuple

    def key(row: Sequence[Any]) -> Any:
        return tuple(
            [
                cell if cell is None or convert is None else convert(cell)
                for cell, convert in zip(row, converters, strict=True)
            ]
        )

    return key
