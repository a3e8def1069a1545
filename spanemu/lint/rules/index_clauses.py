"""SPN221, SPN223 and SPN224: clauses of indexes that are missing, too strict, or without effect.

two indexes     one of them would serve the queries of both if it stored more columns
UNIQUE          on the first columns of the primary key, it leaves the rest nothing to tell apart
NULL_FILTERED   on columns that are NOT NULL, it leaves nothing out
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.lint.model import Index, Table
from spanemu.lint.rule import INFO, Hit, Rule, each_index, each_table, hit_on
from spanemu.lint.rules.fixes import add_stored, key_of, without_filter


def _merged_by_storing(table: Table) -> Iterator[Hit]:
    indexes = table.indexes
    for number, index in enumerate(indexes):
        for other_number, other in enumerate(indexes):
            missing = _not_stored(index, other)
            if other is index or not missing or not _would_serve(other, index):
                continue
            if _would_serve(index, other) and (
                other_number > number or not _not_stored(other, index)
            ):
                continue  # The pair is reported once; SPN209 reports an index that is covered.
            yield hit_on(
                index,
                other=other.name,
                stored=", ".join(missing),
                add=add_stored(other, missing),
                opt_in=index.directions != other.directions,
            )
            break


def _would_serve(other: Index, index: Index) -> bool:
    """Return whether `other` serves the queries of `index`, apart from the columns it stores."""
    mine, theirs = index.directions, other.directions
    if mine != theirs[: len(mine)] or index.filter != other.filter or index.home != other.home:
        return False
    whole = len(mine) == len(theirs)
    return (whole or not index.null_filtered) and (not index.unique or (whole and other.unique))


def _not_stored(index: Index, other: Index) -> list[str]:
    """Return the columns that `index` stores and `other` does not have."""
    carried = {*other.storing, *other.key_names, *index.table.key_names}
    columns = (index.table.column(name) for name in index.storing if name not in carried)
    return [column.name for column in columns if column is not None]


def _unique_prefix(index: Index) -> Iterator[Hit]:
    table, names = index.table, frozenset(index.key_names)
    count = len(names)
    if not index.unique or count >= len(table.key_names) or _excepts_null(index):
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


def _excepts_null(index: Index) -> bool:
    """Return whether rows with NULL in the key are exempt from the uniqueness of an index."""
    columns = [part.column for part in index.key]
    nullable = any(column is None or not column.not_null for column in columns)
    return nullable and any(index.filter)


def _filters_nothing(index: Index) -> Iterator[Hit]:
    filtered = {*index.where_not_null, *(index.key_names if index.null_filtered else ())}
    columns = [index.table.column(name) for name in sorted(filtered)]
    if columns and all(column is not None and column.not_null for column in columns):
        names = ", ".join(column.name for column in columns if column is not None)
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
        "{add}; DROP INDEX {object}, after the hints that name it (FORCE_INDEX)",
        "{other} would serve every query of {object} if it also stored {stored}.",
        bad=f"{_USERS}CREATE INDEX ByEmail ON Users(Email) STORING (Name);\n"
        "CREATE INDEX ByEmailAge ON Users(Email) STORING (Age)",
        good=f"{_USERS}CREATE INDEX ByEmail ON Users(Email) STORING (Name);\n"
        "CREATE INDEX ByEmailAge ON Users(Email DESC) STORING (Age)",
        check=each_table(_merged_by_storing),
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
        check=each_index(_filters_nothing),
    ),
)  # fmt: skip
