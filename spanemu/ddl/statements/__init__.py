"""The effects of schema statements: one function per statement, in one table.

A function takes the parsed statement and the schema before the statement, and returns a `Change`.
Functions for proto bundles also take the types that came with the request. A function raises the
first problem that `validators` find.

Tables: `create_table`, `alter_table` (its actions are in `add_column`, `alter_column`,
`drop_column` and `table_properties`), with `columns` and `constraints` for what both need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.ddl.change import Change
from spanemu.ddl.statements.alter_table import alter_table
from spanemu.ddl.statements.change_streams import (
    alter_change_stream,
    create_change_stream,
    drop_change_stream,
)
from spanemu.ddl.statements.create_table import create_table
from spanemu.ddl.statements.database import (
    alter_database,
    alter_statistics,
    analyze,
    create_database,
    create_schema,
    drop_schema,
)
from spanemu.ddl.statements.drop import drop_index, drop_table
from spanemu.ddl.statements.functions import create_function, drop_function
from spanemu.ddl.statements.indexes import alter_index, create_index
from spanemu.ddl.statements.models import alter_model, create_model, drop_model
from spanemu.ddl.statements.placements import (
    alter_locality_group,
    alter_placement,
    create_locality_group,
    create_placement,
    drop_locality_group,
    drop_placement,
)
from spanemu.ddl.statements.property_graphs import create_property_graph, drop_property_graph
from spanemu.ddl.statements.proto_bundles import (
    alter_proto_bundle,
    create_proto_bundle,
    drop_proto_bundle,
)
from spanemu.ddl.statements.rename import rename_tables
from spanemu.ddl.statements.roles import create_role, drop_role, grant, revoke
from spanemu.ddl.statements.search_indexes import (
    alter_search_index,
    alter_vector_index,
    create_search_index,
    create_vector_index,
    drop_search_index,
    drop_vector_index,
)
from spanemu.ddl.statements.sequences import alter_sequence, create_sequence, drop_sequence
from spanemu.ddl.statements.views import create_view, drop_view
from spanemu.schema.objects import ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast

Statement = Callable[[Any, Schema], Change]
BundleStatement = Callable[[Any, Schema, ProtoTypes], Change]

STATEMENTS: Mapping[type[ddl_ast.DdlStatement], Statement] = {
    ddl_ast.AlterChangeStream: alter_change_stream,
    ddl_ast.AlterDatabase: alter_database,
    ddl_ast.AlterIndex: alter_index,
    ddl_ast.AlterLocalityGroup: alter_locality_group,
    ddl_ast.AlterModel: alter_model,
    ddl_ast.AlterPlacement: alter_placement,
    ddl_ast.AlterSearchIndex: alter_search_index,
    ddl_ast.AlterSequence: alter_sequence,
    ddl_ast.AlterStatistics: alter_statistics,
    ddl_ast.AlterTable: alter_table,
    ddl_ast.AlterVectorIndex: alter_vector_index,
    ddl_ast.Analyze: analyze,
    ddl_ast.CreateChangeStream: create_change_stream,
    ddl_ast.CreateDatabase: create_database,
    ddl_ast.CreateFunction: create_function,
    ddl_ast.CreateIndex: create_index,
    ddl_ast.CreateLocalityGroup: create_locality_group,
    ddl_ast.CreateModel: create_model,
    ddl_ast.CreatePlacement: create_placement,
    ddl_ast.CreatePropertyGraph: create_property_graph,
    ddl_ast.CreateRole: create_role,
    ddl_ast.CreateSchema: create_schema,
    ddl_ast.CreateSearchIndex: create_search_index,
    ddl_ast.CreateSequence: create_sequence,
    ddl_ast.CreateTable: create_table,
    ddl_ast.CreateVectorIndex: create_vector_index,
    ddl_ast.CreateView: create_view,
    ddl_ast.DropChangeStream: drop_change_stream,
    ddl_ast.DropFunction: drop_function,
    ddl_ast.DropIndex: drop_index,
    ddl_ast.DropLocalityGroup: drop_locality_group,
    ddl_ast.DropModel: drop_model,
    ddl_ast.DropPlacement: drop_placement,
    ddl_ast.DropPropertyGraph: drop_property_graph,
    ddl_ast.DropRole: drop_role,
    ddl_ast.DropSchema: drop_schema,
    ddl_ast.DropSearchIndex: drop_search_index,
    ddl_ast.DropSequence: drop_sequence,
    ddl_ast.DropTable: drop_table,
    ddl_ast.DropVectorIndex: drop_vector_index,
    ddl_ast.DropView: drop_view,
    ddl_ast.Grant: grant,
    ddl_ast.RenameTables: rename_tables,
    ddl_ast.Revoke: revoke,
}
BUNDLE_STATEMENTS: Mapping[type[ddl_ast.DdlStatement], BundleStatement] = {
    ddl_ast.AlterProtoBundle: alter_proto_bundle,
    ddl_ast.CreateProtoBundle: create_proto_bundle,
    ddl_ast.DropProtoBundle: drop_proto_bundle,
}
