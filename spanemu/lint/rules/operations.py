"""SPN701 to SPN706: batches of statements, migrations, and tables per tenant."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import is_known, like_reference
from spanemu.lint.model import Change, Schema, Table
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_table, hit_on
from spanemu.lint.source import Position, Statement
from spanemu.sql import ddl_ast

_SUFFIX = re.compile(r"(_[A-Za-z0-9]+|\d+)$")


def _per_tenant(schema: Schema) -> Iterator[Hit]:
    groups: dict[tuple[str, object], list[Table]] = defaultdict(list)
    for table in schema.tables.values():
        stem = _SUFFIX.sub("", fold(table.name))
        if stem != fold(table.name):
            groups[stem, _shape(table)].append(table)
    for (stem, _), tables in groups.items():
        if len(tables) >= schema.settings.tenants_min:
            names = ", ".join(table.name for table in tables[:3])
            weak = _are_kinds(schema, stem, tables)
            yield hit_on(tables[0], count=len(tables), names=names, opt_in=weak)


def _are_kinds(schema: Schema, stem: str, tables: Sequence[Table]) -> bool:
    """Return whether similar tables probably hold things of several kinds, not several tenants.

    The prefix of ref_country and ref_currency is that of lookup tables, most of the suffixes are
    common words, other tables refer to them, or they refer to another of their names.
    """
    if like_reference(stem.rpartition(".")[2]):
        return True
    suffixes = [table.name[len(stem) :].strip("_") for table in tables]
    if 2 * sum(map(is_known, suffixes)) >= len(suffixes):
        return True
    group = {fold(table.name) for table in tables}
    references = (
        (fold(table.name), fold(str(key.referenced_table)))
        for table in schema.tables.values()
        for key, _ in table.foreign_keys
    )
    return any(
        name != other and (other in group if name not in group else _SUFFIX.sub("", other) == stem)
        for name, other in references
    )


def _shape(table: Table) -> object:
    columns = tuple((name, column.type) for name, column in table.columns.items())
    return columns, table.key_names


def _batch(schema: Schema) -> Iterator[Hit]:
    """Yield a hit for each batch (a file) at its first affected statement, with their number."""
    for _, changes in groupby(schema.changes, lambda change: change.statement.source):
        batch = list(changes)
        late = list(_late_indexes(batch))
        if late:
            facts = {"reason": f"{len(late)} indexes are not created directly after their tables"}
            yield replace(_on_index(late[0], facts), opt_in=True)
        backfills = [change for change in batch if _reads_table(change)]
        if len(backfills) > schema.settings.backfills_max:
            facts = {"reason": f"{len(backfills)} statements in one batch read whole tables"}
            yield _on_index(backfills[0], facts)


def _late_indexes(batch: Sequence[Change]) -> Iterator[Change]:
    """Yield indexes that are created after the creation of a later table than their own."""
    created: set[Statement] = set()
    last: Statement | None = None
    for change in batch:
        if isinstance(change.tree, ddl_ast.CreateTable):
            last = change.statement
            created.add(last)
        elif (
            isinstance(change.tree, ddl_ast.CreateIndex)
            and change.table is not None
            and change.table.statement is not last
            and change.table.statement in created
        ):
            yield change


def _on_index(change: Change, facts: Mapping[str, object]) -> Hit:
    name = getattr(change.tree, "name", None)
    shown = "the batch" if name is None else str(name)
    return Hit(Position(change.statement, 0), shown, facts=facts)


def _reads_table(change: Change) -> bool:
    """Return whether a change backfills a table that no file declares.

    Declared tables do not count, because a schema in several files is often a single batch.
    """
    return change.table is None and bool(_backfill(change))


def _backfill(change: Change) -> str:
    """Return how a migration step processes existing rows; "" if it does not."""
    match change.tree:
        case ddl_ast.IndexDefinition():
            return "fills an index"
        case ddl_ast.AlterTable(action=ddl_ast.AddConstraint()):
            return "checks every row"
        case ddl_ast.AlterTable(action=ddl_ast.AddColumn(column=column)) if column.stored:
            return "fills a generated column"
        case ddl_ast.AlterTable(action=ddl_ast.RedefineColumn()):
            return "checks every row against the new type"
        case ddl_ast.AlterIndex(action=ddl_ast.AddIndexColumn()):
            return "fills a column of an index"
    return ""


def _migration(schema: Schema) -> Iterator[Hit]:
    for change in schema.changes:
        if not change.is_of_new_table and (what := _backfill(change)):
            yield Hit(Position(change.statement), _object_name(change), facts={"what": what})


def _object_name(change: Change) -> str:
    """Return the name of the table or other object that a statement changes."""
    tree = change.tree
    named = getattr(tree, "table", None) or getattr(tree, "name", None)
    return str(named)


def _no_split_points(table: Table) -> Iterator[Hit]:
    known = table.schema.settings.of(table.name)
    hot = table.statement.high_rate or known.qps > table.schema.settings.server_writes_max
    if hot and not known.presplit:
        yield hit_on(table, points=10 * table.schema.settings.nodes)


def _key_change(schema: Schema) -> Iterator[Hit]:
    for change in schema.changes:
        if not isinstance(change.tree, ddl_ast.AlterTable):
            continue
        key = () if change.table is None else change.table.key_names
        match change.tree.action:
            case ddl_ast.DropColumn(column=column) if fold(column.name) in key:
                what, name = "drops", column.name
            case ddl_ast.AddColumn(column=column) if column.primary_key:
                what, name = "adds", column.name.name
            case ddl_ast.RedefineColumn(column=column) if column.primary_key:
                what, name = "makes a key of", column.name.name
            case _:
                continue
        position = Position(change.statement, change.tree.action.at)
        yield Hit(position, str(change.tree.name), name, facts={"what": what})


_ONE = "CREATE TABLE A (Id STRING(64) NOT NULL, X INT64) PRIMARY KEY (Id)"
_TWO = "CREATE TABLE B (Id STRING(64) NOT NULL, X INT64) PRIMARY KEY (Id)"

RULES = (
    Rule(
        "SPN701", WARNING, "D", "A table per tenant",
        "The number of tables and indexes is limited, and their creation is slow. A single table "
        "with the tenant first in its key also keeps each tenant's rows together.",
        "One table with what the suffix stands for, such as TenantId, as the first key column",
        "{count} tables have the same columns and names that differ only in the suffix: {names}.",
        bad=";\n".join(
            f"CREATE TABLE Orders_{n} (Id STRING(64) NOT NULL) PRIMARY KEY (Id)"
            for n in ("acme", "cama", "eagan")
        ),
        good=";\n".join(
            f"CREATE TABLE Orders_{n} (Id STRING(64) NOT NULL) PRIMARY KEY (Id)"
            for n in ("acme", "cama")
        ),
        check=_per_tenant,
    ),
    Rule(
        "SPN702", WARNING, "D", "Order of a batch",
        "An index that is created directly after its table costs nothing. A later index needs a "
        "backfill, and Spanner recommends at most a few backfills a day.",
        "Each index directly after its table; few backfills in a batch",
        "Order of the batch, beginning with {object}: {reason}.",
        bad=f"{_ONE};\n{_TWO};\nCREATE INDEX AByX ON A(X)",
        good=f"{_ONE};\nCREATE INDEX AByX ON A(X);\n{_TWO}",
        check=_batch,
    ),
    Rule(
        "SPN703", INFO, "D", "Hot table that begins as a single split",
        "A new table is one split, and Spanner splits it only after minutes of load. Split points, "
        "added twelve hours to seven days before the launch, spread the load at once.",
        "AddSplitPoints, about {points} of them, before the launch",
        "{object} is expected to have a high rate of writes, and begins as one split.",
        bad="-- spanemu: high-rate\n" + _ONE,
        good=_ONE,
        rate=True, check=each_table(_no_split_points),
    ),
    Rule(
        "SPN705", INFO, "D", "Migration step that reads the whole table",
        "Adding a constraint, an index or a stored generated column, or narrowing a type, "
        "reads every existing row.",
        "Off-peak, together in one batch, a few of them a week",
        "The step {what} of {object}.",
        bad="ALTER TABLE Orders ADD CONSTRAINT Positive CHECK (Quantity > 0)",
        good="ALTER TABLE Orders ADD COLUMN Note STRING(64)",
        opt_in=True, check=_migration,
    ),
    Rule(
        "SPN706", ERROR, "D", "Migration that changes a key",
        "Key columns cannot be added, dropped or reordered; children and indexes depend on them.",
        "A new table with the right key, and a copy of the rows",
        "The step {what} {column} in the key of {object}; keys cannot change.",
        bad=f"{_ONE};\nALTER TABLE A DROP COLUMN Id",
        good=f"{_ONE};\nALTER TABLE A DROP COLUMN X",
        check=_key_change,
    ),
)  # fmt: skip
