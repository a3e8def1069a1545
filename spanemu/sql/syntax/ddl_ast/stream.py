"""Sequences and change streams."""

from __future__ import annotations

from dataclasses import field

from spanemu.base.record import record
from spanemu.sql.syntax.ast import Identifier, Node, Path
from spanemu.sql.syntax.ddl_ast.parts import DdlStatement, Drop, Options, SequenceClauses


@record
class CreateSequence(DdlStatement):
    """CREATE SEQUENCE with clauses, with options, or (wrongly) with both."""

    name: Path
    clauses: SequenceClauses = field(default_factory=SequenceClauses)
    options: Options | None = None
    if_not_exists: bool = False


@record
class AlterSequence(DdlStatement):
    """ALTER SEQUENCE name {SET OPTIONS (...) | clauses}."""

    name: Path
    clauses: SequenceClauses = field(default_factory=SequenceClauses)
    options: Options | None = None
    if_exists: bool = False


@record
class DropSequence(Drop):
    """DROP SEQUENCE."""


@record
class WatchedTable(Node):
    """`table` (all columns, `columns` is None), `table()` (the key only) or `table(a, b)`."""

    table: Path
    columns: tuple[Identifier, ...] | None = None


@record
class ChangeStreamFor(Node):
    """FOR ALL, or FOR tables."""

    all: bool = False
    tables: tuple[WatchedTable, ...] = ()


@record
class CreateChangeStream(DdlStatement):
    """CREATE CHANGE STREAM; `watches` is None without a FOR clause."""

    name: Path
    watches: ChangeStreamFor | None = None
    options: Options | None = None
    if_not_exists: bool = False


@record
class AlterChangeStream(DdlStatement):
    """ALTER CHANGE STREAM: exactly one of SET FOR, DROP FOR ALL and SET OPTIONS."""

    name: Path
    watches: ChangeStreamFor | None = None
    drop_for_all: bool = False
    options: Options | None = None


@record
class DropChangeStream(Drop):
    """DROP CHANGE STREAM."""
