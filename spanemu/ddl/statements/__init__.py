"""The effects of schema statements: one function per statement, in one table.

A function takes the parsed statement and the schema before the statement, and returns a `Change`.
Functions for proto bundles also take the types that came with the request. A function raises the
first problem that `validators` find. The statements about named objects without rows come from the
table of `kinds`.

Tables: `create_table`, and `alter_table` with its actions in `alter_column` and
`table_properties`; both need `columns` and `constraints`. The rest: `indexes`, `database` (also
named schemas and statistics packages), `grants` and `proto_bundles`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.ddl.change import Change
from spanemu.ddl.kinds import table as kinds
from spanemu.ddl.kinds.kind import Statement
from spanemu.ddl.statements.alter_table import alter_table
from spanemu.ddl.statements.create_table import create_table, drop_table
from spanemu.ddl.statements.database import (
    alter_database,
    alter_statistics,
    analyze,
    create_database,
    create_schema,
    drop_schema,
)
from spanemu.ddl.statements.grants import grant, revoke
from spanemu.ddl.statements.indexes import alter_index, create_index, drop_index
from spanemu.ddl.statements.proto_bundles import (
    alter_proto_bundle,
    create_proto_bundle,
    drop_proto_bundle,
)
from spanemu.ddl.statements.table_properties import rename_tables
from spanemu.schema.objects import ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast

BundleStatement = Callable[[Any, Schema, ProtoTypes], Change]

STATEMENTS: Mapping[type[ddl_ast.DdlStatement], Statement] = {
    **kinds.STATEMENTS,
    ddl_ast.AlterDatabase: alter_database,
    ddl_ast.AlterIndex: alter_index,
    ddl_ast.AlterStatistics: alter_statistics,
    ddl_ast.AlterTable: alter_table,
    ddl_ast.Analyze: analyze,
    ddl_ast.CreateDatabase: create_database,
    ddl_ast.CreateIndex: create_index,
    ddl_ast.CreateSchema: create_schema,
    ddl_ast.CreateTable: create_table,
    ddl_ast.DropIndex: drop_index,
    ddl_ast.DropSchema: drop_schema,
    ddl_ast.DropTable: drop_table,
    ddl_ast.Grant: grant,
    ddl_ast.RenameTables: rename_tables,
    ddl_ast.Revoke: revoke,
}
BUNDLE_STATEMENTS: Mapping[type[ddl_ast.DdlStatement], BundleStatement] = {
    ddl_ast.AlterProtoBundle: alter_proto_bundle,
    ddl_ast.CreateProtoBundle: create_proto_bundle,
    ddl_ast.DropProtoBundle: drop_proto_bundle,
}
