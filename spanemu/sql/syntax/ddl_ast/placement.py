"""Databases, schemas, proto bundles, placements, locality groups and statistics."""

from __future__ import annotations

from spanemu.base.record import record
from spanemu.sql.syntax.ast import Identifier, Path
from spanemu.sql.syntax.ddl_ast.parts import DdlStatement, Drop, Options


@record
class CreateDatabase(DdlStatement):
    """CREATE DATABASE name: legal only as the create statement of CreateDatabase."""

    name: Identifier


@record
class AlterDatabase(DdlStatement):
    """ALTER DATABASE name SET OPTIONS (...)."""

    name: Identifier
    options: Options


@record
class CreateSchema(DdlStatement):
    """CREATE [OR REPLACE] SCHEMA [IF NOT EXISTS] name."""

    name: Path
    if_not_exists: bool = False
    or_replace: bool = False


@record
class DropSchema(Drop):
    """DROP SCHEMA."""


@record
class CreateProtoBundle(DdlStatement):
    """CREATE PROTO BUNDLE (type, ...)."""

    types: tuple[Path, ...]


@record
class AlterProtoBundle(DdlStatement):
    """ALTER PROTO BUNDLE [INSERT (...)] [UPDATE (...)] [DELETE (...)]."""

    inserts: tuple[Path, ...] = ()
    updates: tuple[Path, ...] = ()
    deletes: tuple[Path, ...] = ()


@record
class DropProtoBundle(DdlStatement):
    """DROP PROTO BUNDLE."""


@record
class CreatePlacement(DdlStatement):
    """CREATE PLACEMENT name [OPTIONS (...)]."""

    name: Path
    options: Options | None = None
    if_not_exists: bool = False


@record
class AlterPlacement(DdlStatement):
    """ALTER PLACEMENT name SET OPTIONS (...)."""

    name: Path
    options: Options


@record
class DropPlacement(Drop):
    """DROP PLACEMENT."""


@record
class CreateLocalityGroup(DdlStatement):
    """CREATE LOCALITY GROUP name [OPTIONS (...)]."""

    name: Path
    options: Options | None = None
    if_not_exists: bool = False


@record
class AlterLocalityGroup(DdlStatement):
    """ALTER LOCALITY GROUP name SET OPTIONS (...)."""

    name: Path
    options: Options
    if_exists: bool = False


@record
class DropLocalityGroup(Drop):
    """DROP LOCALITY GROUP."""


@record
class AlterStatistics(DdlStatement):
    """ALTER STATISTICS package SET OPTIONS (...)."""

    name: Identifier
    options: Options


@record
class Analyze(DdlStatement):
    """ANALYZE."""
