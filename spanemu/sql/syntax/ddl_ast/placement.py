"""Databases, schemas, proto bundles, placements, locality groups and statistics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanemu.sql.syntax.ddl_ast.parts import DdlStatement, Drop, Options

if TYPE_CHECKING:
    from spanemu.sql.syntax.ast import Identifier, Path


@dataclass(frozen=True)
class CreateDatabase(DdlStatement):
    """CREATE DATABASE name: legal only as the create statement of CreateDatabase."""

    name: Identifier


@dataclass(frozen=True)
class AlterDatabase(DdlStatement):
    """ALTER DATABASE name SET OPTIONS (...)."""

    name: Identifier
    options: Options


@dataclass(frozen=True)
class CreateSchema(DdlStatement):
    """CREATE SCHEMA [IF NOT EXISTS] name."""

    name: Path
    if_not_exists: bool = False


@dataclass(frozen=True)
class DropSchema(Drop):
    """DROP SCHEMA."""


@dataclass(frozen=True)
class CreateProtoBundle(DdlStatement):
    """CREATE PROTO BUNDLE (type, ...)."""

    types: tuple[Path, ...]


@dataclass(frozen=True)
class AlterProtoBundle(DdlStatement):
    """ALTER PROTO BUNDLE [INSERT (...)] [UPDATE (...)] [DELETE (...)]."""

    inserts: tuple[Path, ...] = ()
    updates: tuple[Path, ...] = ()
    deletes: tuple[Path, ...] = ()


@dataclass(frozen=True)
class DropProtoBundle(DdlStatement):
    """DROP PROTO BUNDLE."""


@dataclass(frozen=True)
class CreatePlacement(DdlStatement):
    """CREATE PLACEMENT name [OPTIONS (...)]."""

    name: Path
    options: Options | None = None
    if_not_exists: bool = False


@dataclass(frozen=True)
class AlterPlacement(DdlStatement):
    """ALTER PLACEMENT name SET OPTIONS (...)."""

    name: Path
    options: Options


@dataclass(frozen=True)
class DropPlacement(Drop):
    """DROP PLACEMENT."""


@dataclass(frozen=True)
class CreateLocalityGroup(DdlStatement):
    """CREATE LOCALITY GROUP name [OPTIONS (...)]."""

    name: Path
    options: Options | None = None
    if_not_exists: bool = False


@dataclass(frozen=True)
class AlterLocalityGroup(DdlStatement):
    """ALTER LOCALITY GROUP name SET OPTIONS (...)."""

    name: Path
    options: Options
    if_exists: bool = False


@dataclass(frozen=True)
class DropLocalityGroup(Drop):
    """DROP LOCALITY GROUP."""


@dataclass(frozen=True)
class AlterStatistics(DdlStatement):
    """ALTER STATISTICS package SET OPTIONS (...)."""

    name: Identifier
    options: Options


@dataclass(frozen=True)
class Analyze(DdlStatement):
    """ANALYZE."""
