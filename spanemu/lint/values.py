"""What a column's declaration says about the values it will hold: their order, how many there are.

order_of         values that grow with time, and how one can tell
cardinality_of   how many distinct values there can be, where the declaration bounds them
shard_of         a column that spreads rows: over how many shards, and from what
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import like_shard, like_tenant, words_of
from spanemu.lint.expressions import columns_read, function_of, functions, integer, walk
from spanemu.lint.model import Column, Table
from spanemu.sql.syntax.ast import (
    Between,
    Binary,
    Call,
    Expression,
    Extract,
    In,
    Junction,
    Name,
    Node,
)

# ---------------------------------------------------------------------------- order


class Order(StrEnum):
    """Why a column's values grow with time; the words are for messages."""

    COMMIT_TIMESTAMP = "commit timestamp"
    TIMESTAMP = "TIMESTAMP"
    DATE = "DATE"
    TIME_FUNCTION = "computed from the time"


COMMIT_TIME_FUNCTIONS = frozenset({"PENDING_COMMIT_TIMESTAMP", "PENDING_COMMIT_TIMESTAMP_INT64"})
_TIME_FUNCTIONS = COMMIT_TIME_FUNCTIONS | words_of(
    """CURRENT_TIMESTAMP CURRENT_DATE CURRENT_DATETIME UNIX_SECONDS UNIX_MILLIS UNIX_MICROS
    UNIX_DATE FORMAT_TIMESTAMP FORMAT_DATE TIMESTAMP_TRUNC"""
)
HASH_FUNCTIONS = words_of("FARM_FINGERPRINT SHA1 SHA256 SHA512 MD5")
_SCRAMBLERS = HASH_FUNCTIONS | {"MOD", "BIT_REVERSE", "REVERSE"}
RANDOM_FUNCTIONS = words_of("NEW_UUID GENERATE_UUID GET_NEXT_SEQUENCE_VALUE RAND")


def order_of(column: Column | None) -> Order | None:
    """How one can tell that the values grow with time; None when nothing says so."""
    if column is None:
        return None
    tree = column.generated or column.default_tree
    called = functions(tree)
    if column.allows_commit_timestamp or (
        column.generated is None and not called.isdisjoint(COMMIT_TIME_FUNCTIONS)
    ):
        return Order.COMMIT_TIMESTAMP
    if column.type in ("TIMESTAMP", "DATE"):
        return Order(column.type)
    if tree is not None and called.isdisjoint(_SCRAMBLERS) and _reads_time(tree, called):
        return Order.TIME_FUNCTION
    return None


def _reads_time(tree: Expression, called: set[str]) -> bool:
    """EXTRACT counts when it takes the year, the part that grows."""
    return not called.isdisjoint(_TIME_FUNCTIONS) or any(
        isinstance(node, Extract) and node.part == "YEAR" for node, _ in walk(tree)
    )


def is_random(column: Column) -> bool:
    """Whether values are generated without an order: UUIDs, bit-reversed numbers, hashes."""
    called = functions(column.generated or column.default_tree)
    return (
        column.type == "UUID"
        or column.definition.identity is not None
        or not called.isdisjoint(RANDOM_FUNCTIONS | HASH_FUNCTIONS)
    )


def grows_without_bound(column: Column | None) -> bool:
    """Whether rows keep coming under one prefix: a time, or a generated id."""
    return column is not None and (
        order_of(column) is not None
        or is_random(column)
        or column.definition.auto_increment
        or (column.type == "STRING" and column.length == 36)
    )


# ---------------------------------------------------------------------------- cardinality


def cardinality_of(table: Table, column: Column) -> int | None:
    """How many values a declaration allows: by BOOL, by CHECK, by MOD; None when unbounded."""
    if column.type == "BOOL":
        return 2
    if (shards := _modulus(column)) is not None:
        return shards[0]
    return next(
        (n for check in table.checks if (n := _checked(check.expression.tree, column))), None
    )


def is_enum(column: Column) -> bool:
    """A type of the proto bundle: a message cannot be a key, so it is an enum."""
    return "." in column.type


def _checked(tree: Expression, column: Column) -> int | None:
    """`c IN (a, b)`, `c BETWEEN 0 AND 9`, `c >= 0 AND c < 10`, `c = 1 OR c = 2`."""
    name = fold(column.name)
    match tree:
        case In(operand=Name(path), items=items, negated=False) if items and _is(path.names, name):
            return len(items)
        case Between(operand=Name(path), low=low, high=high, negated=False) if _is(
            path.names, name
        ):
            first, last = integer(low), integer(high)
            return None if first is None or last is None else last - first + 1
        case Junction(op="OR", operands=operands):
            counts = [_equals(each, name) for each in operands]
            return len(counts) if all(counts) else None
        case Junction(op="AND", operands=operands):
            within = next((n for each in operands if (n := _checked(each, column))), None)
            return within or _between_bounds(operands, name)
    return None


def _is(names: tuple[str, ...], name: str) -> bool:
    return len(names) == 1 and fold(names[0]) == name


def _equals(tree: Expression, name: str) -> bool:
    match tree:
        case Binary(op="=", left=Name(path)):
            return _is(path.names, name)
    return False


def _between_bounds(operands: tuple[Expression, ...], name: str) -> int | None:
    low = high = None
    for each in operands:
        match each:
            case Binary(op=op, left=Name(path), right=right) if _is(path.names, name):
                bound = integer(right)
                if bound is None:
                    continue
                if op in (">", ">="):
                    low = bound + (op == ">")
                elif op in ("<", "<="):
                    high = bound - (op == "<")
    return None if low is None or high is None else high - low + 1


# ---------------------------------------------------------------------------- shards


@dataclass(frozen=True, slots=True)
class Shard:
    """A column that spreads rows. `count` is None when the declaration does not tell it."""

    column: Column
    count: int | None
    signed: bool = False  # MOD of a signed hash


def shard_of(table: Table, column: Column | None) -> Shard | None:
    """The column as a shard column, if it is computed by MOD or a hash, or named like one."""
    if column is None:
        return None
    found = _modulus(column)
    if found is not None:
        return Shard(column, found[0], found[1])
    called = functions(column.generated or column.default_tree)
    if like_shard(column.name) or (column.generated and not called.isdisjoint(HASH_FUNCTIONS)):
        return Shard(column, cardinality_of(table, column))
    return None


def _modulus(column: Column) -> tuple[int, bool] | None:
    """(N, whether the sign survives) of the outermost MOD(x, N) that a column is computed by."""
    tree = column.generated or column.default_tree
    if tree is None:
        return None
    for node, above in walk(tree):
        if isinstance(node, Call) and function_of(node) == "MOD" and len(node.arguments) == 2:
            count = integer(node.arguments[1])
            if count is not None:
                return count, _is_signed(node, above)
    return None


def _is_signed(mod: Call, above: tuple[Node, ...]) -> bool:
    """Whether a MOD can be negative: its operand is a bare FARM_FINGERPRINT.

    A function around the hash, or ABS around all, helps; so does MOD(MOD(h, n) + n, n).
    """
    if any(function_of(node) == "ABS" for node in above):
        return False
    return any(
        function_of(node) == "FARM_FINGERPRINT" and not any(map(function_of, inside[1:]))
        for node, inside in walk(mod)
    )


def coarse_inputs(table: Table, tree: Expression) -> bool:
    """Whether all that an expression reads is coarse: dates, truncated times, tenants."""
    names = columns_read(tree)
    found = [column for name in names if (column := table.column(name)) is not None]
    return bool(found) and len(found) == len(names) and all(_is_coarse(c, tree) for c in found)


_COARSE_FUNCTIONS = words_of(
    """TIMESTAMP_TRUNC DATE_TRUNC DATE UNIX_SECONDS UNIX_DATE FORMAT_TIMESTAMP FORMAT_DATE DIV"""
)


def _is_coarse(column: Column, tree: Expression) -> bool:
    if column.type in ("DATE", "BOOL") or like_tenant(column.name):
        return True
    return column.type == "TIMESTAMP" and all(
        any(
            isinstance(outer, Extract)
            or function_of(outer) in _COARSE_FUNCTIONS
            or (isinstance(outer, Binary) and outer.op == "/")
            for outer in above
        )
        for above in _mentions(tree, column)
    )


def _mentions(tree: Expression, column: Column) -> Iterator[tuple[Node, ...]]:
    for node, above in walk(tree):
        if isinstance(node, Name) and fold(node.path.names[0]) == fold(column.name):
            yield above
