"""What a column's declaration implies about its values: their order and their number.

order_of         whether values grow with time, and the evidence
is_ahead         whether values are times ahead of the insert, as due dates are
is_row_a_period  whether a key allows one row in a period of time
large_column     a column outside of the key whose values may be large
growing_part     the key part by which rows accumulate under one prefix
cardinality_of   the number of distinct values, where the declaration bounds it
shard_of         whether a column is a shard column, and its number of shards
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import (
    like_ahead,
    like_birth,
    like_log,
    like_lookup_key,
    like_payload,
    like_period,
    like_queue,
    like_shard,
    like_status,
    like_tenant,
    words_of,
)
from spanemu.lint.model import Column, Index, Part, Table
from spanemu.sql.inspection import (
    allowed_value_count,
    called_function,
    called_functions,
    columns_read,
    extracted_part,
    modulus,
    walk,
)
from spanemu.sql.syntax_tree import Binary, Expression, Name, Node

# ---------------------------------------------------------------------------- order


class Order(StrEnum):
    """The evidence that a column's values grow with time; messages use the values."""

    COMMIT_TIMESTAMP = "commit timestamp"
    TIMESTAMP = "TIMESTAMP"
    DATE = "DATE"
    TIME_FUNCTION = "computed from the time"


COMMIT_TIME_FUNCTIONS = frozenset({"PENDING_COMMIT_TIMESTAMP", "PENDING_COMMIT_TIMESTAMP_INT64"})
_TIME_FUNCTIONS = COMMIT_TIME_FUNCTIONS | words_of(
    """CURRENT_TIMESTAMP CURRENT_DATE CURRENT_DATETIME UNIX_SECONDS UNIX_MILLIS UNIX_MICROS
    UNIX_DATE FORMAT_TIMESTAMP FORMAT_DATE TIMESTAMP_TRUNC NOW DATE_TRUNC DATE_BIN TO_CHAR"""
)
_PERIOD_FUNCTIONS = words_of("CURRENT_DATE UNIX_DATE FORMAT_DATE DATE_TRUNC")
HASH_FUNCTIONS = words_of("FARM_FINGERPRINT SHA1 SHA256 SHA512 MD5")
_SCRAMBLERS = HASH_FUNCTIONS | {"MOD", "BIT_REVERSE", "REVERSE"}
SEQUENCE_FUNCTIONS = words_of("GET_NEXT_SEQUENCE_VALUE NEXTVAL")
RANDOM_FUNCTIONS = SEQUENCE_FUNCTIONS | words_of("NEW_UUID GENERATE_UUID GEN_RANDOM_UUID RAND")


def order_of(column: Column | None) -> Order | None:
    """Return the evidence that a column's values grow with time; None without evidence."""
    if column is None:
        return None
    tree = column.generated or column.default_tree
    called = called_functions(tree)
    if column.allows_commit_timestamp or (
        column.generated is None and not called.isdisjoint(COMMIT_TIME_FUNCTIONS)
    ):
        return Order.COMMIT_TIMESTAMP
    if column.type in ("TIMESTAMP", "DATE"):
        return None if tree is None and like_birth(column.spelling) else Order(column.type)
    if tree is not None and called.isdisjoint(_SCRAMBLERS) and _reads_time(tree, called):
        return Order.TIME_FUNCTION
    return None


def _reads_time(tree: Expression, called: set[str]) -> bool:
    """Return whether an expression depends on the time.

    EXTRACT counts only for YEAR, because other parts do not grow.
    """
    return not called.isdisjoint(_TIME_FUNCTIONS) or any(
        extracted_part(node) == "YEAR" for node, _ in walk(tree)
    )


def is_ahead(column: Column | None) -> bool:
    """Return whether values are probably times ahead of the insert, so that they only may grow.

    A column of such a name that the insert fills with its own time is not ahead.
    """
    if column is None or column.type not in ("TIMESTAMP", "DATE"):
        return False
    tree = column.generated or column.default_tree
    filled = column.allows_commit_timestamp or not called_functions(tree).isdisjoint(
        _TIME_FUNCTIONS
    )
    return like_ahead(column.spelling) and not filled


def is_row_a_period(key: tuple[Part, ...]) -> bool:
    """Return whether a key consists of dates, months or years, so that rows are few."""
    return bool(key) and all(part.column is not None and _is_period(part.column) for part in key)


def _is_period(column: Column) -> bool:
    tree = column.generated or column.default_tree
    for node, _ in () if tree is None else walk(tree):
        if part := extracted_part(node):
            return part == "YEAR"
        if (name := called_function(node)) and name != "CAST":
            return name in _PERIOD_FUNCTIONS
    return column.type == "DATE" or (
        column.type in ("INT64", "STRING") and like_period(column.spelling)
    )


def is_random(column: Column) -> bool:
    """Return whether values are generated without order: UUIDs, bit-reversed numbers, hashes."""
    called = called_functions(column.generated or column.default_tree)
    return (
        column.type == "UUID"
        or column.definition.identity is not None
        or not called.isdisjoint(RANDOM_FUNCTIONS | HASH_FUNCTIONS)
    )


def holds_long_values(column: Column) -> bool:
    """Return whether values may be large: BYTES(MAX), JSON, STRING(MAX) named like a payload."""
    if column.length == "MAX":
        return column.type == "BYTES" or like_payload(column.spelling)
    return column.type == "JSON"


def large_column(table: Table) -> Column | None:
    """Return a column whose values may be large, if any; a key has at most 8 KiB."""
    columns = (column for name, column in table.columns.items() if name not in table.key_names)
    return next(filter(holds_long_values, columns), None)


def growing_part(table: Table, key: tuple[Part, ...]) -> tuple[Part | None, bool]:
    """Return the key part by which rows accumulate, if any, and whether the evidence is weak.

    A time is evidence. An id is not: the lines of an invoice have ids and stay few. A date as the
    only key part allows one row a day. A table name like that of a log is weak evidence, and none
    where the key is of references: the table then has one row for each row that they refer to.
    """
    for part in key:
        order = order_of(part.column)
        if order is not None and (order is not Order.DATE or len(key) > 1):
            return part, False
    refer = {fold(part.name) for part in key} <= table.referring_columns
    return (key[-1], True) if key and not refer and like_log(table.spelling) else (None, True)


# ---------------------------------------------------------------------------- cardinality


def cardinality_of(table: Table, column: Column) -> int | None:
    """Return how many values BOOL, a CHECK or MOD allows a column; None if unbounded."""
    if column.type == "BOOL":
        return 2
    if (shards := modulus(column.generated or column.default_tree)) is not None:
        return shards[0]
    counts = (allowed_value_count(check.expression.tree, column.name) for check in table.checks)
    return next(filter(None, counts), None)


def is_enum(column: Column) -> bool:
    """Return whether a key column is an enum: a proto type that is no message, as keys require."""
    return "." in column.type


def are_few(table: Table, column: Column) -> bool:
    """Return whether the declaration allows a column so few values that they keep few splits."""
    count = cardinality_of(table, column)
    return is_enum(column) or (
        count is not None and count <= table.schema.settings.cardinality_low_max
    )


def few_then(index: Index) -> tuple[tuple[Part, ...], Part | None]:
    """Return the first key parts of an index that have few values each, and the part after them.

    A name like that of a status or of a reference to a lookup table is a hint of few values.
    """
    key = index.full_key
    for ordinal, part in enumerate(key):
        column = part.column
        if column is None or shard_of(index.table, column) or order_of(column) is not None:
            return key[:ordinal], part
        hinted = like_status(column.spelling) or (
            column.type in ("INT64", "STRING") and like_lookup_key(column.spelling)
        )
        if not (are_few(index.table, column) or hinted):
            return key[:ordinal], part
    return key, None


def makes_queue(index: Index) -> bool:
    """Return whether an index makes its table a queue: a state or a shard, then the time."""
    if not like_queue(index.table.spelling) or len(index.key_parts) < 2 or not index.is_root:
        return False
    first, second = index.key[0].column, index.key[1].column
    if first is None or order_of(second) is None:
        return False
    few = like_status(first.spelling) or cardinality_of(index.table, first) is not None
    return few or shard_of(index.table, first) is not None


# ---------------------------------------------------------------------------- shards


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard column; `count` is None if the declaration does not bound it."""

    column: Column
    count: int | None
    signed: bool = False  # MOD of a signed hash


def shard_of(table: Table, column: Column | None) -> Shard | None:
    """Return a column as a shard column if MOD or a hash computes it, or its name suggests it."""
    if column is None:
        return None
    shards = modulus(column.generated or column.default_tree)
    if shards is not None:
        return Shard(column, *shards)
    called = called_functions(column.generated or column.default_tree)
    if like_shard(column.spelling) or (column.generated and not called.isdisjoint(HASH_FUNCTIONS)):
        return Shard(column, cardinality_of(table, column))
    return None


def has_coarse_inputs(table: Table, tree: Expression) -> bool:
    """Return whether an expression reads only coarse columns: dates, truncated times, tenants."""
    names = columns_read(tree)
    columns = [column for name in names if (column := table.column(name)) is not None]
    known = bool(columns) and len(columns) == len(names)
    return known and all(_is_coarse(column, tree) for column in columns)


_COARSE_FUNCTIONS = words_of(
    """TIMESTAMP_TRUNC DATE_TRUNC DATE_BIN TO_CHAR DATE UNIX_SECONDS UNIX_DATE FORMAT_TIMESTAMP
    FORMAT_DATE DIV"""
)


def _is_coarse(column: Column, tree: Expression) -> bool:
    if column.type in ("DATE", "BOOL") or like_tenant(column.spelling):
        return True
    return column.type == "TIMESTAMP" and all(
        any(
            extracted_part(outer)
            or called_function(outer) in _COARSE_FUNCTIONS
            or (isinstance(outer, Binary) and outer.op == "/")
            for outer in above
        )
        for above in _mentions(tree, column)
    )


def _mentions(tree: Expression, column: Column) -> Iterator[tuple[Node, ...]]:
    for node, above in walk(tree):
        if isinstance(node, Name) and fold(node.path.names[0]) == fold(column.name):
            yield above
