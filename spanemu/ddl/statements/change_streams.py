"""CREATE, ALTER and DROP CHANGE STREAM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.objects import TooManyObjects
from spanemu.ddl.errors.routines import NothingWatched
from spanemu.ddl.lookup import dropped_object, find_object, object_of
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.change_streams import RULES, stream_name_problems, stream_problems
from spanemu.ddl.validators.options import changed_options
from spanemu.ddl.validators.users import grant_user_problems
from spanemu.schema.objects import ChangeStream, Watched
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast

_KIND = "Change Stream"


def create_change_stream(statement: ddl_ast.CreateChangeStream, schema: Schema) -> Change:
    """A new stream of changes."""
    name = str(statement.name)
    if statement.if_not_exists and find_object(schema, "change_streams", name) is not None:
        return Change(schema)
    raise_first(stream_name_problems(name, schema))
    if len(schema.change_streams) >= schema.limits.change_streams:
        raise TooManyObjects(_KIND, name, schema.limits.change_streams)
    stream = ChangeStream(name, *_watches(statement.watches), _options(name, statement.options, {}))
    raise_first(stream_problems(stream, schema))
    return Change(with_object(schema, "change_streams", stream))


def alter_change_stream(statement: ddl_ast.AlterChangeStream, schema: Schema) -> Change:
    """Another list of tables, none, or other options."""
    before: ChangeStream = object_of(schema, "change_streams", str(statement.name), _KIND)
    if statement.drop_for_all:
        if not before.watches_all and not before.tables:
            raise NothingWatched(before.name)
        after = replace(before, watches_all=False, tables=())
    elif statement.watches is not None:
        all_, tables = _watches(statement.watches)
        after = replace(before, watches_all=all_, tables=tables)
    else:
        options = _options(before.name, statement.options, before.options)
        after = replace(before, options=options)
    if after == before:
        return Change(schema)
    raise_first(stream_problems(after, schema))
    return Change(with_object(schema, "change_streams", after))


def drop_change_stream(statement: ddl_ast.DropChangeStream, schema: Schema) -> Change:
    """Take a stream away, with the changes it holds."""
    name = str(statement.name)
    if dropped_object(schema, "change_streams", statement, _KIND) is None:
        return Change(schema)
    raise_first(grant_user_problems(schema, "CHANGE STREAM", name))
    for function in (f"READ_{name}", f"READ_JSON_{name}"):
        raise_first(grant_user_problems(schema, "TABLE FUNCTION", function))
    return Change(without_object(schema, "change_streams", name))


def _watches(clause: ddl_ast.ChangeStreamFor | None) -> tuple[bool, tuple[Watched, ...]]:
    if clause is None:
        return False, ()
    tables = tuple(
        Watched(
            str(one.table),
            None if one.columns is None else tuple(column.name for column in one.columns),
        )
        for one in clause.tables
    )
    return clause.all, tables


def _options(
    name: str, written: ddl_ast.Options | None, before: Mapping[str, Any]
) -> Mapping[str, Any]:
    return changed_options((_KIND, name), written, RULES, before)
