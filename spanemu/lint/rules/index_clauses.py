"""SPN221, SPN223 and SPN224: clauses of indexes that are missing, too strict, or without effect.

    STORING         further columns, one of two indexes would serve the queries of both
    UNIQUE          on the first columns of the primary key, the rest of the key tells no rows apart
    NULL_FILTERED   on columns that are NOT NULL, it leaves out no row

Not here: indexes that nothing needs (`index_shape`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spanemu.lint.model import Index, Schema
from spanemu.lint.rule import INFO, Hit, Rule, each_index, hit_on
from spanemu.lint.rules.fixes import add_stored, drop, key_of, without_filter
from spanemu.lint.rules.index_shape import not_stored, redundant_names, serves_but_for_columns


def _merged_by_storing(schema: Schema) -> Iterator[Hit]:
    dropped = redundant_names(schema)  # SPN209 reports them.
    for table in schema.tables.values():
        indexes = [index for index in table.indexes if index.name not in dropped]
        for number, index in enumerate(indexes):
            replacing = [
                other
                for other_number, other in enumerate(indexes)
                if other is not index
                and serves_but_for_columns(other, index)
                and (other_number < number or not serves_but_for_columns(index, other))
            ]
            if replacing:  # A unique index stays, so that all others merge into it.
                yield _merged(index, max(replacing, key=lambda other: other.unique))


def _merged(index: Index, other: Index) -> Hit:
    """Return the hit on an index whose columns `other` could store."""
    missing = not_stored(index, other)
    facts = {"add": add_stored(other, missing), "drop": drop(index)}
    weak = index.directions != other.directions or index.is_in_hint
    return hit_on(index, other=other.name, stored=", ".join(missing), opt_in=weak, **facts)


def _unique_prefix(index: Index) -> Iterator[Hit]:
    table, names = index.table, frozenset(index.key_names)
    count = len(names)
    if not index.unique or count >= len(table.key_names) or index.omits_rows:
        return
    if frozenset(table.key_names[:count]) == names:
        prefix, rest = table.key[:count], table.key[count:]
        parent = table.parent
        apart = parent is not None and count < len(parent.key_names)
        yield hit_on(
            index,
            table=table.name,
            columns=", ".join(part.name for part in prefix),
            rest=", ".join(part.name for part in rest),
            key=key_of(prefix),
            apart=" and is not interleaved" if apart else "",
        )


def _filters_nothing(schema: Schema) -> Iterator[Hit]:
    dropped = redundant_names(schema)  # SPN209 says to drop them.
    for hit in each_index(_filter_without_effect)(schema):
        yield replace(hit, opt_in=True) if hit.object in dropped else hit


def _filter_without_effect(index: Index) -> Iterator[Hit]:
    if index.omits_rows:
        return
    filtered = {*index.where_not_null, *(index.key_names if index.null_filtered else ())}
    columns = filter(None, map(index.table.column, sorted(filtered)))
    if names := ", ".join(column.name for column in columns):
        yield hit_on(index, table=index.table.name, columns=names, create=without_filter(index))


_USERS = (
    "CREATE TABLE Users (Id INT64 NOT NULL, Email STRING(64), Name STRING(64), Age INT64) "
    "PRIMARY KEY (Id);\n"
)
_ITEMS = (
    "CREATE TABLE Items (OrderId STRING(36) NOT NULL, Line INT64 NOT NULL) "
    "PRIMARY KEY (OrderId, Line);\n"
)

RULES = (
    Rule(
        "SPN221", INFO, "DQ", "Two indexes where one could store the columns of both",
        "Both indexes have the same order and differ in the columns they store. Each index is one "
        "more participant of every write.",
        "{add}; {drop}",
        "{other} would serve every query of {object} if it also stored {stored}.",
        bad=f"{_USERS}CREATE INDEX ByEmail ON Users(Email) STORING (Name);\n"
        "CREATE INDEX ByEmailAge ON Users(Email) STORING (Age)",
        good=f"{_USERS}CREATE INDEX ByEmail ON Users(Email) STORING (Name);\n"
        "CREATE INDEX ByEmailAge ON Users(Email DESC) STORING (Age)",
        check=_merged_by_storing,
    ),
    Rule(
        "SPN223", INFO, "D", "Unique index on the first columns of the primary key",
        "The index allows one row for each value of these columns, so the other key columns tell "
        "no rows apart. Either the index is stricter than intended, or the key is longer than "
        "necessary and the index an extra cost of every write.",
        "A table with PRIMARY KEY ({key}), which needs no such index{apart}; if several rows are "
        "intended, an index that is not UNIQUE",
        "{object} allows one row of {table} for each {columns}, so {rest}, the rest of the key, "
        "tells no rows apart.",
        bad=f"{_ITEMS}CREATE UNIQUE INDEX ByOrder ON Items(OrderId)",
        good=f"{_ITEMS}CREATE UNIQUE INDEX ByLine ON Items(Line)",
        check=each_index(_unique_prefix),
    ),
    Rule(
        "SPN224", INFO, "D", "Index that filters NULL from columns without NULL",
        "The index leaves out no row. But it is a filtered index, which the optimizer may use "
        "only where it can prove that a query excludes NULL.",
        "{create}",
        "{object} leaves out rows with NULL in {columns}, but {table} has no such rows.",
        bad="CREATE TABLE Users (Id INT64 NOT NULL, Email STRING(64) NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE NULL_FILTERED INDEX ByEmail ON Users(Email)",
        good="CREATE TABLE Users (Id INT64 NOT NULL, Email STRING(64)) PRIMARY KEY (Id);\n"
        "CREATE NULL_FILTERED INDEX ByEmail ON Users(Email)",
        check=_filters_nothing,
    ),
)  # fmt: skip
