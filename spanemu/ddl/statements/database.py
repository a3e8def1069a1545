"""ALTER DATABASE, and CREATE DATABASE where it does not belong."""

from __future__ import annotations

from typing import NoReturn

from spanemu.ddl.change import Change
from spanemu.ddl.errors.objects import CreateDatabaseMisplaced
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.database_options import (
    OPTIONS,
    option_problems,
    retention_nanos,
)
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast


def alter_database(statement: ddl_ast.AlterDatabase, schema: Schema) -> Change:
    """Set options of the database; NULL resets an option to its default.

    Whether the name is the database's own, `ddl.apply.plan_batch` checks: a schema has no name.
    """
    database = statement.name.name
    options = dict(schema.options)
    for name, value in ddl_ast.options_by_name(statement.options).items():
        raise_first(option_problems(name, value, schema))
        if value is None:
            options.pop(name, None)
        else:
            options[name] = value
        if name == "version_retention_period":
            options.pop("version_retention_nanos", None)
            if value is not None:
                options["version_retention_nanos"] = retention_nanos(value)
    if options == schema.options:
        return Change(schema, database=database)
    assert options.keys() <= OPTIONS.keys() | {"version_retention_nanos"}
    return Change(schema.next(options=options), database=database)


def create_database(statement: ddl_ast.CreateDatabase, schema: Schema) -> NoReturn:
    """Only a request of its own creates a database."""
    raise CreateDatabaseMisplaced(statement.name.name)
