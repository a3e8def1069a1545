"""CREATE and DROP FUNCTION: declared, judged and shown; calling one is for queries to refuse."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.objects import BadObjectOption, UnknownObjectOption
from spanemu.ddl.errors.routines import (
    FunctionDefinerRights,
    FunctionInUse,
    FunctionInvalid,
    FunctionNamedAsBuiltin,
    FunctionReplacementInvalid,
    FunctionTypeMismatch,
)
from spanemu.ddl.expressions import functions_of
from spanemu.ddl.lookup import dropped_object, find_object
from spanemu.ddl.references import refuse_drop_under_views, with_checked_views
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import object_name_problems
from spanemu.ddl.validators.options import Rule, Rules, changed_options, is_text, whole
from spanemu.ddl.validators.users import grant_user_problems
from spanemu.schema.column import Column
from spanemu.schema.objects import Parameter, UserFunction
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type

_KIND = "Function"
_RULES: Rules = {
    "endpoint": Rule(is_text, "the address of an endpoint"),
    "max_batching_rows": whole(1, 2**31 - 1),
}

# Failures that need no word about the function around them.
_AS_THEY_ARE = (
    Unsupported, FunctionTypeMismatch, FunctionInvalid, BadObjectOption, UnknownObjectOption,
)  # fmt: skip


def create_function(statement: ddl_ast.CreateFunction, schema: Schema) -> Change:
    """A function, or another definition for a name."""
    name = str(statement.name)
    before = find_object(schema, "functions", name)
    if before is not None and statement.if_not_exists:
        return Change(schema)
    if before is None or not statement.or_replace:
        raise_first(object_name_problems(_KIND, name, schema))
    if dialect_of(schema.dialect).catalog.lookup(name) is not None:
        raise FunctionNamedAsBuiltin(name)
    if statement.security == "DEFINER":
        raise FunctionDefinerRights(name)
    try:
        function = _function(statement, schema)
    except _AS_THEY_ARE:
        raise
    except SpannerError as failure:
        if before is not None:
            raise FunctionReplacementInvalid(name, str(failure)) from None
        raise FunctionInvalid(name, str(failure)) from None
    if function == before:
        return Change(schema)
    following = with_object(schema, "functions", function)
    if before is not None:
        _judge_callers(name, following)
        following = with_checked_views(following, (name,), "FUNCTION", name)
    return Change(following)


def _judge_callers(name: str, schema: Schema) -> None:
    """A function that has changed must not call itself, and whatever calls it must go on."""
    for function in schema.functions.values():
        if function.body is not None and (
            function.name == name or _calls(function.body, name, schema)
        ):
            try:
                _body_type(function, schema)
            except SpannerError as failure:
                raise FunctionReplacementInvalid(name, str(failure)) from None
    for what, text in _expressions(schema):
        if _calls(text, name, schema) and not what.startswith("function "):
            raise FunctionInUse(name, what)


def _calls(text: str, name: str, schema: Schema) -> bool:
    # Most texts do not even contain the name: no need to parse them.
    if name.rpartition(".")[2].lower() not in text.lower():
        return False
    return name.lower() in functions_of(text, schema)


def drop_function(statement: ddl_ast.DropFunction, schema: Schema) -> Change:
    """Take a function away."""
    name = str(statement.name)
    if dropped_object(schema, "functions", statement, _KIND) is None:
        return Change(schema)
    raise_first(grant_user_problems(schema, "FUNCTION", name))
    refuse_drop_under_views(schema, "FUNCTION", name)
    for what, text in _expressions(schema):
        if _calls(text, name, schema):
            raise FunctionInUse(name, what)
    return Change(without_object(schema, "functions", name))


def _expressions(schema: Schema) -> Iterator[tuple[str, str]]:
    """(what, SQL text) for everything in the schema that may call a function."""
    for table in schema.tables.values():
        for column in table.columns:
            for text in (column.default, column.generated):
                if text is not None:
                    yield f"column {table.name}.{column.name}", text
        yield from ((f"check {check.name}", check.expression) for check in table.checks)
    for function in schema.functions.values():
        if function.body is not None:
            yield f"function {function.name}", function.body


def _function(statement: ddl_ast.CreateFunction, schema: Schema) -> UserFunction:
    name = str(statement.name)
    named_type = dialect_of(schema.dialect).named_type
    parameters = tuple(
        Parameter(
            one.name.name,
            named_type(one.type, schema),
            None if one.default is None else one.default.text,
        )
        for one in statement.parameters
    )
    _judge_parameters(name, parameters, schema)
    declared = None if statement.returns is None else named_type(statement.returns, schema)
    body = None if statement.body is None else statement.body.text
    if body is not None:
        undetermined = UserFunction(name, parameters, declared, body)
        declared = _body_type(undetermined, schema)
    elif declared is None:
        raise FunctionInvalid(name, "a remote function needs a RETURNS clause")
    elif not statement.remote:
        raise FunctionInvalid(name, "a function without a body must be REMOTE")
    return UserFunction(
        name,
        parameters,
        declared,
        body,
        statement.security == "INVOKER",
        statement.determinism,
        statement.language,
        statement.remote,
        changed_options((_KIND, name), statement.options, _RULES),
    )


def _judge_parameters(name: str, parameters: tuple[Parameter, ...], schema: Schema) -> None:
    seen: set[str] = set()
    for one in parameters:
        if one.name.lower() in seen:
            raise FunctionInvalid(name, f"duplicate parameter {one.name}")
        seen.add(one.name.lower())
        if one.default is not None:
            dialect_of(schema.dialect).analyze_expression(
                one.default, None, schema, expected=one.type
            )


def _body_type(function: UserFunction, schema: Schema) -> Type:
    """The type of a body over its parameters, which it sees as columns of a row."""
    name, body, declared = function.name, function.body, function.returns
    assert body is not None
    columns = tuple(
        Column(one.name, one.type, id=place + 1, position=place)
        for place, one in enumerate(function.parameters)
    )
    row = Table(name, 0, columns, ())
    analyze_expression = dialect_of(schema.dialect).analyze_expression
    found = analyze_expression(body, row, schema, expected=None)
    if found.has_subquery:
        raise Unsupported("Subqueries in the body of a function")
    actual = found.expression.type
    if declared is None:
        return actual
    try:
        analyze_expression(body, row, schema, expected=declared)
    except SpannerError:
        raise FunctionTypeMismatch(name, str(declared), str(actual)) from None
    return declared
