"""SPN118 to SPN125: the order, the types and the size of a primary key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import like_changing, like_long_text
from spanemu.lint.model import Column, Part, Table
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_table, hit_on, hit_on_part
from spanemu.lint.rules.fixes import key_of
from spanemu.lint.values import is_random, order_of, shard_of
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.ddl_ast import ForeignKeyDefinition

KEY_BYTES_MAX = 8 * 1024  # quotas.md: size of a key, all parts together
BYTES_PER_CHARACTER_MAX = 4
KEY_PARTS_MAX = 16  # quotas.md: columns of a key
NOT_KEY_TYPES = frozenset({"ARRAY", "JSON", "STRUCT", "FLOAT32", "TOKENLIST"})
NOT_KEY_TYPES_IN_POSTGRESQL = NOT_KEY_TYPES | {"NUMERIC"}
UUID_CHARACTERS = 36


def declared_bytes(parts: tuple[Part, ...], per_character: int = 1) -> int | None:
    """Return the declared size of a key in bytes; None when a part is MAX."""
    total = 0
    for part in parts:
        length = part.column.length if part.column else None
        if length == "MAX":
            return None
        if isinstance(length, int):
            of_text = part.column is not None and part.column.type == "STRING"
            total += length * (per_character if of_text else 1)
        else:
            total += 8
    return total


def oversize_of(parts: tuple[Part, ...]) -> tuple[int, bool] | None:
    """Return the declared size of a key that may exceed the limit, and whether that is rare.

    An oversize key is rare when only characters of several bytes exceed the limit.
    """
    for per_character in (1, BYTES_PER_CHARACTER_MAX):
        size = declared_bytes(parts, per_character)
        if size is not None and size > KEY_BYTES_MAX:
            return size, per_character > 1
    return None


def _ascending_history(table: Table) -> Iterator[Hit]:
    for ordinal, part in enumerate(table.key):
        before = table.key[:ordinal]
        if (
            any(shard_of(table, earlier.column) is None for earlier in before)
            and order_of(table.key[0].column) is None
            and part.column is not None
            and part.column.type == "TIMESTAMP"
            and not part.descending
        ):
            key = key_of([*before, replace(part, descending=True)])
            yield hit_on_part(table, ordinal, key=key)


def _single_row(table: Table) -> Iterator[Hit]:
    if table.declares_key and not table.key_parts:
        yield hit_on(table)


def _no_key(table: Table) -> Iterator[Hit]:
    if not table.declares_key:
        yield hit_on(table, opt_in=table.is_deployed)


def _wide(table: Table) -> Iterator[Hit]:
    parent = table.parent
    inherited = 0 if parent is None else len(parent.key_parts)
    for ordinal, part in enumerate(table.key[inherited:], inherited):
        if part.column is not None and part.column.length == "MAX":
            bounded = not like_long_text(part.column.spelling)
            yield hit_on_part(table, ordinal, what=f"{part.column.type}(MAX)", opt_in=bounded)
            return
    if (oversize := oversize_of(table.key)) is not None:
        size, rare = oversize
        yield hit_on_part(table, what=f"up to {size} bytes", opt_in=rare)


def _bad_types(table: Table) -> Iterator[Hit]:
    is_postgresql = table.position.dialect.database is POSTGRESQL
    refused = NOT_KEY_TYPES_IN_POSTGRESQL if is_postgresql else NOT_KEY_TYPES
    for ordinal, part in enumerate(table.key):
        if part.column is None:
            continue
        if part.column.type in refused:
            reason = f"no key column may be of type {part.column.type}"
            yield hit_on_part(table, ordinal, reason=reason)
        elif part.column.type == "FLOAT64":
            reason = "equality of FLOAT64 values is fragile (NaN, rounding)"
            yield hit_on_part(table, ordinal, reason=reason, severity=WARNING)
    if len(table.key_parts) > KEY_PARTS_MAX:
        yield hit_on_part(table, KEY_PARTS_MAX, reason=f"a key has at most {KEY_PARTS_MAX} columns")


def _uuid_text(table: Table) -> Iterator[Hit]:
    inherited = len(table.key_parts) - len(table.own_key)
    for ordinal, part in enumerate(table.own_key, inherited):
        column = part.column
        if column is not None and _is_uuid_text(column) and not _is_reference(table, column):
            yield hit_on_part(table, ordinal)


def _is_reference(table: Table, column: Column) -> bool:
    """Return whether a key column refers to the key of another table, and so shares its type."""
    name = fold(column.name)
    if any(name in map(fold, _names(key)) for key, _ in table.foreign_keys):
        return True
    return table.key_names != (name,) and name in table.schema.single_keys


def _names(key: ForeignKeyDefinition) -> tuple[str, ...]:
    return tuple(column.name for column in key.columns)


def _is_uuid_text(column: Column) -> bool:
    return (column.type, column.length) == ("STRING", UUID_CHARACTERS)


def _nullable(table: Table) -> Iterator[Hit]:
    """Yield root tables whose first key column is nullable; SPN308 checks child tables.

    An identity column has a value in every row that an insert without a key stores.
    """
    column = table.key[0].column if table.key_parts and table.parent is None else None
    if column is None or column.not_null or column.generated is not None:
        return
    if column.definition.identity is None and not column.definition.auto_increment:
        yield hit_on_part(table, opt_in=table.is_deployed)


def _surrogate(table: Table) -> Iterator[Hit]:
    column = table.key[0].column if len(table.key_parts) == 1 else None
    if column is None:
        return
    if not (is_random(column) or column.type in ("INT64", "UUID") or _is_uuid_text(column)):
        return
    for index in table.indexes:
        natural = index.key[0].column if len(index.key_parts) == 1 else None
        if natural is None or natural is column or like_changing(natural.spelling):
            continue
        if index.unique and natural.not_null:
            facts = {"key": column.name, "index": index.name}
            yield Hit(table.position, table.name, natural.name, facts=facts)


RULES = (
    Rule(
        "SPN118", INFO, "DQ", "History in ascending order",
        "If queries read the newest entries first, or together with the parent row, DESC stores "
        "these entries first and side by side. See best practice 2 of Spanner's schema design "
        "guide: the order depends on the queries.",
        "PRIMARY KEY ({key}) if the newest entries are read first",
        "{column} of {object} is in ascending order: the newest entries of an entity come last.",
        bad="CREATE TABLE UserAccessLogs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess)",
        good="CREATE TABLE UserAccessLogs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess DESC)",
        opt_in=True, check=each_table(_ascending_history),
    ),
    Rule(
        "SPN119", INFO, "D", "Table of one row",
        "PRIMARY KEY () allows a single row, so all writes and strong reads go to that row.",
        "Store only rarely written data, and use stale reads or a cache",
        "{object} has an empty key, which allows at most one row.",
        bad="CREATE TABLE Config (Value STRING(64)) PRIMARY KEY ()",
        good="CREATE TABLE Config (Name STRING(64) NOT NULL, Value STRING(64)) PRIMARY KEY (Name)",
        rate=True, opt_in=True, check=each_table(_single_row),
    ),
    Rule(
        "SPN120", INFO, "D", "Table without a primary key",
        "Spanner adds a hidden bit-reversed rowid. Such keys spread well, but scatter related "
        "rows, and a key cannot be changed later.",
        "Name the key: PRIMARY KEY (...)",
        "{object} declares no primary key.",
        bad="CREATE TABLE T (A INT64)",
        good="CREATE TABLE T (A INT64 NOT NULL) PRIMARY KEY (A)",
        check=each_table(_no_key),
    ),
    Rule(
        "SPN121", WARNING, "D", "Long primary key",
        "A key may have 8 KiB; Spanner refuses a row with a longer key. Every index entry and "
        "every child row has a copy of the key.",
        "A shorter column, or a hash of the text as the key and the text in another column",
        "The key of {object} may exceed 8 KiB: {column} makes it {what}.",
        bad="CREATE TABLE Pages (Url STRING(MAX) NOT NULL) PRIMARY KEY (Url)",
        good="CREATE TABLE Pages (Url STRING(1024) NOT NULL) PRIMARY KEY (Url)",
        check=each_table(_wide),
    ),
    Rule(
        "SPN122", ERROR, "D", "Type or number of key columns",
        "A key column needs a type with an order, and a key has at most 16 columns.",
        "Another type, or fewer columns",
        "{column} is in the key of {object}: {reason}.",
        bad="CREATE TABLE T (Tags ARRAY<STRING(8)>) PRIMARY KEY (Tags)",
        good="CREATE TABLE T (Tag STRING(8) NOT NULL, Tags ARRAY<STRING(8)>) PRIMARY KEY (Tag)",
        check=each_table(_bad_types),
    ),
    Rule(
        "SPN123", INFO, "D", "UUID kept as text",
        "Text takes 36 bytes in every copy of the key, the type UUID 16, and the same UUID in "
        "upper and lower case is two different keys.",
        "{column} UUID NOT NULL DEFAULT (NEW_UUID())",
        "{column} of {object} is STRING(36), the length of a UUID as text.",
        bad="CREATE TABLE T (Id STRING(36) NOT NULL) PRIMARY KEY (Id)",
        good="CREATE TABLE T (Id UUID NOT NULL DEFAULT (NEW_UUID())) PRIMARY KEY (Id)",
        opt_in=True, check=each_table(_uuid_text),
    ),
    Rule(
        "SPN124", INFO, "D", "Nullable key column",
        "NULL is a key value like any other, so a row inserted without a key is stored, and "
        "comes first in the table. A key column cannot be made NOT NULL later.",
        "{column} ... NOT NULL",
        "{column}, first in the key of {object}, can be NULL.{others}",
        bad="CREATE TABLE Singers (SingerId INT64) PRIMARY KEY (SingerId)",
        good="CREATE TABLE Singers (SingerId INT64 NOT NULL) PRIMARY KEY (SingerId)",
        once=True, check=each_table(_nullable),
    ),
    Rule(
        "SPN125", INFO, "D", "Surrogate key although a natural key exists",
        "A column that is unique and NOT NULL, and never changes, can be the key itself, which "
        "saves an index and a lookup.",
        "PRIMARY KEY ({column}) in place of {index}, if nothing refers to rows by the present key",
        "{object} is keyed by {key} although {column} is unique and NOT NULL.",
        bad="CREATE TABLE Countries (Id INT64 NOT NULL, Iso STRING(2) NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE UNIQUE INDEX ByIso ON Countries(Iso)",
        good="CREATE TABLE Countries (Id INT64 NOT NULL, Iso STRING(2)) PRIMARY KEY (Id);\n"
        "CREATE UNIQUE INDEX ByIso ON Countries(Iso)",
        opt_in=True, check=each_table(_surrogate),
    ),
)  # fmt: skip
