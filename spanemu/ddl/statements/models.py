"""CREATE, ALTER and DROP MODEL: declared and shown; nothing calls them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.limits import (
    MODEL_STRUCT_DEPTH_MAX,
    MODEL_STRUCT_FIELDS_MAX,
)
from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.names import NamedSchemaNotSupported
from spanemu.ddl.errors.objects import TooManyObjects
from spanemu.ddl.errors.routines import ModelColumnInvalid, ModelInvalid
from spanemu.ddl.lookup import dropped_object, find_object, object_of
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import object_name_problems
from spanemu.ddl.validators.options import (
    TRUE_OR_FALSE,
    Rule,
    Rules,
    changed_options,
    is_text,
    whole,
)
from spanemu.ddl.validators.users import grant_user_problems
from spanemu.schema.objects import Model, ModelColumn
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.sql.syntax_tree import TypeName
from spanemu.values.types import SCALARS, Type, TypeCode, array_of, struct_of

_KIND = "Model"
_RULES: Rules = {
    "endpoint": Rule(is_text, "the name of an endpoint"),
    "endpoints": Rule(
        lambda value: isinstance(value, tuple) and bool(value) and all(map(is_text, value)),
        "a list of endpoints",
    ),
    "default_batch_size": whole(1, 10),
}
_LENGTHS = frozenset({TypeCode.STRING, TypeCode.BYTES})


def create_model(statement: ddl_ast.CreateModel, schema: Schema) -> Change:
    """A model at an endpoint, or another definition for a name."""
    name = str(statement.name)
    before = find_object(schema, "models", name)
    if before is not None and statement.if_not_exists:
        return Change(schema)
    if before is None or not statement.or_replace:
        raise_first(_name_problems(name, schema))
    if not statement.remote:
        raise ModelInvalid(name, "it must specify the REMOTE attribute")
    model = Model(
        name,
        _columns(name, statement.inputs),
        _columns(name, statement.outputs),
        _options(name, statement.options, {}),
    )
    return Change(with_object(schema, "models", model))


def alter_model(statement: ddl_ast.AlterModel, schema: Schema) -> Change:
    """Other options."""
    name = str(statement.name)
    if statement.if_exists and find_object(schema, "models", name) is None:
        return Change(schema)
    before: Model = object_of(schema, "models", name, _KIND)
    options = _options(name, statement.options, before.options)
    if options == before.options:
        return Change(schema)
    after = Model(name, before.inputs, before.outputs, options)
    return Change(with_object(schema, "models", after))


def drop_model(statement: ddl_ast.DropModel, schema: Schema) -> Change:
    """Take a model away."""
    name = str(statement.name)
    if dropped_object(schema, "models", statement, _KIND) is None:
        return Change(schema)
    raise_first(grant_user_problems(schema, "MODEL", name))
    return Change(without_object(schema, "models", name))


def _name_problems(name: str, schema: Schema) -> Iterator[SpannerError]:
    if "." in name:
        yield NamedSchemaNotSupported(_KIND, name)
    yield from object_name_problems(_KIND, name, schema)
    if len(schema.models) >= schema.limits.models:
        yield TooManyObjects(_KIND, name, schema.limits.models)


def _options(
    name: str, written: ddl_ast.Options | None, before: Mapping[str, Any]
) -> Mapping[str, Any]:
    options = changed_options((_KIND, name), written, _RULES, before)
    given = [option for option in ("endpoint", "endpoints") if option in options]
    if not given:
        raise ModelInvalid(name, "it needs the option endpoint or endpoints")
    if len(given) > 1:
        raise ModelInvalid(name, "endpoint cannot be specified together with endpoints")
    return options


# ---------------------------------------------------------------------------- columns


def _columns(
    model: str, written: tuple[ddl_ast.ModelColumn, ...] | None
) -> tuple[ModelColumn, ...] | None:
    if written is None:
        return None
    seen: set[str] = set()
    columns = []
    for one in written:
        name = one.name.name
        if name.lower() in seen:
            raise ModelColumnInvalid(model, name, "there is another of that name")
        seen.add(name.lower())
        if one.not_null:
            raise ModelColumnInvalid(model, name, "NOT NULL is not supported in models")
        type_ = _type(one.type, model, name, 0)
        place = ("Model column", f"{model}.{name}")
        options = changed_options(place, one.options, {"required": TRUE_OR_FALSE})
        columns.append(ModelColumn(name, type_, options))
    return tuple(columns)


def _type(written: TypeName, model: str, column: str, depth: int) -> Type:
    if depth > MODEL_STRUCT_DEPTH_MAX:
        raise ModelColumnInvalid(model, column, "its type is nested too deeply")
    if written.element is not None:
        return array_of(_type(written.element, model, column, depth))
    if written.fields is not None:
        if len(written.fields) > MODEL_STRUCT_FIELDS_MAX:
            raise ModelColumnInvalid(model, column, "its type has too many fields")
        fields = [
            ("" if name is None else name.name, _type(type_, model, column, depth + 1))
            for name, type_ in written.fields
        ]
        return struct_of(*fields)
    found = SCALARS.get(str(written.path).upper())
    if found is None:
        raise ModelColumnInvalid(model, column, f"type {written.path} is not supported")
    if found.code in _LENGTHS and isinstance(written.length, int):
        raise ModelColumnInvalid(model, column, "lengths other than MAX are not supported")
    return found
