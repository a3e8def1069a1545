"""SPN101 to SPN110: primary keys whose first column grows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spanemu.base.name_hints import like_counter, like_period, words
from spanemu.lint.model import Column, Index, Schema, Table
from spanemu.lint.rule import ERROR, INFO, WARNING, Check, Hit, Rule, each_table, hit_on_part
from spanemu.lint.rules.fixes import swap
from spanemu.lint.values import (
    SEQUENCE_FUNCTIONS,
    Order,
    is_ahead,
    is_random,
    is_row_a_period,
    order_of,
)
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.inspection import called_function, called_functions, walk
from spanemu.sql.syntax_tree import SequenceArgument

SERIAL_TYPES = frozenset({"SERIAL", "SMALLSERIAL", "BIGSERIAL"})  # PostgreSQL's


def _ordered_first(*orders: Order) -> Check:
    reported = frozenset(orders)

    def check(table: Table) -> Iterator[Hit]:
        first = _first(table)
        order = order_of(first)
        if first is not None and order in reported:
            of = "for" if is_ahead(first) else "written at"
            severity = INFO if is_ahead(first) else None
            end = "first" if table.key[0].descending else "last"
            yield hit_on_part(
                table, order=str(order), of=of, end=end, swap=_swapped(table), severity=severity
            )

    return each_table(check)


def _first(table: Table) -> Column | None:
    """Return the first key column, unless the table follows its parent or has few rows.

    A key of dates or years alone allows one row a day or a year.
    """
    parent = table.parent
    if not table.key_parts or is_row_a_period(table.key):
        return None
    if parent is not None and not is_row_a_period(parent.key):
        return None
    return table.key[0].column


def _swapped(table: Table) -> str:
    parent = table.parent
    return swap(table) + ("" if parent is None else f", not interleaved in {parent.name}")


def _counter_name(table: Table) -> Iterator[Hit]:
    column = _first(table)
    if (
        column is not None
        and column.type in ("INT64", "STRING")
        and (like_counter(column.spelling) or like_period(column.spelling))
        and "version" not in words(column.name)
        and order_of(column) is None
        and not is_random(column)
        and column.generated is None
    ):
        yield hit_on_part(table)


def _no_kind(schema: Schema) -> Iterator[Hit]:
    if schema.options.get("default_sequence_kind") == "bit_reversed_positive":
        return
    for tree, position in schema.sequences.values():
        kind = {option.name: option.value for option in tree.options or ()}.get("sequence_kind")
        if kind is None and not tree.clauses.bit_reversed_positive:
            yield Hit(position, str(tree.name), facts={"what": "The sequence"})
    for table in schema.tables.values():
        for column in table.columns.values():
            identity = column.definition.identity
            if column.definition.auto_increment:
                what = "AUTO_INCREMENT"
            elif column.type in SERIAL_TYPES:
                what = f"The type {column.type}"
            elif identity is not None and not identity.bit_reversed_positive:
                what = "The identity column"
            else:
                continue
            yield Hit(column.position, table.name, column.name, facts={"what": what})


def _undoes_bit_reversal(schema: Schema) -> Iterator[Hit]:
    sources: list[Table | Index] = [*schema.tables.values()]
    sources += [index for index in schema.indexes.values() if index.is_root and not index.search]
    for source in sources:
        column = source.key[0].column if source.key_parts else None
        if column is not None and _reverses_sequence(source, column):
            yield hit_on_part(source)


def _reverses_sequence(source: Table | Index, column: Column) -> bool:
    tree = column.generated or column.default_tree
    if tree is None:
        return False
    table = source if isinstance(source, Table) else source.table
    for node, above in walk(tree):
        if not any(called_function(outer) == "BIT_REVERSE" for outer in above):
            continue
        if called_function(node) in SEQUENCE_FUNCTIONS or isinstance(node, SequenceArgument):
            return True
        path = getattr(node, "path", None)
        read = table.column(str(path)) if path is not None else None
        if read is not None and _from_sequence(read):
            return True
    return False


def _from_sequence(column: Column) -> bool:
    return column.definition.identity is not None or (
        not called_functions(column.default_tree).isdisjoint(SEQUENCE_FUNCTIONS)
        and "BIT_REVERSE" not in called_functions(column.default_tree)
    )


def _descending(table: Table) -> Iterator[Hit]:
    first = _first(table)
    if first is not None and table.key[0].descending and order_of(first) and not is_ahead(first):
        yield hit_on_part(table, swap=_swapped(table))


_TIME_ORDERED_GENERATOR = re.compile(
    r"(UUID_?V?[167]|V[167]_?UUID|ULID|KSUID|SNOWFLAKE|OBJECT_?ID|TSID|XID|CUID)$|"
    r"^(UUID_?V?[167]|ULID|KSUID|SNOWFLAKE|TSID)",
)


def _time_ordered_generator(table: Table) -> Iterator[Hit]:
    column = table.key[0].column if table.key_parts else None
    if column is None:
        return
    for name in sorted(called_functions(column.default_tree or column.generated)):
        if _TIME_ORDERED_GENERATOR.search(name.rpartition(".")[2]):
            yield hit_on_part(table, function=name, random=_random_default(table, column))


def _random_default(table: Table, column: Column) -> str:
    """Return a DEFAULT clause with random values of the column's type."""
    if table.position.dialect.database is POSTGRESQL:
        randoms = {"UUID": "gen_random_uuid()", "STRING": "spanner.generate_uuid()"}
        default = randoms.get(column.type)
    else:
        default = {"UUID": "(NEW_UUID())", "STRING": "(GENERATE_UUID())"}.get(column.type)
    if default is not None:
        return f"DEFAULT {default}, whose version 4 is random"
    if column.type == "INT64":
        return "GENERATED BY DEFAULT AS IDENTITY (BIT_REVERSED_POSITIVE)"
    return "UUIDs of version 4, which are random"


RULES = (
    Rule(
        "SPN101", ERROR, "D", "Primary key begins with a commit timestamp",
        "Commit timestamps only grow, so every insert goes to the end of the key space: one split, "
        "on one server, takes all inserts, on any number of nodes.",
        "{swap}",
        "The key of {object} begins with {column}, a commit timestamp: every insert lands in the "
        "{end} split.",
        bad="CREATE TABLE Logs (CreatedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = "
        "true),"
        " Id STRING(64) NOT NULL) PRIMARY KEY (CreatedAt, Id)",
        good="CREATE TABLE Logs (CreatedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = "
        "true),"
        " Id STRING(64) NOT NULL) PRIMARY KEY (Id, CreatedAt)",
        rate=True, check=_ordered_first(Order.COMMIT_TIMESTAMP),
    ),
    Rule(
        "SPN102", WARNING, "D", "Primary key begins with a timestamp",
        "Times of events grow, so all inserts go to the end of the key space, on one server. See "
        "best practice 1 of Spanner's schema design guide.",
        "{swap}",
        "The key of {object} begins with {column} of type TIMESTAMP: rows {of} about the "
        "same time land in the same split.",
        bad="CREATE TABLE UserAccessLogs (LastAccess TIMESTAMP NOT NULL, UserId STRING(1024)) "
        "PRIMARY KEY (LastAccess, UserId)",
        good="CREATE TABLE UserAccessLogs (LastAccess TIMESTAMP NOT NULL, UserId INT64 NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess)",
        rate=True, check=_ordered_first(Order.TIMESTAMP),
    ),
    Rule(
        "SPN103", WARNING, "D", "Primary key begins with a date or a value computed from the time",
        "All rows of a day are neighbours. Spanner can split a day under load, but each new day "
        "starts in a single cold range.",
        "{swap}",
        "The key of {object} begins with {column} ({order}): each period starts in one cold split.",
        bad="CREATE TABLE Events (EventDate DATE NOT NULL, Id STRING(64) NOT NULL) "
        "PRIMARY KEY (EventDate, Id)",
        good="CREATE TABLE Events (EventDate DATE NOT NULL, Id STRING(64) NOT NULL) "
        "PRIMARY KEY (Id, EventDate)",
        rate=True, check=_ordered_first(Order.DATE, Order.TIME_FUNCTION),
    ),
    Rule(
        "SPN104", INFO, "D", "Primary key begins with a column named like a time or a counter",
        "The name is only a hint. A number that an application increments, a time stored as "
        "a number, or the current year sends all inserts to one end of the key space.",
        "GENERATED BY DEFAULT AS IDENTITY (BIT_REVERSED_POSITIVE), or another column first; if "
        "the values are random, ignore the rule: -- spanemu: ignore=SPN104",
        "The key of {object} begins with {column}, whose name suggests that it grows, and no "
        "generator is declared.",
        bad="CREATE TABLE Invoices (Seq INT64 NOT NULL) PRIMARY KEY (Seq)",
        good="CREATE TABLE Invoices (Seq INT64 NOT NULL GENERATED BY DEFAULT AS IDENTITY "
        "(BIT_REVERSED_POSITIVE)) PRIMARY KEY (Seq)",
        rate=True, check=each_table(_counter_name),
    ),
    Rule(
        "SPN106", ERROR, "D", "Sequence without bit reversal",
        "bit_reversed_positive is the only sequence kind, and CREATE SEQUENCE fails if neither "
        "the statement nor the database's option default_sequence_kind names it.",
        "OPTIONS (sequence_kind = 'bit_reversed_positive'), or for the database: ALTER DATABASE db "
        "SET OPTIONS (default_sequence_kind = 'bit_reversed_positive')",
        "{what} names no kind, and the database has no default_sequence_kind.",
        bad="CREATE SEQUENCE Ids",
        good="CREATE SEQUENCE Ids OPTIONS (sequence_kind = 'bit_reversed_positive')",
        check=_no_kind,
    ),
    Rule(
        "SPN107", ERROR, "D", "Key undoes the bit reversal",
        "A sequence returns bit-reversed numbers, which spread over the key space. Reversing the "
        "bits again restores 1, 2, 3 and the hotspot.",
        "Keep the reversed value as the key",
        "{column} of {object} reverses the bits of a bit-reversed sequence, so its values count "
        "up again.",
        bad="CREATE SEQUENCE S OPTIONS (sequence_kind = 'bit_reversed_positive');\n"
        "CREATE TABLE T (Raw INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S)), "
        "Id INT64 NOT NULL AS (BIT_REVERSE(Raw, true)) STORED) PRIMARY KEY (Id)",
        good="CREATE TABLE T (Raw INT64 NOT NULL, "
        "Id INT64 NOT NULL AS (BIT_REVERSE(Raw, true)) STORED) PRIMARY KEY (Id)",
        check=_undoes_bit_reversal,
    ),
    Rule(
        "SPN108", WARNING, "D", "DESC on a growing key",
        "Descending order only moves the hot end from the last split to the first.",
        "{swap}",
        "{column} is DESC at the front of the key of {object}: inserts now all land at the "
        "beginning.",
        bad="CREATE TABLE Logs (LastAccess TIMESTAMP NOT NULL) PRIMARY KEY (LastAccess DESC)",
        good="CREATE TABLE Logs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess DESC)",
        rate=True, check=each_table(_descending),
    ),
    Rule(
        "SPN110", WARNING, "D", "Key generated in the order of time",
        "UUID versions 1, 6 and 7, ULIDs, KSUIDs and snowflakes begin with the time, so inserts go "
        "to the end of the table, as with timestamps.",
        "{random}",
        "{column} of {object} is filled by {function}, whose values begin with the time.",
        bad="CREATE TABLE T (Id STRING(36) NOT NULL DEFAULT (ids.uuid_v7())) PRIMARY KEY (Id)",
        good="CREATE TABLE T (Id STRING(36) NOT NULL DEFAULT (GENERATE_UUID())) PRIMARY KEY (Id)",
        rate=True, check=each_table(_time_ordered_generator),
    ),
)  # fmt: skip
