"""What each statement changes: one function per statement, found in one table.

A function takes the parsed statement and the schema before it, and returns a `Change`. It raises
the first problem that `validators` find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from spanemu.ddl.change import Change
from spanemu.ddl.statements.alter_index import alter_index
from spanemu.ddl.statements.alter_table import alter_table
from spanemu.ddl.statements.create_index import create_index
from spanemu.ddl.statements.create_table import create_table
from spanemu.ddl.statements.database import alter_database, analyze, create_database
from spanemu.ddl.statements.drop import drop_index, drop_table
from spanemu.ddl.statements.named_schemas import create_schema, drop_schema
from spanemu.ddl.statements.rename import rename_tables
from spanemu.ddl.statements.sequences import alter_sequence, create_sequence, drop_sequence
from spanemu.ddl.statements.views import create_view, drop_view
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast

Statement = Callable[[Any, Schema], Change]

STATEMENTS: Mapping[type[ddl_ast.DdlStatement], Statement] = {
    ddl_ast.AlterDatabase: alter_database,
    ddl_ast.AlterIndex: alter_index,
    ddl_ast.AlterSequence: alter_sequence,
    ddl_ast.AlterTable: alter_table,
    ddl_ast.Analyze: analyze,
    ddl_ast.CreateDatabase: create_database,
    ddl_ast.CreateIndex: create_index,
    ddl_ast.CreateSchema: create_schema,
    ddl_ast.CreateSequence: create_sequence,
    ddl_ast.CreateTable: create_table,
    ddl_ast.CreateView: create_view,
    ddl_ast.DropIndex: drop_index,
    ddl_ast.DropSchema: drop_schema,
    ddl_ast.DropSequence: drop_sequence,
    ddl_ast.DropTable: drop_table,
    ddl_ast.DropView: drop_view,
    ddl_ast.RenameTables: rename_tables,
}


def statement_kind(statement: ddl_ast.DdlStatement) -> str:
    """The words that a statement begins with: CREATE CHANGE STREAM."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(statement).__name__).upper()
