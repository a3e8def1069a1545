"""Models: declared, printed and listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import split_name
from spanemu.base.limits import MODEL_STRUCT_DEPTH_MAX, MODEL_STRUCT_FIELDS_MAX
from spanemu.ddl.errors.columns import BadOptionValue, UnknownOption
from spanemu.ddl.errors.routines import (
    ModelColumnInvalid,
    ModelColumnsDifferInCase,
    ModelColumnTwice,
    ModelNotRemote,
    ModelOptionInvalid,
    ModelSchemaMissing,
    TooManyModelColumns,
)
from spanemu.ddl.expressions import with_checked_views
from spanemu.ddl.kinds.kind import ObjectKind, privileges_on, views_over
from spanemu.ddl.kinds.rows import (
    GRANT,
    OPTION,
    UNUSED,
    ObjectTable,
    Rows,
    grant_rows,
    privilege_rows,
    typed,
)
from spanemu.ddl.validators.options import (
    TRUE_OR_FALSE,
    Rule,
    Rules,
    changed_options,
    distinct_options,
    is_text,
    whole,
)
from spanemu.schema.objects import Model, ModelColumn
from spanemu.schema.option_text import option_value
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.sql.syntax_tree import TypeName
from spanemu.values.types import SCALARS, Type, TypeCode, array_of, struct_of

_LABEL = "Model"
_BATCH_SIZE = "default_batch_size"
_REQUIRED = "required"
_BATCH_SIZE_MAX = 10
_RULES: Rules = {
    "endpoint": Rule(is_text, "the name of an endpoint"),
    "endpoints": Rule(
        lambda value: isinstance(value, tuple) and bool(value) and all(map(is_text, value)),
        "a list of endpoints",
    ),
    _BATCH_SIZE: whole(1, _BATCH_SIZE_MAX),
}
_KINDS: Mapping[str, type] = {"endpoint": str, "endpoints": tuple, _BATCH_SIZE: int}
_KIND_NAMES: Mapping[type, str] = {
    bool: "TRUE, FALSE",
    int: "integers",
    str: "strings",
    tuple: "arrays",
}
_ATTRIBUTES: Mapping[str, str] = {
    "AS": "Generated columns are",
    "DEFAULT": "Default values are",
    "HIDDEN": "HIDDEN attribute is",
    "NOT NULL": "NOT NULL constraint is",
}
_LENGTHS = frozenset({TypeCode.STRING, TypeCode.BYTES})
_TYPES = _LENGTHS | {TypeCode.BOOL, TypeCode.INT64, TypeCode.FLOAT32, TypeCode.FLOAT64}


def _model(statement: ddl_ast.CreateModel, _before: Model | None, schema: Schema) -> Model:
    name = str(statement.name)
    if not statement.remote:
        raise ModelNotRemote(name)
    for clause, columns in (("Input", statement.inputs), ("Output", statement.outputs)):
        if not columns:
            raise ModelSchemaMissing(name, clause)
        if len(columns) > schema.limits.columns_per_table:
            raise TooManyModelColumns(name, f"{clause}s", schema.limits.columns_per_table)
    return Model(
        name,
        _columns(name, statement.inputs),
        _columns(name, statement.outputs),
        _options(name, statement.options, {}),
    )


def _with_options(statement: ddl_ast.AlterModel, before: Model, _schema: Schema) -> Model:
    options = _options(before.name, statement.options, before.options)
    return Model(before.name, before.inputs, before.outputs, options)


def _options(
    name: str, written: ddl_ast.Options | None, before: Mapping[str, Any]
) -> Mapping[str, Any]:
    _check_kinds("Model", name, written, _KINDS)
    size = ddl_ast.options_by_name(written).get(_BATCH_SIZE)
    if size is not None and not _RULES[_BATCH_SIZE].accepts(size):
        problem = f": {option_value(size)}. Must be between 1 and {_BATCH_SIZE_MAX}."
        raise ModelOptionInvalid(name, _BATCH_SIZE, problem)
    options = changed_options((_LABEL, name), written, _RULES, before)
    given = [option for option in ("endpoint", "endpoints") if option in options]
    if not given:
        raise ModelOptionInvalid(name, "endpoints", ". Option is required.")
    if len(given) > 1:
        problem = ". Option cannot be specified together with endpoints."
        raise ModelOptionInvalid(name, "endpoint", problem)
    return options


def _check_kinds(
    kind: str, name: str, written: ddl_ast.Options | None, kinds: Mapping[str, type]
) -> None:
    """Raise UnknownOption or BadOptionValue for what no object of the kind can have."""
    for option, value in distinct_options(written).items():
        if option not in kinds:
            raise UnknownOption(kind, name, option)
        if value is not None and type(value) is not kinds[option]:
            raise BadOptionValue(option, f"{_KIND_NAMES[kinds[option]]} and NULL")


def _with_checked_users(before: Model | None, after: Model, schema: Schema) -> Schema:
    """Return the schema, whose views and functions must stay valid after a change of a model."""
    if before is None or (before.inputs, before.outputs) == (after.inputs, after.outputs):
        return schema
    return with_checked_views(schema, (after.name,), "MODEL", after.name)


# ---------------------------------------------------------------------------- columns


def _columns(
    model: str, written: tuple[ddl_ast.ModelColumn, ...] | None
) -> tuple[ModelColumn, ...] | None:
    if written is None:
        return None
    seen: dict[str, str] = {}
    columns = []
    for definition in written:
        name = definition.name.name
        if name.lower() in seen:
            raise _duplicate(model, name, seen[name.lower()])
        seen[name.lower()] = name
        if definition.attribute:
            problem = f"{_ATTRIBUTES[definition.attribute]} not supported in models."
            raise ModelColumnInvalid(model, name, problem)
        type_ = _type(definition.type, model, name, 0)
        owner = ("Model column", f"{model}.{name}")
        _check_kinds(*owner, definition.options, {_REQUIRED: bool})
        options = changed_options(owner, definition.options, {_REQUIRED: TRUE_OR_FALSE})
        columns.append(ModelColumn(name, type_, options))
    return tuple(columns)


def _duplicate(model: str, name: str, known: str) -> SpannerError:
    if name == known:
        return ModelColumnTwice(model, name)
    return ModelColumnsDifferInCase(model, name, known)


def _type(written: TypeName, model: str, column: str, depth: int) -> Type:
    """Return a type that `depth` arrays and structs enclose."""
    if written.element is None and written.fields is None:
        return _scalar(written, model, column)
    if depth == MODEL_STRUCT_DEPTH_MAX:
        problem = f"DDL parser exceeded complex type nesting limit of {MODEL_STRUCT_DEPTH_MAX}."
        raise ModelColumnInvalid(model, column, problem)
    if written.element is not None:
        if written.element.element is not None:
            problem = "Type ARRAY of ARRAY is not supported in model columns."
            raise ModelColumnInvalid(model, column, problem)
        if written.vector_length is not None:
            problem = "`vector_length` is not supported in model columns."
            raise ModelColumnInvalid(model, column, problem)
        return array_of(_type(written.element, model, column, depth + 1))
    fields = _checked_fields(written, model, column)
    return struct_of(*[(name, _type(type_, model, column, depth + 1)) for name, type_ in fields])


def _scalar(written: TypeName, model: str, column: str) -> Type:
    type_ = SCALARS.get(str(written.path).upper())
    if type_ is None or type_.code not in _TYPES:
        problem = f"Type {str(written.path).upper()} is not supported in model columns."
        raise ModelColumnInvalid(model, column, problem)
    if type_.code in _LENGTHS and written.length is None:
        raise ModelColumnInvalid(model, column, f"Type {type_} needs a length: {type_}(MAX).")
    if type_.code in _LENGTHS and written.length != "MAX":
        problem = "Length is not supported in model columns. Please use MAX."
        raise ModelColumnInvalid(model, column, problem)
    if written.length is not None and type_.code not in _LENGTHS:
        raise ModelColumnInvalid(model, column, f"Type {type_} has no length.")
    return type_


def _checked_fields(written: TypeName, model: str, column: str) -> list[tuple[str, TypeName]]:
    """Return the fields of a STRUCT, each with a name of its own. Raise ModelColumnInvalid."""
    fields: list[tuple[str, TypeName]] = []
    seen: set[str] = set()
    for name, type_ in written.fields or ():
        if name is None:
            raise ModelColumnInvalid(model, column, "Missing struct field name.")
        if name.name.lower() in seen:
            raise ModelColumnInvalid(model, column, f"Duplicate name in Struct: {name.name}.")
        seen.add(name.name.lower())
        fields.append((name.name, type_))
    if not fields:
        raise ModelColumnInvalid(model, column, "Empty STRUCT is not allowed.")
    if len(fields) > MODEL_STRUCT_FIELDS_MAX:
        problem = f"The number of struct field exceeds the limit: {MODEL_STRUCT_FIELDS_MAX}."
        raise ModelColumnInvalid(model, column, problem)
    return fields


# ---------------------------------------------------------------------------- rows


def _rows(schema: Schema) -> Rows:
    return (("", *split_name(model.name), True) for model in schema.models.values())


def _option_rows(schema: Schema) -> Rows:
    for model in schema.models.values():
        for name, value in model.options.items():
            shown = ("ARRAY<STRING>", option_value(value)) if type(value) is tuple else typed(value)
            yield "", *split_name(model.name), name, *shown


def _column_rows(schema: Schema) -> Rows:
    for head, kind, position, column in _numbered_columns(schema):
        yield *head, kind, column.name, position, column.type_text, True


def _column_option_rows(schema: Schema) -> Rows:
    for head, kind, _, column in _numbered_columns(schema):
        yield *head, kind, column.name, _REQUIRED, *typed(column.is_required)


def _numbered_columns(
    schema: Schema,
) -> Iterator[tuple[tuple[str, ...], str, int, ModelColumn]]:
    for model in schema.models.values():
        for kind, columns in (("INPUT", model.inputs), ("OUTPUT", model.outputs)):
            for position, column in enumerate(columns or (), 1):
                yield ("", *split_name(model.name)), kind, position, column


_KEY = "*MODEL_CATALOG *MODEL_SCHEMA *MODEL_NAME"
_COLUMN = f"{_KEY} *COLUMN_KIND *COLUMN_NAME"

MODEL = ObjectKind(
    words="MODEL",
    label=_LABEL,
    field="models",
    create=ddl_ast.CreateModel,
    define=_model,
    alter=ddl_ast.AlterModel,
    redefine=_with_options,
    drop=ddl_ast.DropModel,
    limit="models",
    default_schema_only=True,
    privileges=frozenset({"EXECUTE"}),
    settle=_with_checked_users,
    dependents=(views_over("MODEL"), privileges_on("MODEL")),
    tables=(
        ObjectTable("MODELS", f"{_KEY} !IS_REMOTE:BOOL", _rows, by_privilege=True),
        ObjectTable(
            "MODEL_COLUMNS",
            f"{_COLUMN} !ORDINAL_POSITION:INT64 !DATA_TYPE !IS_EXPLICIT:BOOL",
            _column_rows,
            by_privilege=True,
        ),
        ObjectTable(
            "MODEL_COLUMN_OPTIONS", f"{_COLUMN} {OPTION}", _column_option_rows, by_privilege=True
        ),
        ObjectTable("MODEL_OPTIONS", f"{_KEY} {OPTION}", _option_rows, by_privilege=True),
        ObjectTable(
            "MODEL_PRIVILEGES", f"{_KEY} {GRANT}", privilege_rows("MODEL"), by_privilege=True
        ),
        ObjectTable("ROLE_MODEL_GRANTS", f"{_KEY} {GRANT} {UNUSED}", grant_rows("MODEL")),
    ),
)
