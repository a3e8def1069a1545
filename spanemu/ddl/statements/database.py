"""Statements about databases, statistics packages and named schemas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NoReturn

from spanemu.base.clock import NANOS_PER_SECOND, period_nanos
from spanemu.ddl.change import Change
from spanemu.ddl.errors.objects import (
    CreateDatabaseMisplaced,
    ObjectOptionMissing,
    SchemaNotEmpty,
    SchemaNotFound,
    StatisticsPackageNotFound,
)
from spanemu.ddl.kinds.kind import privilege_problems
from spanemu.ddl.naming import schema_name_problems, schema_part
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.options import (
    OPTIONS,
    TRUE_OR_FALSE,
    changed_options,
    distinct_options,
    option_problems,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.objects import SHARED_NAMES
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast


def alter_database(statement: ddl_ast.AlterDatabase, schema: Schema) -> Change:
    """Set options of the database; NULL resets an option to its default.

    `database.schema_changes` refuses the name of another database: a schema has no name.
    """
    database = statement.name.name
    options, packages = dict(schema.options), schema.statistics
    for name, value in distinct_options(statement.options).items():
        raise_first(option_problems(name, value, schema))
        if name == "optimizer_statistics_package" and value is not None:
            packages = _with_package(packages, str(value))
        if value is None:
            options.pop(name, None)
        else:
            options[name] = value
        if name == "version_retention_period":
            options.pop("version_retention_nanos", None)
            if value is not None:
                options["version_retention_nanos"] = period_nanos(value)
    if options == schema.options:
        return Change(schema, database=database)
    assert options.keys() <= OPTIONS.keys() | {"version_retention_nanos"}
    return Change(schema.next(options=options, statistics=packages), database=database)


def create_database(statement: ddl_ast.CreateDatabase, schema: Schema) -> NoReturn:
    """Raise CreateDatabaseMisplaced, because only its own request creates a database."""
    raise CreateDatabaseMisplaced(statement.name.name)


_KIND = "Statistics package"

# The service names its packages by time. A statement may name any such package: the schema of a
# database at the service names some that only exist there.
_PACKAGE = re.compile(r"(auto|analyze)_\d{8}_\d\d_\d\d_\d\dUTC")


def _with_package(packages: Mapping[str, bool], name: str) -> Mapping[str, bool]:
    """Return the packages (allow_gc by name) with one that a statement names.

    Raises StatisticsPackageNotFound.
    """
    if name in packages:
        return packages
    if _PACKAGE.fullmatch(name) is None:
        raise StatisticsPackageNotFound(name)
    return {**packages, name: True}


def alter_statistics(statement: ddl_ast.AlterStatistics, schema: Schema) -> Change:
    """Set whether a statistics package may be collected when newer packages exist."""
    name = statement.name.name
    packages = _with_package(schema.statistics, name)
    options = changed_options((_KIND, name), statement.options, {"allow_gc": TRUE_OR_FALSE})
    if "allow_gc" not in options:
        raise ObjectOptionMissing(_KIND, name, "allow_gc")
    allowed = options["allow_gc"]
    if schema.statistics.get(name) is allowed:
        return Change(schema)
    return Change(schema.next(statistics={**packages, name: allowed}))


def analyze(statement: ddl_ast.Analyze, schema: Schema) -> Change:
    """Add a statistics package that is named by the time of the change.

    It has no content, because the optimizer always has current statistics.
    """
    return Change(schema, dated=partial(_with_analysis, schema))


def _with_analysis(schema: Schema, at: int) -> Schema:
    """Return the schema with a new package of a time (nanoseconds), or of the next free second."""
    moment = datetime.fromtimestamp(at // NANOS_PER_SECOND, UTC)
    while (name := f"analyze_{moment:%Y%m%d_%H_%M_%S}UTC") in schema.statistics:
        moment += timedelta(seconds=1)
    return schema.next(statistics={**schema.statistics, name: True})


def create_schema(statement: ddl_ast.CreateSchema, schema: Schema) -> Change:
    """Create a named schema, a namespace for objects; OR REPLACE changes nothing."""
    name, named = str(statement.name), schema.named_schemas
    known = schema.in_any_case(named, name)
    if known is not None and (statement.if_not_exists or statement.or_replace):
        return Change(schema)
    raise_first(schema_name_problems(name, schema))
    return Change(schema.next(named_schemas={**named, schema.fold(name): name}))


def drop_schema(statement: ddl_ast.DropSchema, schema: Schema) -> Change:
    """Drop empty named schemas."""
    for path in (statement.name, *statement.others):
        schema = _without_schema(str(path), schema, if_exists=statement.if_exists)
    return Change(schema)


def _addressed_schema(name: str, schema: Schema) -> str | None:
    if schema.fold is GOOGLE_STANDARD_SQL.fold:
        return name if schema.named_schemas.get(schema.fold(name)) == name else None
    return schema.in_any_case(schema.named_schemas, name)


def _without_schema(written: str, schema: Schema, *, if_exists: bool) -> Schema:
    name = _addressed_schema(written, schema)
    if name is None:
        if if_exists:
            return schema
        raise SchemaNotFound(written)
    objects = [other for other in _object_names(schema) if schema_part(other) == name]
    if objects:
        raise SchemaNotEmpty(name, ", ".join(objects))
    raise_first(privilege_problems(schema, "SCHEMA", name))
    left = {key: other for key, other in schema.named_schemas.items() if other != name}
    return schema.next(named_schemas=left)


def _object_names(schema: Schema) -> list[str]:
    tables = schema.tables.values()
    return [
        *(table.name for table in tables),
        *(synonym for table in tables for synonym in table.synonyms),
        *(index.name for index in schema.indexes.values() if not index.is_managed),
        *(source.name for field in SHARED_NAMES for source in getattr(schema, field).values()),
    ]
