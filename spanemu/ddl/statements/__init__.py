"""The effects of schema statements: one function per statement, in one table.

A function takes the parsed statement and the schema before the statement, and returns a `Change`.
Functions for proto bundles also take the types that came with the request. A function raises the
first problem that `validators` find. The statements about named objects without rows are in the
table of `kinds`. Every module but that of CREATE TABLE is imported with its first statement.

Tables: `create_table`, and `alter_table`, whose actions on columns are in `alter_column`; both need
`columns` and `constraints`, and `queues` reuses both. The rest: `indexes`, `database` (also named
schemas and statistics packages), `grants` and `proto_bundles`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.deferred import deferred
from spanemu.ddl.change import Change
from spanemu.ddl.kinds import table as kinds
from spanemu.ddl.statements import (
    alter_table,
    create_table,
    database,
    grants,
    indexes,
    proto_bundles,
    queues,
)
from spanemu.schema.objects import ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast

Statement = Callable[[Any, Schema], Change]
BundleStatement = Callable[[Any, Schema, ProtoTypes], Change]

# The statements about tables, indexes and the database. Those about other objects are in the
# tables of `kinds`.
STATEMENTS: Mapping[type[ddl_ast.DdlStatement], Statement] = {
    ddl_ast.AlterDatabase: deferred(lambda: database.alter_database),
    ddl_ast.AlterIndex: deferred(lambda: indexes.alter_index),
    ddl_ast.AlterQueue: deferred(lambda: queues.alter_queue),
    ddl_ast.AlterStatistics: deferred(lambda: database.alter_statistics),
    ddl_ast.AlterTable: deferred(lambda: alter_table.alter_table),
    ddl_ast.Analyze: deferred(lambda: database.analyze),
    ddl_ast.CreateDatabase: deferred(lambda: database.create_database),
    ddl_ast.CreateIndex: deferred(lambda: indexes.create_index),
    ddl_ast.CreateQueue: deferred(lambda: queues.create_queue),
    ddl_ast.CreateSchema: deferred(lambda: database.create_schema),
    ddl_ast.CreateTable: create_table.create_table,
    ddl_ast.DropIndex: deferred(lambda: indexes.drop_index),
    ddl_ast.DropQueue: deferred(lambda: queues.drop_queue),
    ddl_ast.DropSchema: deferred(lambda: database.drop_schema),
    ddl_ast.DropTable: create_table.drop_table,
    ddl_ast.Grant: deferred(lambda: grants.grant),
    ddl_ast.RenameTables: deferred(lambda: alter_table.rename_tables),
    ddl_ast.Revoke: deferred(lambda: grants.revoke),
}
BUNDLE_STATEMENTS: Mapping[type[ddl_ast.DdlStatement], BundleStatement] = {
    ddl_ast.AlterProtoBundle: deferred(lambda: proto_bundles.alter_proto_bundle),
    ddl_ast.CreateProtoBundle: deferred(lambda: proto_bundles.create_proto_bundle),
    ddl_ast.DropProtoBundle: deferred(lambda: proto_bundles.drop_proto_bundle),
}


def run_statement(statement: ddl_ast.DdlStatement, schema: Schema, sent: ProtoTypes) -> Change:
    """Return the effect of a statement; `sent` are the types that came with the request."""
    kind = type(statement)
    if kind in BUNDLE_STATEMENTS:
        return BUNDLE_STATEMENTS[kind](statement, schema, sent)
    run = STATEMENTS.get(kind) or kinds.run_statement
    return run(statement, schema)
