"""CHECK constraints."""

from __future__ import annotations

from dataclasses import replace

from spanemu.ddl.change import Change
from spanemu.ddl.naming import check_name
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.expressions import check_problems
from spanemu.ddl.validators.names import constraint_name_problems
from spanemu.ddl.verifiers import verify_check
from spanemu.schema.check import Check
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast


def add_check(schema: Schema, table_name: str, written: ddl_ast.CheckDefinition) -> Change:
    """A check of a table that is in `schema`, with the check of its rows."""
    table = schema.tables[table_name.lower()]
    if written.name is None:
        name = check_name(schema, table.name)
    else:
        name = written.name.name
        raise_first(constraint_name_problems("Check Constraint", name, table.name, schema))
    check = Check(name, written.expression.text, generated_name=written.name is None)
    raise_first(check_problems(table, check, schema))
    schema = schema.with_table(replace(table, checks=(*table.checks, check)))
    return Change(schema, [verify_check(table.name, check.name)])
