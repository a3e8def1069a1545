"""Functions of users: declared, validated, printed and listed.

A body may have subqueries. The tables and views that it reads cannot be dropped, and no change of
them may make it invalid. Such a function is printed after the tables, or after the views.

The table functions of a schema are listed with them: those that read change streams, and those of
queues.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.base.identifiers import split_name
from spanemu.ddl.errors.objects import BadObjectOption, UnknownObjectOption
from spanemu.ddl.errors.routines import (
    FunctionDefinerRights,
    FunctionInUse,
    FunctionInvalid,
    FunctionNamedAsBuiltin,
    FunctionReplacementInvalid,
    FunctionTypeMismatch,
)
from spanemu.ddl.expressions import (
    analyzed_body,
    functions_of,
    refuse_views_in_views,
    with_checked_views,
)
from spanemu.ddl.expressions import views_over as views_using
from spanemu.ddl.kinds.change_streams import READ_PARAMETERS, read_functions
from spanemu.ddl.kinds.kind import ObjectKind, privileges_on, views_over
from spanemu.ddl.kinds.rows import (
    GRANT,
    OPTION,
    UNUSED,
    ObjectTable,
    Rows,
    grant_rows,
    option_rows,
    privilege_rows,
)
from spanemu.ddl.validators.options import Rule, Rules, changed_options, is_text, whole
from spanemu.schema.objects import Parameter, UserFunction
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type, TypeCode

_LABEL = "Function"
_ENDPOINT = "endpoint"
_RULES: Rules = {
    _ENDPOINT: Rule(is_text, "the address of an endpoint"),
    "max_batching_rows": whole(1, 2**31 - 1),
}

_REMOTE_TYPES = frozenset(
    {TypeCode.BOOL, TypeCode.BYTES, TypeCode.DATE, TypeCode.JSON, TypeCode.INT64}
    | {TypeCode.NUMERIC, TypeCode.STRING, TypeCode.TIMESTAMP}
)

# Errors that name the function themselves.
_COMPLETE = (
    Unsupported, FunctionTypeMismatch, FunctionInvalid, BadObjectOption, UnknownObjectOption,
)  # fmt: skip


def _defined(
    statement: ddl_ast.CreateFunction, before: UserFunction | None, schema: Schema
) -> UserFunction:
    name = str(statement.name)
    if dialect_of(schema.dialect).catalog.lookup(name) is not None:
        raise FunctionNamedAsBuiltin(name)
    if statement.security == "DEFINER":
        raise FunctionDefinerRights(name)
    try:
        return _function(statement, schema)
    except _COMPLETE:
        raise
    except SpannerError as failure:
        if before is not None:
            raise FunctionReplacementInvalid(name, str(failure)) from None
        raise FunctionInvalid(name, str(failure)) from None


def _function(statement: ddl_ast.CreateFunction, schema: Schema) -> UserFunction:
    name = str(statement.name)
    named_type = dialect_of(schema.dialect).named_type
    parameters = tuple(
        Parameter(
            parameter.name.name,
            named_type(parameter.type, schema),
            None if parameter.default is None else parameter.default.text,
        )
        for parameter in statement.parameters
    )
    _check_parameters(name, parameters, schema)
    declared = None if statement.returns is None else named_type(statement.returns, schema)
    body = None if statement.body is None else statement.body.text
    tables: frozenset[str] = frozenset()
    sequences: frozenset[str] = frozenset()
    if body is not None:
        written = UserFunction(name, parameters, declared, body)
        declared, tables, sequences = _body(written, schema)
    elif declared is None:
        raise FunctionInvalid(name, "a remote function needs a RETURNS clause")
    elif not statement.remote:
        raise FunctionInvalid(name, "a function without a body must be REMOTE")
    else:
        _check_remote_types((declared, *[parameter.type for parameter in parameters]), name)
    options = changed_options((_LABEL, name), statement.options, _RULES)
    if body is None and _ENDPOINT not in options:
        raise FunctionInvalid(name, f"a remote function needs the option {_ENDPOINT}")
    return UserFunction(
        name,
        parameters,
        declared,
        body,
        statement.security == "INVOKER",
        statement.determinism,
        statement.language,
        statement.remote,
        options,
        tables | sequences,
        bool(tables),
        any(schema.view(used) is not None for used in tables),
    )


def _check_remote_types(types: Iterable[Type], name: str) -> None:
    """Raise FunctionInvalid for a type that a remote function cannot take or return."""
    for type_ in types:
        if (type_.element or type_).code not in _REMOTE_TYPES:
            raise FunctionInvalid(name, f"type {type_} is not supported in remote functions")


def _check_parameters(name: str, parameters: tuple[Parameter, ...], schema: Schema) -> None:
    dialect = dialect_of(schema.dialect)
    seen: set[str] = set()
    has_default = False
    for parameter in parameters:
        if schema.fold(parameter.name) in seen:
            raise FunctionInvalid(name, f"duplicate parameter {parameter.name}")
        seen.add(schema.fold(parameter.name))
        if parameter.default is None and has_default:
            raise FunctionInvalid(name, f"parameter {parameter.name} needs a default value as well")
        if parameter.default is not None:
            has_default = True
            dialect.analyze_expression(parameter.default, None, schema, expected=parameter.type)


def _body(function: UserFunction, schema: Schema) -> tuple[Type, frozenset[str], frozenset[str]]:
    """Return the type of a body, the tables, views and models that it reads, and its sequences."""
    declared = function.returns
    analyzed = analyzed_body(function, schema, None)
    actual = analyzed.expression.type
    tables = analyzed.tables - {each.name for each in schema.functions.values()}
    if declared is None:
        return actual, tables, analyzed.sequences
    try:
        analyzed_body(function, schema, declared)
    except SpannerError:
        raise FunctionTypeMismatch(function.name, str(declared), str(actual)) from None
    return declared, tables, analyzed.sequences


# ---------------------------------------------------------------------------- callers


def _with_checked_callers(
    before: UserFunction | None, after: UserFunction, schema: Schema
) -> Schema:
    """Return the schema, whose functions and views must stay valid after a replacement.

    A replaced function must not call itself. Columns and checks that call it refuse any change.
    """
    name = after.name
    if before is None:
        return schema
    if any(views_using(schema, (name,))):
        refuse_views_in_views(after)
    for function in schema.functions.values():
        if function.body is not None and (
            function.name == name or _calls(function.body, name, schema)
        ):
            try:
                _body(function, schema)
            except SpannerError as failure:
                raise FunctionReplacementInvalid(name, str(failure)) from None
    for caller, text in _expressions(schema):
        if _calls(text, name, schema) and not caller.startswith("function "):
            raise FunctionInUse(name, caller)
    return with_checked_views(schema, (name,), "FUNCTION", name)


def _callers(dropped: UserFunction, schema: Schema) -> Iterator[SpannerError]:
    for caller, text in _expressions(schema):
        if _calls(text, dropped.name, schema):
            yield FunctionInUse(dropped.name, caller)


def _calls(text: str, name: str, schema: Schema) -> bool:
    # Most texts do not even contain the name: no need to parse them.
    if name.rpartition(".")[2].lower() not in text.lower():
        return False
    return schema.fold(name) in functions_of(text, schema)


def _expressions(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield (object, SQL text) for each expression of the schema that can call a function."""
    for table in schema.tables.values():
        for column in table.columns:
            for text in (column.default, column.generated):
                if text is not None:
                    yield f"column {table.name}.{column.name}", text
        yield from ((f"check {check.name}", check.expression) for check in table.checks)
    for function in schema.functions.values():
        if function.body is not None:
            yield f"function {function.name}", function.body


def called_functions(text: str, schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield (name, "calls") for each function of a user that an expression calls."""
    if schema.functions:
        for name in functions_of(text, schema) & schema.functions.keys():
            yield schema.functions[name].name, "calls"


# ---------------------------------------------------------------------------- text


_WORD = re.compile(r"[\w.]+")


def _names_in_body(function: UserFunction) -> list[str]:
    return [word for word in _WORD.findall(function.body or "") if word != function.name]


# ---------------------------------------------------------------------------- rows


def _rows(schema: Schema) -> Rows:
    for name, _ in table_functions(schema):
        yield "", "", name, "", "", name, "FUNCTION", "TABLE", "EXTERNAL", "", "INVOKER"
    for function in schema.functions.values():
        home, name = split_name(function.name)
        body = ("EXTERNAL", "") if function.body is None else ("SQL", function.body)
        yield "", home, name, "", home, name, "FUNCTION", str(function.returns), *body, "INVOKER"


def _option_rows(schema: Schema) -> Rows:
    for function in schema.functions.values():
        yield from option_rows(function.name, function.options)


def _parameter_rows(schema: Schema) -> Rows:
    for name, parameters in table_functions(schema):
        for position, (parameter_name, type_) in enumerate(parameters, 1):
            yield "", "", name, position, parameter_name, type_, None
    for function in schema.functions.values():
        head = "", *split_name(function.name)
        for position, parameter in enumerate(function.parameters, 1):
            yield *head, position, parameter.name, str(parameter.type), parameter.default


_KEY = "*SPECIFIC_CATALOG *SPECIFIC_SCHEMA *SPECIFIC_NAME"
_KINDS = ("TABLE FUNCTION", "FUNCTION")


def _depends_on(function: UserFunction, schema: Schema) -> Iterator[tuple[str, str]]:
    yield from called_functions(function.body or "NULL", schema)
    yield from ((used, "reads") for used in sorted(function.depends_on))


FUNCTION = ObjectKind(
    words="FUNCTION",
    label=_LABEL,
    field="functions",
    create=ddl_ast.CreateFunction,
    define=_defined,
    drop=ddl_ast.DropFunction,
    settle=_with_checked_callers,
    privileges=frozenset({"EXECUTE"}),
    dependents=(privileges_on("FUNCTION"), views_over("FUNCTION"), _callers),
    depends_on=_depends_on,
    is_printed=lambda function: not function.reads_tables,
    needs=_names_in_body,
    tables=(
        ObjectTable(
            "PARAMETERS",
            f"{_KEY} *ORDINAL_POSITION:INT64 !PARAMETER_NAME !DATA_TYPE PARAMETER_DEFAULT",
            _parameter_rows,
        ),
        ObjectTable(
            "ROUTINES",
            f"""{_KEY} !ROUTINE_CATALOG !ROUTINE_SCHEMA !ROUTINE_NAME !ROUTINE_TYPE !DATA_TYPE
            !ROUTINE_BODY !ROUTINE_DEFINITION !SECURITY_TYPE""",
            _rows,
        ),
        ObjectTable("ROUTINE_OPTIONS", f"{_KEY} {OPTION}", _option_rows),
        ObjectTable("ROUTINE_PRIVILEGES", f"{_KEY} {GRANT}", privilege_rows(*_KINDS)),
        ObjectTable("ROLE_ROUTINE_GRANTS", f"{_KEY} {GRANT} {UNUSED}", grant_rows(*_KINDS)),
    ),
)

# The same kind at later places in the text of a schema.
FUNCTION_OVER_TABLES = replace(
    FUNCTION,
    is_printed=lambda function: function.reads_tables and not function.reads_views,
    tables=(),
)
FUNCTION_OVER_VIEWS = replace(FUNCTION, is_printed=lambda function: function.reads_views, tables=())


Parameters = Sequence[tuple[str, str]]  # (name, type)

RECEIVE_PARAMETERS: Parameters = (
    ("max_batch_size", "INT64"),
    ("priority", "STRING(MAX)"),
    ("max_duration", "STRING(MAX)"),
)
RENEW_PARAMETERS: Parameters = (("lease_tokens", "ARRAY<STRING(MAX)>"),)


def table_functions(schema: Schema) -> Iterator[tuple[str, Parameters]]:
    """Yield the name and the parameters of each table function."""
    yield from ((name, READ_PARAMETERS) for name in read_functions(schema))
    yield from queue_functions(schema)


def queue_functions(schema: Schema) -> Iterator[tuple[str, Parameters]]:
    """Yield the name and the parameters of the functions that receive and that renew leases."""
    names = schema.dialect.queues
    for table in schema.tables.values():
        if table.is_queue:
            yield f"{names.receive}{table.name}", RECEIVE_PARAMETERS
            yield f"{names.renew}{table.name}", RENEW_PARAMETERS
