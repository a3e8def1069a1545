"""SPN111 to SPN117: shard columns, and the number of key ranges that take new rows."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.name_hints import like_counter, like_status
from spanemu.lint.model import Column, Index, Schema, Table
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_table, hit_on_part
from spanemu.lint.rules.fixes import key_of
from spanemu.lint.values import (
    HASH_FUNCTIONS,
    Shard,
    are_few,
    cardinality_of,
    has_coarse_inputs,
    is_ahead,
    order_of,
    shard_of,
)
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.inspection import called_functions, columns_read


def _few_first_values(table: Table) -> Iterator[Hit]:
    """Yield root tables of several key columns whose first key column has few values."""
    column = table.key[0].column if len(table.key_parts) > 1 else None
    if column is None or shard_of(table, column) is not None or table.interleave is not None:
        return
    count = cardinality_of(table, column)
    following = table.key[1].column
    growing = order_of(following) is not None and not is_ahead(following)
    if are_few(table, column):
        yield hit_on_part(
            table,
            count="few" if count is None else count,
            next=table.key[1].name,
            severity=ERROR if growing else None,
        )
    elif growing and like_status(column.spelling):
        yield hit_on_part(table, count="few", next=table.key[1].name, severity=INFO)


def _leading_shards(schema: Schema) -> Iterator[tuple[Table | Index, Shard]]:
    """Yield root tables and top-level indexes whose key begins with a shard column."""
    for table in schema.tables.values():
        if table.key_parts and table.interleave is None:
            shard = shard_of(table, table.key[0].column)
            if shard is not None:
                yield table, shard
    for index in schema.indexes.values():
        if index.is_root and not index.search and index.key_parts:
            shard = shard_of(index.table, index.key[0].column)
            if shard is not None:
                yield index, shard


def _too_few(schema: Schema) -> Iterator[Hit]:
    nodes = schema.settings.nodes
    for source, shard in _leading_shards(schema):
        if shard.count is not None and shard.count < nodes:
            yield hit_on_part(source, count=shard.count, nodes=nodes)


def _too_many(schema: Schema) -> Iterator[Hit]:
    nodes = schema.settings.nodes
    for source, shard in _leading_shards(schema):
        if shard.count is not None and shard.count > nodes * schema.settings.shards_per_node_max:
            yield hit_on_part(source, count=shard.count, nodes=nodes)


def _signed(table: Table) -> Iterator[Hit]:
    for column in table.columns.values():
        shard = shard_of(table, column)
        if shard is not None and shard.signed and shard.count is not None:
            facts = {"values": 2 * shard.count - 1, "last": shard.count - 1}
            whole = {**facts, "unsigned": _unsigned(column)}
            yield Hit(column.position, table.name, column.name, facts=whole)


def _unsigned(column: Column) -> str:
    """Return the expression of a shard column, or of its DEFAULT, without negative values."""
    expression = column.definition.generated or column.default
    assert expression is not None
    absolute = "abs" if column.position.dialect.database is POSTGRESQL else "ABS"
    return f"{absolute}({expression.text})"


def _refused(table: Table) -> Iterator[Hit]:
    for part in table.key:
        if part.column is None or part.column.generated is None:
            continue
        read = columns_read(part.column.generated)
        sources = [column for name in sorted(read) if (column := table.column(name)) is not None]
        others = [source.name for source in sources if source.name.lower() not in table.key_names]
        reason = next(
            (
                why
                for each in sources
                for applies, why in (
                    (each.allows_commit_timestamp, f"{each.name} allows commit timestamps"),
                    (each.generated is not None, f"{each.name} is itself generated"),
                    (each.default is not None, f"{each.name} has a DEFAULT"),
                )
                if applies
            ),
            f"it reads {' and '.join(others)}, which are not in the key" if len(others) > 1 else "",
        )
        if reason:
            facts = {"reason": reason}
            yield Hit(part.column.position, table.name, part.column.name, facts=facts)


def _coarse(table: Table) -> Iterator[Hit]:
    for column in table.columns.values():
        tree = column.generated or column.default_tree
        if tree is None or shard_of(table, column) is None:
            continue
        if has_coarse_inputs(table, tree):
            read = ", ".join(sorted(columns_read(tree)))
            yield Hit(column.position, table.name, column.name, facts={"read": read})


def _shard_not_first(table: Table) -> Iterator[Hit]:
    first = table.key[0].column if table.key_parts else None
    if first is None or shard_of(table, first) is not None or table.interleave is not None:
        return
    if order_of(first) is None and not like_counter(first.spelling):
        return
    for column in table.columns.values():
        shard = shard_of(table, column)
        if shard is not None and (
            shard.count is not None or _is_hash(shard) or _in_key(table, shard)
        ):
            rest = key_of(part for part in table.key if part.column is not column)
            key = f"{column.position.dialect.quoted(column.name)}, {rest}"
            facts = {"first": first.name, "key": key}
            yield Hit(column.position, table.name, column.name, facts=facts)


def _is_hash(shard: Shard) -> bool:
    tree = shard.column.generated or shard.column.default_tree
    return not called_functions(tree).isdisjoint(HASH_FUNCTIONS)


def _in_key(table: Table, shard: Shard) -> bool:
    return shard.column.name.lower() in table.key_names


RULES = (
    Rule(
        "SPN111", WARNING, "DV", "Primary key begins with a column of few values",
        "Rows with the same value are neighbours, so new rows land in only as many ranges as there "
        "are values. If the next key part grows, splits inside a value do not help, and the "
        "finding is an error. A name like that of a status is a hint, for information.",
        "Put a column of many values first",
        "The key of {object} begins with {column}, which has {count} values; {next} comes next.",
        bad="CREATE TABLE Jobs (IsActive BOOL NOT NULL, Ts TIMESTAMP NOT NULL) "
        "PRIMARY KEY (IsActive, Ts)",
        good="CREATE TABLE Jobs (IsActive BOOL NOT NULL, Id STRING(36) NOT NULL) "
        "PRIMARY KEY (Id, IsActive)",
        rate=True, check=each_table(_few_first_values),
    ),
    Rule(
        "SPN112", WARNING, "DV", "Fewer shards than nodes",
        "N shards keep at most N servers busy. N cannot be changed later without rewriting the "
        "table.",
        "As many shards as the instance will have nodes; for an index at least twice the expected "
        "number of splits",
        "{column} of {object} spreads rows over {count} shards, fewer than the {nodes} planned "
        "nodes.",
        bad="CREATE TABLE Logs (Shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(Id), 3))) "
        "STORED, "
        "Id STRING(64) NOT NULL) PRIMARY KEY (Shard, Id)",
        good="CREATE TABLE Logs (Shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(Id), 10))) "
        "STORED, "
        "Id STRING(64) NOT NULL) PRIMARY KEY (Shard, Id)",
        rate=True, check=_too_few,
    ),
    Rule(
        "SPN113", INFO, "DV", "Far more shards than nodes",
        "Each ordered read has to visit every shard, and more shards than nodes do not spread "
        "the load further.",
        "As many shards as the instance will have nodes",
        "{column} of {object} spreads rows over {count} shards, all of which an ordered read "
        "visits; {nodes} nodes are planned.",
        bad="CREATE TABLE Logs (Shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(Id), 100000))) "
        "STORED, Id STRING(64) NOT NULL) PRIMARY KEY (Shard, Id)",
        good="CREATE TABLE Logs (Shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(Id), 16))) "
        "STORED, "
        "Id STRING(64) NOT NULL) PRIMARY KEY (Shard, Id)",
        check=_too_many,
    ),
    Rule(
        "SPN114", WARNING, "D", "Shard from a signed modulo",
        "FARM_FINGERPRINT is a signed INT64 and MOD keeps the sign, so MOD(FARM_FINGERPRINT(x), N) "
        "has 2N - 1 values; a query for shards 0 to N - 1 misses about half of the rows.",
        "{unsigned}",
        "{column} of {object} has {values} values, from -{last} to {last}: a query for 0 to "
        "{last} misses rows.",
        bad="CREATE TABLE UserAccessLogs (ShardId INT64 NOT NULL AS "
        "(MOD(FARM_FINGERPRINT(CAST(LastAccess AS STRING)), 2048)) STORED, "
        "LastAccess TIMESTAMP NOT NULL, UserId INT64 NOT NULL) "
        "PRIMARY KEY (ShardId, LastAccess, UserId)",
        good="CREATE TABLE UserAccessLogs (ShardId INT64 NOT NULL AS "
        "(ABS(MOD(FARM_FINGERPRINT(CAST(LastAccess AS STRING)), 16))) STORED, "
        "LastAccess TIMESTAMP NOT NULL, UserId INT64 NOT NULL) "
        "PRIMARY KEY (ShardId, LastAccess, UserId)",
        check=each_table(_signed),
    ),
    Rule(
        "SPN115", ERROR, "D", "Generated key column that Spanner refuses",
        "A generated column in a primary key may read at most one column outside of the key. It "
        "may not read a column that allows commit timestamps, is generated, or has a DEFAULT.",
        "Hash a plain key column, or compute the shard in the application",
        "{column} of {object} cannot be a key column: {reason}.",
        bad="CREATE TABLE Logs (ShardId INT64 NOT NULL AS "
        "(ABS(MOD(FARM_FINGERPRINT(CAST(CommitTs AS STRING)), 8))) STORED, "
        "CommitTs TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true)) "
        "PRIMARY KEY (ShardId, CommitTs)",
        good="CREATE TABLE Logs (ShardId INT64 NOT NULL AS "
        "(ABS(MOD(FARM_FINGERPRINT(CAST(Ts AS STRING)), 8))) STORED, Ts TIMESTAMP NOT NULL) "
        "PRIMARY KEY (ShardId, Ts)",
        check=each_table(_refused),
    ),
    Rule(
        "SPN116", WARNING, "DV", "Shard computed from coarse values",
        "Rows written at the same moment must fall into different shards. A hash of an hour, a "
        "day or a tenant sends a whole burst to a single shard.",
        "Hash the columns that make a row unique",
        "{column} of {object} depends on {read} alone, so rows of one burst share a shard.",
        bad="CREATE TABLE Logs (Shard INT64 NOT NULL AS (MOD(DIV(UNIX_SECONDS(Ts), 3600), 16)) "
        "STORED, "
        "Ts TIMESTAMP NOT NULL, Id STRING(64) NOT NULL) PRIMARY KEY (Shard, Ts, Id)",
        good="CREATE TABLE Logs (Shard INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(Id), 16))) "
        "STORED, "
        "Ts TIMESTAMP NOT NULL, Id STRING(64) NOT NULL) PRIMARY KEY (Shard, Ts, Id)",
        rate=True, check=each_table(_coarse),
    ),
    Rule(
        "SPN117", WARNING, "D", "Shard column is not the first key part",
        "The first key parts decide where a row is stored. A shard column behind the time does "
        "not spread rows.",
        "PRIMARY KEY ({key})",
        "{object} has the shard column {column}, but its key begins with {first}.",
        bad="CREATE TABLE Logs (Ts TIMESTAMP NOT NULL, ShardId INT64 NOT NULL) "
        "PRIMARY KEY (Ts, ShardId)",
        good="CREATE TABLE Logs (Ts TIMESTAMP NOT NULL, ShardId INT64 NOT NULL) "
        "PRIMARY KEY (ShardId, Ts)",
        rate=True, check=each_table(_shard_not_first),
    ),
)  # fmt: skip
