"""What each statement changes: one function per statement, found in one table.

A function takes the parsed statement and the schema before it, and returns a `Change`. It raises
the first problem that `validators` find.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from spanemu.ddl.change import Change
from spanemu.ddl.statements.create_index import create_index
from spanemu.ddl.statements.create_table import create_table
from spanemu.ddl.statements.drop import drop_index, drop_table
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast

Statement = Callable[[Any, Schema], Change]

STATEMENTS: Mapping[type[ddl_ast.DdlStatement], Statement] = {
    ddl_ast.CreateIndex: create_index,
    ddl_ast.CreateTable: create_table,
    ddl_ast.DropIndex: drop_index,
    ddl_ast.DropTable: drop_table,
}


def statement_kind(statement: ddl_ast.DdlStatement) -> str:
    """The words that a statement begins with: CREATE CHANGE STREAM."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(statement).__name__).upper()
