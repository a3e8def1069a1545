"""CREATE SCHEMA and DROP SCHEMA."""

from __future__ import annotations

from spanemu.ddl.change import Change
from spanemu.ddl.errors.names import SchemaNotFound
from spanemu.ddl.errors.objects import SchemaNotEmpty
from spanemu.ddl.lookup import schema_part
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import schema_name_problems
from spanemu.ddl.validators.users import grant_user_problems
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast

_OTHERS = ("search_indexes", "vector_indexes", "functions", "graphs")


def create_schema(statement: ddl_ast.CreateSchema, schema: Schema) -> Change:
    """A name space for objects: `name.object`. It has nothing that could be replaced."""
    name = str(statement.name)
    if (statement.if_not_exists or statement.or_replace) and name.lower() in schema.named_schemas:
        return Change(schema)
    raise_first(schema_name_problems(name, schema))
    return Change(schema.next(named_schemas={**schema.named_schemas, name.lower(): name}))


def drop_schema(statement: ddl_ast.DropSchema, schema: Schema) -> Change:
    """Take an empty name space away."""
    name = str(statement.name)
    if schema.named_schemas.get(name.lower()) != name:
        if statement.if_exists:
            return Change(schema)
        raise SchemaNotFound(name)
    objects = [found for found in _object_names(schema) if schema_part(found) == name]
    if objects:
        raise SchemaNotEmpty(name, ", ".join(objects))
    raise_first(grant_user_problems(schema, "SCHEMA", name))
    left = {key: found for key, found in schema.named_schemas.items() if found != name}
    return Change(schema.next(named_schemas=left))


def _object_names(schema: Schema) -> list[str]:
    tables = schema.tables.values()
    return [
        *(table.name for table in tables),
        *(synonym for table in tables for synonym in table.synonyms),
        *(index.name for index in schema.indexes.values() if not index.is_managed),
        *(view.name for view in schema.views.values()),
        *(sequence.name for sequence in schema.sequences.values()),
        *(one.name for kind in _OTHERS for one in getattr(schema, kind).values()),
    ]
