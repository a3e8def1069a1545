"""SPN201 to SPN207, SPN217 and SPN220: indexes whose new entries are neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.name_hints import like_absent, like_counter, like_lookup, like_status
from spanemu.lint.model import Index, Part, Schema, Table
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_index, hit_on, hit_on_part
from spanemu.lint.rules.fixes import spread, without_nulls
from spanemu.lint.values import (
    COMMIT_TIME_FUNCTIONS,
    Order,
    cardinality_of,
    is_enum,
    is_random,
    order_of,
    shard_of,
)
from spanemu.sql.ddl_ast import ForeignKeyDefinition
from spanemu.sql.inspection import called_functions, is_literal


def _leading(index: Index) -> Part | None:
    """Return the first key part of a non-interleaved index, if its column is known."""
    if not index.is_root or not index.key_parts or index.key[0].column is None:
        return None
    return index.key[0]


def _commit_timestamp(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    if part is not None and order_of(part.column) is Order.COMMIT_TIMESTAMP:
        yield hit_on_part(index, table=index.table.name, spread=spread(index))


def _growing(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    if part is None or part.column is None or _is_mostly_null(index):
        return  # Entries with NULL do not grow; SPN207 reports them.
    order = order_of(part.column)
    if order is Order.COMMIT_TIMESTAMP or shard_of(index.table, part.column) is not None:
        return
    column = part.column
    counter = (
        column.type == "INT64"
        and like_counter(column.spelling)
        and not is_random(column)
        and column.generated is None
    )
    if order is not None or counter:
        why = str(order) if order is not None else "INT64 named like a counter"
        yield hit_on_part(index, table=index.table.name, order=why, spread=spread(index))


def _on_update(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    on_update = None if part is None or part.column is None else part.column.on_update
    if on_update and not called_functions(on_update.tree).isdisjoint(COMMIT_TIME_FUNCTIONS):
        yield hit_on_part(index, table=index.table.name, spread=spread(index))


def _few_values(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    if part is None or part.column is None or shard_of(index.table, part.column) is not None:
        return
    column = part.column
    count = cardinality_of(index.table, column)
    few = count is not None and count <= index.table.schema.settings.cardinality_low_max
    declared = few or is_enum(column)
    if not declared and not like_status(column.spelling):
        return
    after = index.full_key[1:2]
    if after and order_of(after[0].column) is not None:
        severity, opt_in = ERROR if declared else WARNING, False
    else:
        severity, opt_in = INFO, True  # Load can split the entries of a value by the next key part.
    following = after[0].name if after else "nothing"
    yield hit_on_part(index, next=following, severity=severity, opt_in=opt_in)


def _constant_default(index: Index) -> Iterator[Hit]:
    if any(not hit.opt_in for hit in _few_values(index)):
        return  # SPN205 reports the index.
    part = _leading(index)
    default = None if part is None or part.column is None else part.column.default
    if default is not None and is_literal(default.tree):
        yield hit_on_part(index, default=default.text, table=index.table.name)


def _is_mostly_null(index: Index) -> bool:
    """Return whether most entries probably begin with NULL, and the index keeps them."""
    part = _leading(index)
    return (
        part is not None
        and part.column is not None
        and not part.column.not_null
        and not index.null_filtered
        and part.column.name.lower() not in index.where_not_null | index.distinct_key
        and like_absent(part.column.spelling)
    )


def _mostly_null(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    if part is not None and _is_mostly_null(index):
        order = order_of(part.column)
        left = "" if order is None else f" The other entries grow with time (SPN202): {order}."
        yield hit_on_part(index, without=without_nulls(index), left=left)


def _ordered_search(schema: Schema) -> Iterator[Hit]:
    for index in schema.indexes.values():
        if not index.search or index.options.get("sort_order_sharding") is not True:
            continue
        first = index.order_by[0] if index.order_by else None
        column = None if first is None else index.table.column(first.column.name)
        if first is not None and first.descending and column is not None and order_of(column):
            yield hit_on(index, column.name)


def _managed(schema: Schema) -> Iterator[Hit]:
    for table in schema.tables.values():
        for key, position in table.foreign_keys:
            names = tuple(each.name.lower() for each in key.columns)
            if not key.enforced or names == table.key_names[: len(names)]:
                continue
            reason, by_name = _hot_reference(table, key)
            if reason:
                facts = {"reason": reason, "referenced": str(key.referenced_table)}
                yield Hit(position, table.name, key.columns[0].name, facts=facts, opt_in=by_name)


def _hot_reference(table: Table, key: ForeignKeyDefinition) -> tuple[str, bool]:
    """Return why new entries of a managed index are neighbours, and whether evidence is weak."""
    column = table.column(key.columns[0].name)
    if column is None:
        return "", False
    if order_of(column) is not None:
        return "its values grow with time", False
    count = cardinality_of(table, column)
    if count is not None and count <= table.schema.settings.cardinality_low_max:
        return f"it has {count} values", False
    if len(key.columns) == 1 and (
        like_lookup(str(key.referenced_table)) or like_lookup(column.spelling)
    ):
        return f"{key.referenced_table} is named like a lookup table of few rows", True
    return "", False


RULES = (
    Rule(
        "SPN201", ERROR, "D", "Index begins with a commit timestamp",
        "An index is a table sorted by its columns. Commit timestamps only grow, so each new entry "
        "goes to the last split of the index.",
        "{spread}",
        "{object} on {table} begins with {column}, a commit timestamp: every entry lands in the "
        "last split of the index.",
        bad="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP "
        "OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (UserId);\n"
        "CREATE INDEX UsersByLastAccess ON Users(LastAccess)",
        good="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP "
        "OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (UserId);\n"
        "CREATE INDEX UsersByLastAccess ON Users(UserId, LastAccess), INTERLEAVE IN Users",
        rate=True, check=each_index(_commit_timestamp),
    ),
    Rule(
        "SPN202", WARNING, "D", "Index begins with a column that grows",
        "A non-interleaved index is stored as a table sorted by its columns. If a time or a "
        "counter comes first, all new entries are neighbours. See best practice 3 of Spanner's "
        "schema design guide.",
        "{spread}",
        "{object} on {table} begins with {column} ({order}): new entries all land at its end.",
        bad="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP) "
        "PRIMARY KEY (UserId);\n"
        "CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(LastAccess)",
        good="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP) "
        "PRIMARY KEY (UserId);\n"
        "CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(UserId, LastAccess), "
        "INTERLEAVE IN Users",
        rate=True, check=each_index(_growing),
    ),
    Rule(
        "SPN203", ERROR, "D", "Index begins with the time of the last update",
        "ON UPDATE (PENDING_COMMIT_TIMESTAMP()) moves the entry of every row that changes to the "
        "end of the index.",
        "Another column first: {spread}",
        "{object} on {table} begins with {column}, which every update sets to its commit "
        "timestamp.",
        bad="CREATE TABLE T (Id INT64 NOT NULL, Changed TIMESTAMP "
        "ON UPDATE (PENDING_COMMIT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true)) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByChanged ON T(Changed)",
        good="CREATE TABLE T (Id INT64 NOT NULL, Owner STRING(64), Changed TIMESTAMP "
        "ON UPDATE (PENDING_COMMIT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true)) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByOwner ON T(Owner, Changed)",
        rate=True, check=each_index(_on_update),
    ),
    Rule(
        "SPN205", WARNING, "DV", "Index begins with a column of few values",
        "Entries with the same value are neighbours. Spanner can split them by the next key part, "
        "but if that part grows too, each value has one hot end, and no split helps.",
        "A column of many values first, a NULL_FILTERED column for the rows with work to do, or "
        "a shard column: (ShardId, {column}, ...)",
        "{object} begins with {column}, which has few values, followed by {next}.",
        bad="CREATE TABLE Orders (OrderId STRING(64) NOT NULL, Status STRING(16), "
        "CreatedAt TIMESTAMP) PRIMARY KEY (OrderId);\n"
        "CREATE INDEX ByStatus ON Orders(Status, CreatedAt)",
        good="CREATE TABLE Orders (OrderId STRING(64) NOT NULL, Customer STRING(64), "
        "CreatedAt TIMESTAMP) PRIMARY KEY (OrderId);\n"
        "CREATE INDEX ByCustomer ON Orders(Customer, CreatedAt)",
        rate=True, check=each_index(_few_values),
    ),
    Rule(
        "SPN206", WARNING, "DV", "Index begins with a column that has a constant default",
        "All new rows have the same value, so their entries are neighbours.",
        "CREATE INDEX ... ON {table}(IndexPartition, {column})",
        "{object} begins with {column}, which is {default} in every new row.",
        bad="CREATE TABLE Players (Id STRING(64) NOT NULL, Attribute INT64 DEFAULT (50)) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByAttribute ON Players(Attribute)",
        good="CREATE TABLE Players (Id STRING(64) NOT NULL, Attribute INT64) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByAttribute ON Players(Attribute)",
        rate=True, check=each_index(_constant_default),
    ),
    Rule(
        "SPN207", WARNING, "DV", "Index of a column that is mostly NULL",
        "Rows with NULL have entries too, all side by side, unless the index is NULL_FILTERED. "
        "Queries must then exclude NULLs as well, by IS NOT NULL.",
        "{without}",
        "{object} begins with {column}, which is probably mostly NULL, and keeps every NULL entry."
        "{left}",
        bad="CREATE TABLE T (Id INT64 NOT NULL, DeletedAt TIMESTAMP) PRIMARY KEY (Id);\n"
        "CREATE INDEX ByDeleted ON T(DeletedAt)",
        good="CREATE TABLE T (Id INT64 NOT NULL, DeletedAt TIMESTAMP) PRIMARY KEY (Id);\n"
        "CREATE NULL_FILTERED INDEX ByDeleted ON T(DeletedAt)",
        check=each_index(_mostly_null),
    ),
    Rule(
        "SPN217", WARNING, "D", "Search index sharded in the order of time",
        "sort_order_sharding assigns documents to splits by ORDER BY. If the newest come first, "
        "all new documents share one split.",
        "Uniform sharding, the default: leave sort_order_sharding out",
        "{object} shards by {column} DESC, so all new documents share a split.",
        bad="CREATE TABLE Posts (Id STRING(64) NOT NULL, Ts TIMESTAMP NOT NULL, T TOKENLIST) "
        "PRIMARY KEY (Id);\n"
        "CREATE SEARCH INDEX S ON Posts(T) ORDER BY Ts DESC OPTIONS (sort_order_sharding = true)",
        good="CREATE TABLE Posts (Id STRING(64) NOT NULL, Ts TIMESTAMP NOT NULL, T TOKENLIST) "
        "PRIMARY KEY (Id);\nCREATE SEARCH INDEX S ON Posts(T) ORDER BY Ts DESC",
        rate=True, check=_ordered_search,
    ),
    Rule(
        "SPN220", WARNING, "D", "Foreign key whose backing index is hot",
        "An enforced foreign key has a managed index on the referencing columns. The index is "
        "sorted like any other index, and cannot be dropped or changed.",
        "FOREIGN KEY (...) REFERENCES {referenced} (...) NOT ENFORCED, or a composite key",
        "The index behind the foreign key of {object} to {referenced} begins with {column}: "
        "{reason}.",
        bad="CREATE TABLE Countries (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE TABLE Orders (OrderId STRING(64) NOT NULL, CountryId INT64, "
        "CHECK (CountryId BETWEEN 1 AND 9), "
        "FOREIGN KEY (CountryId) REFERENCES Countries (Id)) PRIMARY KEY (OrderId)",
        good="CREATE TABLE Countries (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE TABLE Orders (OrderId STRING(64) NOT NULL, CountryId INT64, "
        "CHECK (CountryId BETWEEN 1 AND 9), "
        "FOREIGN KEY (CountryId) REFERENCES Countries (Id) NOT ENFORCED) PRIMARY KEY (OrderId)",
        rate=True, check=_managed,
    ),
)  # fmt: skip
