"""SPN118 to SPN125: the order, the types and the size of a primary key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spanemu.base.name_hints import like_changing
from spanemu.lint.model import Column, Part, Table
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, at, at_part, each_table
from spanemu.lint.rules.fixes import key_of
from spanemu.lint.values import is_random, order_of, shard_of

KEY_BYTES_MAX = 8 * 1024  # quotas.md: size of a key, all parts together
KEY_PARTS_MAX = 16  # quotas.md: columns of a key
BYTES_PER_CHARACTER_MAX = 4
NOT_KEY_TYPES = frozenset({"ARRAY", "JSON", "STRUCT", "FLOAT32", "TOKENLIST"})
UUID_CHARACTERS = 36


def declared_bytes(parts: tuple[Part, ...]) -> int | None:
    """The most that a key may take by its declaration; None when a part is MAX."""
    total = 0
    for part in parts:
        length = part.column.length if part.column else None
        if length == "MAX":
            return None
        if isinstance(length, int):
            of_text = part.column is not None and part.column.type == "STRING"
            total += length * (BYTES_PER_CHARACTER_MAX if of_text else 1)
        else:
            total += 8
    return total


def _ascending_history(table: Table) -> Iterator[Hit]:
    for place, part in enumerate(table.key):
        before = table.key[:place]
        if (
            any(shard_of(table, each.column) is None for each in before)
            and order_of(table.key[0].column) is None
            and part.column is not None
            and part.column.type == "TIMESTAMP"
            and not part.descending
        ):
            key = key_of([*before, replace(part, descending=True)])
            yield at_part(table, place, key=key)


def _single_row(table: Table) -> Iterator[Hit]:
    if table.declares_key and not table.key_parts:
        yield at(table)


def _no_key(table: Table) -> Iterator[Hit]:
    if not table.declares_key:
        yield at(table)


def _wide(table: Table) -> Iterator[Hit]:
    parent = table.parent
    inherited = 0 if parent is None else len(parent.key_parts)
    for place, part in enumerate(table.key[inherited:], inherited):
        if part.column is not None and part.column.length == "MAX":
            yield at_part(table, place, what=f"{part.column.type}(MAX)")
            return
    size = declared_bytes(table.key)
    if size is not None and size > KEY_BYTES_MAX:
        yield at_part(table, what=f"up to {size} bytes")


def _bad_types(table: Table) -> Iterator[Hit]:
    for place, part in enumerate(table.key):
        if part.column is None:
            continue
        if part.column.type in NOT_KEY_TYPES:
            yield at_part(table, place, reason=f"no key column may be of type {part.column.type}")
        elif part.column.type == "FLOAT64":
            reason = "equality of FLOAT64 values is fragile (NaN, rounding)"
            yield at_part(table, place, reason=reason, severity=WARNING)
    if len(table.key_parts) > KEY_PARTS_MAX:
        yield at_part(table, KEY_PARTS_MAX, reason=f"a key has {KEY_PARTS_MAX} columns at most")


def _uuid_text(table: Table) -> Iterator[Hit]:
    parent = table.parent
    inherited = 0 if parent is None else len(parent.key_parts)
    for place, part in enumerate(table.key[inherited:], inherited):
        column = part.column
        if column is not None and _is_uuid_text(column):
            yield at_part(table, place)


def _is_uuid_text(column: Column) -> bool:
    return (column.type, column.length) == ("STRING", UUID_CHARACTERS)


def _nullable(table: Table) -> Iterator[Hit]:
    parent = table.parent
    if parent is None:
        column = table.key[0].column if table.key_parts else None
        if column is not None and not column.not_null:
            text = "can be NULL, and all rows with NULL are neighbours"
            yield at_part(table, says_null=text)
        return
    for place, (mine, theirs) in enumerate(zip(table.key, parent.key, strict=False)):
        if mine.column and theirs.column and mine.column.not_null != theirs.column.not_null:
            text = f"is {_null(mine)} where the parent {parent.name} says {_null(theirs)}"
            yield at_part(table, place, says_null=text, severity=ERROR)


def _null(part: Part) -> str:
    return "NOT NULL" if part.column and part.column.not_null else "nullable"


def _surrogate(table: Table) -> Iterator[Hit]:
    column = table.key[0].column if len(table.key_parts) == 1 else None
    if column is None:
        return
    if not (is_random(column) or column.type in ("INT64", "UUID") or _is_uuid_text(column)):
        return
    for index in table.indexes:
        natural = index.key[0].column if len(index.key_parts) == 1 else None
        if natural is None or natural is column or like_changing(natural.name):
            continue
        if index.unique and natural.not_null:
            yield Hit(table.spot, table.name, natural.name, facts={"key": column.name})


RULES = (
    Rule(
        "SPN118", INFO, "DQ", "History in ascending order",
        "When the newest entries are read first, or together with the parent row, DESC keeps them "
        "next to each other at the beginning. Spanner's schema design best practice 2: the order "
        "depends on what is read.",
        "PRIMARY KEY ({key}) if the newest entries are read first",
        "{column} of {object} ascends: the newest entries of one entity come last.",
        bad="CREATE TABLE UserAccessLogs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess)",
        good="CREATE TABLE UserAccessLogs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess DESC)",
        check=each_table(_ascending_history),
    ),
    Rule(
        "SPN119", INFO, "D", "Table of one row",
        "PRIMARY KEY () allows a single row, so every write and every strong read meets there.",
        "Keep it for what is rarely written, and read it stale or from a cache",
        "{object} has an empty key and so one row at most.",
        bad="CREATE TABLE Config (Value STRING(64)) PRIMARY KEY ()",
        good="CREATE TABLE Config (Name STRING(64) NOT NULL, Value STRING(64)) PRIMARY KEY (Name)",
        rate=True, check=each_table(_single_row),
    ),
    Rule(
        "SPN120", INFO, "D", "Table without a primary key",
        "Spanner adds a hidden bit-reversed rowid. It spreads well, but rows that belong together "
        "are scattered, and a key cannot be changed later.",
        "Name the key: PRIMARY KEY (...)",
        "{object} declares no primary key.",
        bad="CREATE TABLE T (A INT64)",
        good="CREATE TABLE T (A INT64) PRIMARY KEY (A)",
        check=each_table(_no_key),
    ),
    Rule(
        "SPN121", WARNING, "D", "Long primary key",
        "A key of all parts takes 8 KiB at most, and is copied into every index entry and every "
        "child row.",
        "A hash of the text as the key, the text itself as data",
        "The key of {object} is long: {column} makes it {what}.",
        bad="CREATE TABLE Pages (Url STRING(MAX) NOT NULL) PRIMARY KEY (Url)",
        good="CREATE TABLE Pages (Url STRING(1024) NOT NULL) PRIMARY KEY (Url)",
        check=each_table(_wide),
    ),
    Rule(
        "SPN122", ERROR, "D", "Type or number of key columns",
        "Keys are made of types with an order, and of 16 columns at most.",
        "Another type, or fewer columns",
        "{column} cannot serve in the key of {object}: {reason}.",
        bad="CREATE TABLE T (Tags ARRAY<STRING(8)>) PRIMARY KEY (Tags)",
        good="CREATE TABLE T (Tag STRING(8), Tags ARRAY<STRING(8)>) PRIMARY KEY (Tag)",
        check=each_table(_bad_types),
    ),
    Rule(
        "SPN123", INFO, "D", "UUID kept as text",
        "Text takes 36 bytes in every copy of the key where UUID takes 16, and upper and lower "
        "case are different keys.",
        "{column} UUID DEFAULT (NEW_UUID())",
        "{column} of {object} is STRING(36), the length of a UUID as text.",
        bad="CREATE TABLE T (Id STRING(36) NOT NULL) PRIMARY KEY (Id)",
        good="CREATE TABLE T (Id UUID NOT NULL DEFAULT (NEW_UUID())) PRIMARY KEY (Id)",
        check=each_table(_uuid_text),
    ),
    Rule(
        "SPN124", INFO, "D", "Nullable key column",
        "NULL is the smallest value, so all rows without one are neighbours. A child's key column "
        "must be nullable exactly where its parent's is.",
        "{column} ... NOT NULL",
        "{column} in the key of {object} {says_null}.",
        bad="CREATE TABLE Singers (SingerId INT64) PRIMARY KEY (SingerId)",
        good="CREATE TABLE Singers (SingerId INT64 NOT NULL) PRIMARY KEY (SingerId)",
        check=each_table(_nullable),
    ),
    Rule(
        "SPN125", INFO, "D", "Surrogate key beside a natural one",
        "A value that is unique, present and never changes can be the key itself: one index and "
        "one lookup less.",
        "PRIMARY KEY ({column})",
        "{object} is keyed by {key} although {column} is unique and NOT NULL.",
        bad="CREATE TABLE Countries (Id INT64 NOT NULL, Iso STRING(2) NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE UNIQUE INDEX ByIso ON Countries(Iso)",
        good="CREATE TABLE Countries (Id INT64 NOT NULL, Iso STRING(2)) PRIMARY KEY (Id);\n"
        "CREATE UNIQUE INDEX ByIso ON Countries(Iso)",
        check=each_table(_surrogate),
    ),
)  # fmt: skip
