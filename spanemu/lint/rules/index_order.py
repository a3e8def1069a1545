"""SPN201 to SPN207, SPN217 and SPN220: indexes whose new entries are neighbours."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import (
    like_absent,
    like_counter,
    like_lease,
    like_lookup,
    like_status,
)
from spanemu.lint.model import Index, Part, Schema, Table, names_of
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_index, hit_on, hit_on_part
from spanemu.lint.rules.fixes import spread, without_nulls
from spanemu.lint.values import (
    COMMIT_TIME_FUNCTIONS,
    Order,
    are_few,
    cardinality_of,
    few_then,
    is_ahead,
    is_random,
    is_row_a_period,
    makes_queue,
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


def _end(part: Part) -> str:
    return "first" if part.descending else "last"


def _is_stamped_by_updates(part: Part | None) -> bool:
    """Return whether each update of a row sets the column to the commit timestamp."""
    on_update = None if part is None or part.column is None else part.column.on_update
    return on_update is not None and not called_functions(on_update.tree).isdisjoint(
        COMMIT_TIME_FUNCTIONS
    )


def _commit_timestamp(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    if part is None or _is_stamped_by_updates(part):
        return  # SPN203 reports the index.
    if order_of(part.column) is Order.COMMIT_TIMESTAMP:
        yield hit_on_part(index, table=index.table.name, end=_end(part), spread=spread(index))


def _growing(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    if part is None or part.column is None or _is_mostly_null(index):
        return  # Entries with NULL do not grow; SPN207 reports them.
    column, order = part.column, order_of(part.column)
    if order is Order.COMMIT_TIMESTAMP or shard_of(index.table, column) is not None:
        return
    if index.unique and is_row_a_period(index.key):
        return
    counter = (
        column.type == "INT64"
        and like_counter(column.spelling)
        and not is_random(column)
        and column.generated is None
    )
    if order is None and not counter:
        return
    yield hit_on_part(
        index,
        table=index.table.name,
        order="INT64 named like a counter" if order is None else str(order),
        where=_where(part),
        spread=spread(index),
        severity=INFO if order is None or is_ahead(column) else None,
    )


def _where(part: Part) -> str:
    """Return where the entries of new rows land."""
    if is_ahead(part.column):
        return (
            "entries for about the same time are neighbours, and follow the clock if the time is "
            "always set equally far ahead"
        )
    if order_of(part.column) is Order.DATE:
        return "the entries of a day are neighbours, and each day starts in one split"
    return f"new entries all land at its {'beginning' if part.descending else 'end'}"


def _on_update(index: Index) -> Iterator[Hit]:
    part = _leading(index)
    if _is_stamped_by_updates(part):
        yield hit_on_part(index, table=index.table.name, spread=spread(index))


def _few_values(index: Index) -> Iterator[Hit]:
    few, after = few_then(index)
    if _leading(index) is None or not few or makes_queue(index):
        return  # SPN503 reports queues.
    columns = [part.column for part in few if part.column is not None]
    declared = are_few(index.table, columns[0])
    if after is not None and order_of(after.column) is not None and not is_ahead(after.column):
        opt_in = False
        if all(are_few(index.table, column) for column in columns):
            severity = ERROR
        else:
            by_status = declared or like_status(columns[0].spelling)
            severity = WARNING if len(few) == 1 and by_status else INFO
    else:
        # Load can split the entries of a value by the next key part.
        severity, opt_in = INFO, True
        if not declared and not like_status(columns[0].spelling):
            return
    following = [part.name for part in few[1:]] + ([] if after is None else [after.name])
    yield hit_on_part(
        index, next=", ".join(following) or "nothing", severity=severity, opt_in=opt_in
    )


def _constant_default(index: Index) -> Iterator[Hit]:
    if makes_queue(index) or any(not hit.opt_in for hit in _few_values(index)):
        return  # SPN503 or SPN205 reports the index.
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
        and fold(part.name) not in index.where_not_null | index.distinct_key
        and (like_absent(part.column.spelling) or like_lease(part.column.spelling))
    )


def _mostly_null(index: Index) -> Iterator[Hit]:
    """Yield indexes by their names alone; with more key parts, queries may look for NULL."""
    part = _leading(index)
    if part is not None and part.column is not None and _is_mostly_null(index):
        order = order_of(part.column)
        left = "" if order is None else f" The other entries grow with time (SPN202): {order}."
        key = {*index.table.key_names, fold(part.name)}
        weak = index.is_in_hint or not set(index.key_names) <= key
        yield hit_on_part(index, without=without_nulls(index), left=left, opt_in=weak)


def _ordered_search(schema: Schema) -> Iterator[Hit]:
    for index in schema.indexes.values():
        if not index.search or index.options.get("sort_order_sharding") is not True:
            continue
        first = index.order_by[0] if index.order_by else None
        column = None if first is None else index.table.column(first.column.name)
        if first is None or not first.descending or column is None:
            continue
        if order_of(column) is not None or like_counter(column.spelling):
            yield hit_on(index, column.name)


def _managed(schema: Schema) -> Iterator[Hit]:
    for table in schema.tables.values():
        for key, position in table.foreign_keys:
            names = names_of(key.columns)
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
        "goes to the last split of the index, or with DESC to the first.",
        "{spread}",
        "{object} on {table} begins with {column}, a commit timestamp: every entry lands in the "
        "{end} split of the index.",
        bad="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP "
        "OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (UserId);\n"
        "CREATE INDEX UsersByLastAccess ON Users(LastAccess)",
        good="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP "
        "OPTIONS (allow_commit_timestamp = true), ShardId INT64 NOT NULL) PRIMARY KEY (UserId);\n"
        "CREATE INDEX UsersByLastAccess ON Users(ShardId, LastAccess)",
        rate=True, check=each_index(_commit_timestamp),
    ),
    Rule(
        "SPN202", WARNING, "D", "Index begins with a column that grows",
        "A non-interleaved index is stored as a table sorted by its columns. If a time or a "
        "counter comes first, all new entries are neighbours. See best practice 3 of Spanner's "
        "schema design guide. Times ahead, such as due dates, are information only: they may "
        "spread.",
        "{spread}",
        "{object} on {table} begins with {column} ({order}): {where}.",
        bad="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP) "
        "PRIMARY KEY (UserId);\n"
        "CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(LastAccess)",
        good="CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP, "
        "ShardId INT64 AS (ABS(MOD(FARM_FINGERPRINT(CAST(UserId AS STRING)), 8))) STORED) "
        "PRIMARY KEY (UserId);\n"
        "CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(ShardId, LastAccess)",
        rate=True, check=each_index(_growing),
    ),
    Rule(
        "SPN203", ERROR, "D", "Index begins with the time of the last update",
        "ON UPDATE (PENDING_COMMIT_TIMESTAMP()) moves the entry of every row that changes to the "
        "end of the index, or with DESC to its beginning.",
        "{spread}",
        "{object} on {table} begins with {column}, which every update sets to its commit "
        "timestamp.",
        bad="CREATE TABLE T (Id INT64 NOT NULL, Changed TIMESTAMP "
        "DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE (PENDING_COMMIT_TIMESTAMP()) "
        "OPTIONS (allow_commit_timestamp = true)) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByChanged ON T(Changed)",
        good="CREATE TABLE T (Id INT64 NOT NULL, Owner STRING(64), Changed TIMESTAMP "
        "DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE (PENDING_COMMIT_TIMESTAMP()) "
        "OPTIONS (allow_commit_timestamp = true)) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByOwner ON T(Owner, Changed)",
        rate=True, check=each_index(_on_update),
    ),
    Rule(
        "SPN205", WARNING, "DV", "Index begins with a column of few values",
        "Entries with the same value are neighbours. Spanner can split them by the next key part, "
        "but if that part grows too, each value has one hot end, and no split helps. SPN503 "
        "reports queues.",
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
        "A partition number first: ON {table}(IndexPartition, {column})",
        "{object} begins with {column}, which is {default} in every new row.",
        bad="CREATE TABLE Players (Id STRING(64) NOT NULL, Attribute INT64 DEFAULT (50)) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByAttribute ON Players(Attribute)",
        good="CREATE TABLE Players (Id STRING(64) NOT NULL, Attribute INT64) "
        "PRIMARY KEY (Id);\nCREATE INDEX ByAttribute ON Players(Attribute)",
        rate=True, check=each_index(_constant_default),
    ),
    Rule(
        "SPN207", INFO, "DV", "Index of a column that is mostly NULL",
        "Rows with NULL have entries too, all side by side, unless the index is NULL_FILTERED. "
        "Queries must then exclude NULLs as well, by IS NOT NULL. The rule knows the column by its "
        "name, such as DeletedAt or LockedBy.",
        "If no query looks for NULL: {without}",
        "{object} begins with {column}, which is probably mostly NULL, and keeps every NULL entry."
        "{left}",
        bad="CREATE TABLE Rooms (Id INT64 NOT NULL, LockedBy STRING(64)) PRIMARY KEY (Id);\n"
        "CREATE INDEX ByLocker ON Rooms(LockedBy)",
        good="CREATE TABLE Rooms (Id INT64 NOT NULL, LockedBy STRING(64)) PRIMARY KEY (Id);\n"
        "CREATE NULL_FILTERED INDEX ByLocker ON Rooms(LockedBy)",
        check=each_index(_mostly_null),
    ),
    Rule(
        "SPN217", WARNING, "D", "Search index sharded in the order of time",
        "sort_order_sharding assigns documents to splits by ORDER BY. If the newest come first, "
        "all new documents share one split.",
        "Uniform sharding, the default: leave sort_order_sharding out",
        "{object} shards by {column} DESC, so all new documents share a split.",
        bad="CREATE TABLE Posts (Id STRING(64) NOT NULL, Ts INT64 NOT NULL, "
        "T TOKENLIST AS (TOKEN(Id)) HIDDEN) "
        "PRIMARY KEY (Id);\n"
        "CREATE SEARCH INDEX S ON Posts(T) ORDER BY Ts DESC OPTIONS (sort_order_sharding = true)",
        good="CREATE TABLE Posts (Id STRING(64) NOT NULL, Ts INT64 NOT NULL, "
        "T TOKENLIST AS (TOKEN(Id)) HIDDEN) "
        "PRIMARY KEY (Id);\nCREATE SEARCH INDEX S ON Posts(T) ORDER BY Ts DESC",
        rate=True, check=_ordered_search,
    ),
    Rule(
        "SPN220", WARNING, "D", "Foreign key whose backing index is hot",
        "An enforced foreign key has a managed index on the referencing columns. The index is "
        "sorted like any other index, and cannot be dropped or changed.",
        "A composite key that begins with a column of many values. NOT ENFORCED gives up the check "
        "and ON DELETE CASCADE",
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
