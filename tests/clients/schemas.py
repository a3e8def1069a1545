"""Schemas that clients look at, and what each declares.

Those of `fixtures/`, and one of sixty tables with every kind of column, key and index that a
client can reflect. What is declared is read off the syntax of the statements, so that it does not
rest on the system tables that clients ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spanemu.ddl import parse
from spanemu.sql.googlesql.ast import TypeName
from spanemu.sql.ddl_ast import (ColumnDefinition, CreateIndex, CreateTable, ForeignKeyDefinition, options_by_name)

FIXTURES = Path(__file__).parents[2] / "fixtures"
SIXTY_TABLES = 60


@dataclass(frozen=True)
class Column:
    """`type` as DDL writes it."""

    name: str
    type: str
    nullable: bool
    default: str | None = None
    generated: str | None = None
    commit_timestamp: bool = False


@dataclass(frozen=True)
class Index:
    """`key` is (column, whether it descends)."""

    key: tuple[tuple[str, bool], ...]
    unique: bool
    storing: frozenset[str]
    parent: str | None = None


@dataclass(frozen=True)
class ForeignKey:
    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]


@dataclass
class Table:
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    parent: str | None = None
    cascade: bool = False
    indexes: dict[str, Index] = field(default_factory=dict)
    foreign_keys: dict[str, ForeignKey] = field(default_factory=dict)


def declared(ddl: str) -> Mapping[str, Table]:
    """Return the tables that statements declare, by name, in their order."""
    tables: dict[str, Table] = {}
    for statement in parse(ddl):
        tree = statement.tree
        if isinstance(tree, CreateTable):
            tables[str(tree.name)] = _table(tree)
        elif isinstance(tree, CreateIndex):
            tables[str(tree.table)].indexes[str(tree.name)] = _index(tree)
    return tables


def _table(tree: CreateTable) -> Table:
    interleave = tree.interleave
    return Table(
        columns=tuple(map(_column, tree.columns)),
        key=tuple(part.column.name for part in tree.primary_key or ()),
        parent=None if interleave is None else str(interleave.table),
        cascade=interleave is not None and str(interleave.on_delete) == "CASCADE",
        foreign_keys={
            one.name.name: ForeignKey(
                tuple(column.name for column in one.columns),
                str(one.referenced_table),
                tuple(column.name for column in one.referenced_columns),
            )
            for one in tree.constraints
            if isinstance(one, ForeignKeyDefinition) and one.name is not None
        },
    )


def _column(tree: ColumnDefinition) -> Column:
    return Column(
        name=tree.name.name,
        type=_type_text(tree.type),
        nullable=not tree.not_null,
        default=None if tree.default is None else tree.default.text,
        generated=None if tree.generated is None else tree.generated.text,
        commit_timestamp=options_by_name(tree.options).get("allow_commit_timestamp") is True,
    )


def _index(tree: CreateIndex) -> Index:
    return Index(
        key=tuple((part.column.name, part.descending) for part in tree.key),
        unique=tree.unique,
        storing=frozenset(column.name for column in tree.storing),
        parent=None if tree.interleave is None else str(tree.interleave.table),
    )


def _type_text(type_: TypeName) -> str:
    if type_.element is not None:
        return f"ARRAY<{_type_text(type_.element)}>"
    assert type_.path is not None
    name = str(type_.path)
    return name if type_.length is None else f"{name}({type_.length})"


def _sixty_tables() -> str:
    """Return twelve groups of five tables; each refers to the group before it."""
    statements = []
    for group in range(SIXTY_TABLES // 5):
        before = max(group - 1, 0)
        statements += [
            f"""CREATE TABLE Root{group} (
              Id INT64 NOT NULL, Code STRING({10 + group}) NOT NULL, Note STRING(MAX),
              Photo BYTES({100 + group}), Scan BYTES(MAX), Good BOOL, Ratio FLOAT64, Day DATE,
              Happened TIMESTAMP NOT NULL, Price NUMERIC, Facts JSON
            ) PRIMARY KEY (Id)""",
            f"CREATE UNIQUE INDEX Root{group}ByCode ON Root{group} (Code)",
            f"""CREATE TABLE Part{group} (
              Id INT64 NOT NULL, PartId STRING(36) NOT NULL, Size INT64, Tags ARRAY<STRING(20)>,
              Changed TIMESTAMP OPTIONS (allow_commit_timestamp = true)
            ) PRIMARY KEY (Id, PartId), INTERLEAVE IN PARENT Root{group} ON DELETE CASCADE""",
            f"CREATE INDEX Part{group}BySize ON Part{group} (Id, Size DESC), INTERLEAVE IN Root{group}",
            f"""CREATE TABLE Piece{group} (
              Id INT64 NOT NULL, PartId STRING(36) NOT NULL, PieceNo INT64 NOT NULL, Words STRING(80)
            ) PRIMARY KEY (Id, PartId, PieceNo), INTERLEAVE IN PARENT Part{group}""",
            f"""CREATE TABLE Link{group} (
              LinkId STRING(36) NOT NULL DEFAULT (GENERATE_UUID()), RootId INT64 NOT NULL,
              State STRING(10) NOT NULL DEFAULT ('NEW'), Code STRING({10 + before}),
              Weight INT64 NOT NULL,
              CONSTRAINT Link{group}Weight CHECK (Weight > {group}),
              CONSTRAINT Link{group}Root FOREIGN KEY (RootId) REFERENCES Root{before} (Id),
              CONSTRAINT Link{group}Code FOREIGN KEY (Code) REFERENCES Root{before} (Code)
            ) PRIMARY KEY (LinkId)""",
            f"""CREATE INDEX Link{group}ByState ON Link{group} (State DESC, Weight)
              STORING (RootId, Code)""",
            f"""CREATE TABLE Sum{group} (
              LinkId STRING(36) NOT NULL, Net INT64 NOT NULL, Tax INT64 NOT NULL,
              Gross INT64 AS (Net + Tax) STORED, Many ARRAY<INT64>,
              CONSTRAINT Sum{group}Link FOREIGN KEY (LinkId) REFERENCES Link{group} (LinkId)
            ) PRIMARY KEY (LinkId)""",
        ]
    return ";\n".join(statements)


DDL: Mapping[str, str] = {
    **{
        name: (FIXTURES / f"{name}.sql").read_text()
        for name in ("music", "orders", "access_log_good", "access_log_bad")
    },
    "sixty": _sixty_tables(),
}
