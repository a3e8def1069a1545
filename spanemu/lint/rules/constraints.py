"""SPN403, SPN404, SPN502 and SPN503: foreign keys, row size limits, and queues."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.identifiers import fold
from spanemu.lint.model import Column, Index, Table, names_of
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_index, each_table, hit_on
from spanemu.lint.values import are_few, is_ahead, makes_queue, shard_of

MIB = 1024 * 1024
ROW_BYTES_MAX = 1600 * MIB  # quotas.md: non-key columns of one row
CELL_BYTES_MAX = 10 * MIB  # quotas.md
CHARACTERS_MAX = 2_621_440  # quotas.md: characters of a STRING


def _could_be_parent(table: Table) -> Iterator[Hit]:
    if table.interleave is not None:
        return
    for key, position in table.foreign_keys:
        target = table.schema.table(str(key.referenced_table))
        names = set(names_of(key.columns))
        if target is None or len(names) < 2:
            continue
        if sorted(target.referenced_by(key)) != sorted(target.key_names):
            continue
        if _is_pointer(table) or target is table:
            continue
        if not names <= set(table.key_names):  # otherwise SPN306 reports the table
            facts = {"parent": target.name}
            yield Hit(position, table.name, key.columns[0].name, facts=facts)


def _is_pointer(table: Table) -> bool:
    """Return whether a table only links other tables: several tables, or without other columns."""
    targets = {fold(str(key.referenced_table)) for key, _ in table.foreign_keys}
    linking = {fold(each.name) for key, _ in table.foreign_keys for each in key.columns}
    return len(targets) > 1 or set(table.columns) <= linking | set(table.key_names)


def _commit_timestamp(table: Table) -> Iterator[Hit]:
    for key, position in table.foreign_keys:
        target = table.schema.table(str(key.referenced_table))
        pairs: list[Column | None] = [table.column(each.name) for each in key.columns]
        if target is not None:
            pairs += [target.column(each.name) for each in key.referenced_columns]
        for column in pairs:
            if column is not None and column.allows_commit_timestamp:
                yield Hit(position, table.name, column.name)
                break


def _declared_bytes(column: Column) -> int:
    """Return the maximum size of a cell in bytes."""
    length, per_unit = column.length, 4 if column.type == "STRING" else 1
    if length == "MAX" or column.type == "JSON":
        return CELL_BYTES_MAX
    return length * per_unit if isinstance(length, int) else 8


def _too_large(table: Table) -> Iterator[Hit]:
    for column in table.columns.values():
        length = column.length
        limit = CHARACTERS_MAX if column.type == "STRING" else CELL_BYTES_MAX
        if isinstance(length, int) and length > limit:
            facts = {
                "reason": f"{column.name} is declared with {length}, at most {limit} is allowed"
            }
            yield Hit(column.position, table.name, column.name, facts=facts)
    keys = set(table.key_names)
    total = sum(_declared_bytes(c) for name, c in table.columns.items() if name not in keys)
    if total > ROW_BYTES_MAX:
        yield hit_on(
            table,
            reason=f"its columns may take {total // MIB:,} MiB together, at most 1,600 are allowed",
        )


def _queue(index: Index) -> Iterator[Hit]:
    """Yield an index that makes its table a queue, as severe as its few values."""
    if not makes_queue(index):
        return
    first = index.key[0].column
    assert first is not None
    severity = INFO
    if shard_of(index.table, first) is None and not is_ahead(index.key[1].column):
        severity = ERROR if are_few(index.table, first) else WARNING
    facts = {"table": index.table.name}
    yield Hit(index.position, index.name, first.name, severity, facts)


_ORDERS = "CREATE TABLE Orders (ShopId INT64 NOT NULL, OrderId INT64 NOT NULL"

RULES = (
    Rule(
        "SPN403", INFO, "D", "Foreign key to a possible parent table",
        "A table that refers to the whole composite key of another table is often read with that "
        "table.",
        "A key that begins with the key of {parent} and INTERLEAVE IN PARENT {parent}, with a "
        "unique index on the present key if it must stay unique",
        "{object} refers to the whole key of {parent}, and could be interleaved in {parent}.",
        bad=f"{_ORDERS}) PRIMARY KEY (ShopId, OrderId);\n"
        "CREATE TABLE Items (ItemId STRING(64) NOT NULL, ShopId INT64, OrderId INT64, Price INT64, "
        "FOREIGN KEY (ShopId, OrderId) REFERENCES Orders (ShopId, OrderId)) PRIMARY KEY (ItemId)",
        good=f"{_ORDERS}, Code STRING(8)) PRIMARY KEY (ShopId, OrderId);\n"
        "CREATE TABLE Items (ItemId STRING(64) NOT NULL, OrderCode STRING(8), "
        "FOREIGN KEY (OrderCode) REFERENCES Orders (Code)) PRIMARY KEY (ItemId)",
        opt_in=True, check=each_table(_could_be_parent),
    ),
    Rule(
        "SPN404", ERROR, "D", "Foreign key on a commit timestamp",
        "Neither side of a foreign key may be a column that allows commit timestamps.",
        "Refer to another column",
        "The foreign key of {object} uses {column}, which allows commit timestamps.",
        bad="CREATE TABLE A (Ts TIMESTAMP NOT NULL) PRIMARY KEY (Ts);\n"
        "CREATE TABLE B (Id INT64 NOT NULL, Ts TIMESTAMP OPTIONS (allow_commit_timestamp = true), "
        "FOREIGN KEY (Ts) REFERENCES A (Ts)) PRIMARY KEY (Id)",
        good="CREATE TABLE A (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE TABLE B (Id INT64 NOT NULL, AId INT64, Ts TIMESTAMP "
        "OPTIONS (allow_commit_timestamp = true), "
        "FOREIGN KEY (AId) REFERENCES A (Id)) PRIMARY KEY (Id)",
        check=each_table(_commit_timestamp),
    ),
    Rule(
        "SPN502", ERROR, "D", "Row or cell beyond a limit",
        "The columns outside of the key may hold 1,600 MiB in a row, a cell 10 MiB.",
        "Shorter columns, or a second table",
        "{object} exceeds a limit: {reason}.",
        bad="CREATE TABLE T (Id INT64 NOT NULL, Body STRING(2621441)) PRIMARY KEY (Id)",
        good="CREATE TABLE T (Id INT64 NOT NULL, Body STRING(2621440)) PRIMARY KEY (Id)",
        check=each_table(_too_large),
    ),
    Rule(
        "SPN503", INFO, "D", "Queue kept in a table",
        "Inserts add entries at one end of the index, and deletes remove entries at the other. "
        "Both ends are hot, and scans pass over deleted entries. As with SPN205, the fewer values "
        "come before the time, the more severe the finding.",
        "A shard column before the time, or a change stream",
        "{object} makes {table} a queue: its key is {column}, then the time.",
        bad="CREATE TABLE Outbox (Id STRING(64) NOT NULL, Status STRING(8), Ts TIMESTAMP) "
        "PRIMARY KEY (Id);\nCREATE INDEX OutboxByStatus ON Outbox(Status, Ts)",
        good="CREATE TABLE Outbox (Id STRING(64) NOT NULL, Receiver STRING(64), Ts TIMESTAMP) "
        "PRIMARY KEY (Id);\nCREATE INDEX OutboxByReceiver ON Outbox(Receiver, Ts)",
        rate=True, check=each_index(_queue),
    ),
)  # fmt: skip
