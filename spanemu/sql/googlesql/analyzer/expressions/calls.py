"""Resolves function calls by name: scalar, aggregate and user-defined functions.

ABS(x)          `operator_call.function_call`
SUM(x)          `queries.aggregates`, through `Env.aggregation`
IF(a, b, c)     a CASE
f(DAY), f(SEQUENCE s), f(x -> ...), f(name => x)     arguments that are not plain expressions
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from spanemu.base.errors import Unsupported
from spanemu.schema.objects import Parameter, UserFunction
from spanemu.sql.analysis import search_calls
from spanemu.sql.analysis.call_binding import approximation
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.errors import AnalysisError
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import Arity, Function
from spanemu.sql.functions.text import format_text
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import (
    BadCall,
    ExpectsConstant,
    ExpressionDoesNotFit,
    FunctionNotInSpanner,
    PositionalNotAllowed,
    WrongArgumentCount,
)
from spanemu.sql.googlesql.analyzer.expressions import messages, remote_calls
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.conversions import (
    check_known,
    check_part,
    date_part,
    resolve_int64_amount,
    special_argument,
    special_positions,
)
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.operator_call import function_call
from spanemu.sql.googlesql.analyzer.expressions.operators import if_as_case
from spanemu.sql.googlesql.analyzer.expressions.overload import Argument, LambdaArgument
from spanemu.sql.googlesql.analyzer.name_errors import FunctionNotFound, closest
from spanemu.sql.googlesql.analyzer.queries.aggregates import resolve_aggregate
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.analyzer.write_errors import PendingCommitTimestampMisplaced
from spanemu.sql.googlesql.graph.analyzer import predicates as graph_predicates
from spanemu.sql.googlesql.syntax.statement import parse_expression
from spanemu.sql.remote_calls import BATCH_ROWS_HINT
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    FunctionCall,
    Hints,
    LambdaExpr,
    Let,
    Literal,
    ParameterRef,
    ResolvedColumn,
)
from spanemu.values.types import STRING, Type, TypeCode

DEPTH_MAX = 20
_NESTED = "nested calls of user-defined functions"


def find_user_function(name: Sequence[str], env: Env) -> UserFunction | None:
    """Return the user-defined function of a name, or None if the schema has none."""
    return env.analysis.schema.functions.get(env.analysis.fold(".".join(name)))


def _user_defined_call(node: ast.Call, env: Env) -> Expr | None:
    """Return the call of a user-defined function; None if the schema has none of that name."""
    names = node.function.names
    function = find_user_function(names, env)
    if function is not None:
        return call_user_function(node, function, env)
    if len(names) < 2 or names[0].upper() != "SAFE":
        return None
    function = find_user_function(names[1:], env)
    if function is None:
        return None
    call = call_user_function(node, function, env)
    if function.body is not None or not isinstance(call, FunctionCall):
        raise Unsupported(f"SAFE.{function.name}, whose body is SQL")
    return replace(call, safe=True)


def call_user_function(node: ast.Call, function: UserFunction, env: Env) -> Expr:
    """Inline the body of a user-defined function, with its parameters bound to the arguments.

    A remote function is called.

    Raise BadCall for missing or surplus arguments, ExpressionDoesNotFit for an argument of another
    type, LimitExceeded for calls nested too deeply.
    """
    _refuse_aggregate_modifiers(node, function.name)
    if len(node.arguments) > len(function.parameters):
        raise BadCall(f"Too many arguments for function {function.name}", at=node.at)
    analysis = env.analysis
    if function.body is None or function.returns is None:
        values = [
            _user_argument(function, parameter, written, env, node.at)
            for parameter, written in zip_longest(function.parameters, node.arguments)
        ]
        return remote_calls.remote_function_call(function, values, analysis, node.at)
    analysis.enter(_NESTED, DEPTH_MAX, node.at)
    analysis.traits.tables.add(function.name)
    bindings: list[tuple[ResolvedColumn, Expr]] = []
    names: dict[str, Expr | None] = {}
    for parameter, written in zip_longest(function.parameters, node.arguments):
        value = _user_argument(function, parameter, written, env, node.at)
        column = analysis.column(parameter.name, parameter.type)
        bindings.append((column, value))
        names[analysis.fold(parameter.name)] = ColumnRef(parameter.type, column)
    body = Env(analysis, Scope(None, names=names), "function", {})
    tree = parse_expression(function.body)
    strict, analysis.strict = analysis.strict, False
    result = coerce(resolve(tree, body), function.returns, analysis, node.at)
    analysis.strict = strict
    analysis.leave(_NESTED)
    return Let(result.type, tuple(bindings), result) if bindings else result


def _user_argument(
    function: UserFunction, parameter: Parameter, written: ast.Expression | None, env: Env, at: int
) -> Expr:
    if isinstance(written, ast.NamedArgument):
        raise Unsupported("Named arguments of user-defined functions")
    if written is None:
        if parameter.default is None:
            raise BadCall(f"Argument {parameter.name} of {function.name} is missing", at=at)
        written = parse_expression(parameter.default)
    value = resolve(written, env)
    if not fits(value, parameter.type, env.analysis):
        raise ExpressionDoesNotFit(str(value.type), str(parameter.type), at=at)
    return coerce(value, parameter.type, env.analysis, at)


PENDING_COMMIT_TIMESTAMP = "PENDING_COMMIT_TIMESTAMP"
# Functions whose INTERVAL argument is an INT64 and a date part, not a value of type INTERVAL.
_TAKE_INTERVALS = frozenset(
    {
        "ADDDATE",
        "DATE_ADD",
        "DATE_SUB",
        "GENERATE_DATE_ARRAY",
        "GENERATE_TIMESTAMP_ARRAY",
        "SUBDATE",
        "TIMESTAMP_ADD",
        "TIMESTAMP_SUB",
    }
)
_APPROXIMATE = frozenset(
    {"APPROX_COSINE_DISTANCE", "APPROX_DOT_PRODUCT", "APPROX_EUCLIDEAN_DISTANCE"}
)
_NEEDS_READ_WRITE = frozenset({"GET_NEXT_SEQUENCE_VALUE"})


def resolve_call(node: ast.Call, env: Env) -> Expr:
    """Resolve a function call."""
    parts = [part.name.upper() for part in node.function.parts]
    safe = len(parts) > 1 and parts[0] == "SAFE"
    name = ".".join(parts[1:] if safe else parts)
    if node.over:
        if env.windows is not None and name == "IS_FIRST" and isinstance(node, ast.WindowCall):
            return graph_predicates.resolve_is_first(node, env)
        raise BadCall("Analytic functions not supported", at=node.at)
    if name == "IS_FIRST":
        raise BadCall("IS_FIRST cannot be called without an OVER clause", at=node.at)
    if name == "PATH_LENGTH" and env.analysis.graph is not None:
        length: Expr | None = graph_predicates.path_length(node, env)
        if length is not None:
            return length
    if name == "PROPERTY_EXISTS":
        exists: Expr = graph_predicates.resolve_property_exists(node, env)
        return exists
    if name in _OF_SEVERAL and len(node.arguments) < 2:
        raise BadCall(f"Function {name}() requires at least 2 arguments", at=node.at)
    catalog = env.analysis.catalog
    hints = check_hints(node.hint, HintTarget.FUNCTION, env.analysis)
    function = catalog.scalars.get(name)
    if function is not None and not function.hidden:
        return _hinted(_scalar_call(node, function, safe, env), hints)
    aggregate = catalog.aggregates.get(name)
    if aggregate is not None and not name.startswith("$"):
        return resolve_aggregate(node, aggregate, safe, env)
    if name in catalog.unsupported:
        raise Unsupported(f"Function {name}")
    user_defined = _user_defined_call(node, env)
    if user_defined is not None:
        return _hinted(user_defined, hints)
    if name == "ML.PREDICT":
        raise BadCall(f"Table-valued function {name} can only be called in FROM", at=node.at)
    if (signature := catalog.foreign.get(name)) is not None:
        raise _foreign_call(node, name, signature, env)
    known = (*catalog.scalars, *catalog.aggregates)
    callable_names = (each for each in known if not each.startswith("$"))
    raise FunctionNotFound(name, closest(name, callable_names), at=node.at)


# Functions that compare elements of a graph.
_OF_SEVERAL = frozenset({"SAME", "ALL_DIFFERENT"})


def _hinted(call: Expr, hints: Hints) -> Expr:
    """Return a call with the hint for the number of rows in a request."""
    rows = dict(hints).get(BATCH_ROWS_HINT)
    return replace(call, batch_rows=rows) if rows and isinstance(call, FunctionCall) else call


def _foreign_call(node: ast.Call, name: str, signature: str, env: Env) -> AnalysisError:
    """Return the error for a call of a function that GoogleSQL has and Spanner has not."""
    for written in node.arguments:
        resolve(written, env)
    parameters = [each for each in signature.partition("(")[2][:-1].split(", ") if each]
    required = sum(not each.startswith("[") for each in parameters)
    if not required <= len(node.arguments) <= len(parameters):
        return WrongArgumentCount(f"function {name}", signature, at=node.at)
    return FunctionNotInSpanner(name)


def _scalar_call(node: ast.Call, function: Function, safe: bool, env: Env) -> Expr:
    _refuse_aggregate_modifiers(node, function.name)
    if function.name == PENDING_COMMIT_TIMESTAMP:
        raise PendingCommitTimestampMisplaced(at=node.at)
    if safe and not function.safe_allowed:
        raise Unsupported(f"SAFE.{function.name}")
    analysis = env.analysis
    analysis.enter("nested function calls", analysis.limits.function_depth, node.at)
    arguments, names = _arguments(node, function, env)
    analysis.leave("nested function calls")
    _refuse_positional(node, function)
    if env.analysis.graph is not None:
        if function.name in _IDENTITY_FUNCTIONS:
            arguments = [graph_predicates.narrowed(each, env.analysis) for each in arguments]
        elif function.name == "ARRAY_LENGTH":
            arguments = [graph_predicates.light_array(each, env.analysis) for each in arguments]
    if (codes := _SHOWN_AS_TEXT.get(function.name)) is not None:
        arguments = [_as_text(argument, codes, env) for argument in arguments]
    call = function_call(function, arguments, names, analysis, node.at)
    _check_constants(call, function, node)
    if function.name == "FORMAT" and type(node.arguments[0]) is ast.StringLiteral:
        _check_format(call, node.at)
    if function.name in _NEEDS_READ_WRITE:
        analysis.traits.needs_read_write = True
    if function.name == "IF":
        return if_as_case(call)
    if function.chapter == "search":
        return search_calls.checked_search_call(call, function.name, analysis, node.at)
    if function.name in _APPROXIMATE:
        call = approximation(call)
    if call.signature.target is not None:
        remote_calls.check_ai_call(call, node)
    return replace(call, safe=True) if safe else call


# Functions of graph elements that need no property of an element.
_IDENTITY_FUNCTIONS = frozenset(
    {
        "ALL_DIFFERENT",
        "DESTINATION_NODE_ID",
        "ELEMENT_DEFINITION_NAME",
        "ELEMENT_ID",
        "SAME",
        "SOURCE_NODE_ID",
    }
)
# Functions that format values, and the types of the arguments that are first converted to text,
# because the conversion needs the descriptors of the type.
_SHOWN_AS_TEXT: Mapping[str, frozenset[TypeCode]] = {
    "FORMAT": frozenset({TypeCode.ENUM, TypeCode.PROTO}),
    "TO_JSON": frozenset({TypeCode.ENUM}),
}


def _as_text(argument: Argument, codes: frozenset[TypeCode], env: Env) -> Argument:
    if not isinstance(argument, Expr) or argument.type.code not in codes:
        return argument
    if argument.type.code is TypeCode.PROTO:
        return messages.format_argument(argument, env.analysis.schema)
    return messages.convert(argument, STRING, env.analysis.schema, 0)


def _refuse_aggregate_modifiers(node: ast.Call, name: str) -> None:
    if node.distinct:
        raise BadCall(f"Non-aggregate function {name} cannot be called with DISTINCT", at=node.at)
    if node.order_by:
        problem = "ORDER BY in arguments is not supported on scalar functions"
        raise BadCall(problem, at=node.order_by[0].clause_at)
    for written, clause in (
        (node.limit, "LIMIT in arguments is"),
        (node.nulls, "IGNORE NULLS and RESPECT NULLS are"),
        (node.having, "HAVING in arguments is"),
    ):
        if written:
            raise BadCall(f"{clause} not supported on scalar functions", at=node.at)


def _arguments(
    node: ast.Call, function: Function, env: Env
) -> tuple[list[Argument], Mapping[str, int]]:
    """Resolve the arguments of a call; return them with the indexes of the named arguments."""
    words = special_positions(function)
    arguments: list[Argument] = []
    names: dict[str, int] = {}
    last_name_at = -1
    for written in node.arguments:
        if type(written) is ast.NamedArgument:
            key = written.name.name.lower()
            if key in names:
                raise BadCall(f"Duplicate named argument {written.name.name} found", at=written.at)
            if not _is_parameter(key, function):
                raise BadCall(
                    f"Named argument `{written.name.name}` not found in signature for call to "
                    f"function {function.name}",
                    at=written.at,
                )
            names[key] = len(arguments)
            last_name_at = written.at
            arguments.append(_argument(written.value, env))
            continue
        if names:
            raise BadCall(
                f"Call to function {function.name} must not specify positional arguments after "
                "named arguments",
                at=last_name_at,
            )
        if len(arguments) + 1 in words and function.name in _TAKE_INTERVALS:
            arguments.extend(_interval_arguments(written, node, function.name, env))
            continue
        kind = words.get(len(arguments))
        special = None if kind is None else special_argument(kind, written, node, env)
        arguments.append(_argument(written, env) if special is None else special)
    return arguments, names


def _is_parameter(name: str, function: Function) -> bool:
    parameters = (parameter for overload in function.overloads for parameter in overload.parameters)
    return any(parameter.name and parameter.name.lower() == name for parameter in parameters)


def _refuse_positional(node: ast.Call, function: Function) -> None:
    """Raise PositionalNotAllowed if a named-only argument is passed by position."""
    if len(function.overloads) > 1:
        return
    for parameter, written in zip(function.overloads[0].parameters, node.arguments, strict=False):
        if parameter.arity is Arity.REPEATED:
            return  # positions after a repeated parameter do not identify parameters
        if parameter.named_only and type(written) is not ast.NamedArgument:
            raise PositionalNotAllowed(parameter.name, at=written.at)


def _argument(node: ast.Expression, env: Env) -> Argument:
    return _lambda_argument(node, env) if type(node) is ast.Lambda else resolve(node, env)


def _interval_arguments(
    node: ast.Expression, call: ast.Call, function: str, env: Env
) -> Sequence[Argument]:
    """Return INTERVAL n DAY, as DATE_ADD and similar functions take it, as two arguments n, DAY."""
    if type(node) is not ast.IntervalExpression or node.to_part is not None:
        raise BadCall("Expected INTERVAL expression", at=node.at)
    part = node.part.upper()
    check_known(part, node.part_at)
    check_part(function, part, call.at, function)
    return (resolve_int64_amount(node.amount, env), date_part(part))


def _lambda_argument(node: ast.Lambda, env: Env) -> LambdaArgument:
    def resolve_body(types: Sequence[Type]) -> LambdaExpr:
        columns = tuple(
            env.analysis.column(parameter.name, type_)
            for parameter, type_ in zip(node.parameters, types, strict=True)
        )
        names: dict[str, Expr | None] = {}
        for column in columns:
            key = env.analysis.fold(column.name)
            if key in names:
                raise BadCall(f"Lambda argument name `{column.name}` is repeated", at=node.at)
            names[key] = ColumnRef(column.type, column)
        body = resolve(node.body, env.inside(Scope(env.scope, names=names)))
        return LambdaExpr(body.type, columns, body)

    return LambdaArgument(node, resolve_body)


def _check_constants(call: FunctionCall, function: Function, node: ast.Call) -> None:
    """Raise ExpectsConstant if an argument that must be a literal or a parameter is neither."""
    for overload in function.overloads:
        if not any(parameter.literal for parameter in overload.parameters):
            continue
        for number, (parameter, argument) in enumerate(
            zip(overload.parameters, call.arguments, strict=False)
        ):
            if parameter.literal and not isinstance(argument, Literal | ParameterRef):
                at = node.arguments[number].at
                raise ExpectsConstant(f"Argument {number + 1} to {function.name}", at=at)


def _check_format(call: FunctionCall, at: int) -> None:
    """Raise BadCall if a literal FORMAT pattern is invalid for the types of the arguments."""
    pattern = call.arguments[0]
    if isinstance(pattern, Literal) and pattern.value is not None:
        try:
            format_text.check(pattern.value, call.signature.argument_types[1:])
        except EvaluationError as failure:
            raise BadCall(str(failure), at=at) from None


def resolve_named_argument(node: ast.NamedArgument, _: Env) -> Expr:
    """Resolve a named argument outside of a call, which is an error."""
    raise BadCall("Named arguments are only allowed in function calls", at=node.at)


def resolve_star(node: ast.Star, _: Env) -> Expr:
    """Resolve a star outside of the places that allow it, which is an error."""
    raise BadCall("Argument * can only be used in COUNT(*)", at=node.at)


def resolve_word(node: ast.SequenceArgument, _: Env) -> Expr:
    """Resolve SEQUENCE name outside of a call, which is an error."""
    raise BadCall(f"{node.kind} arguments are not allowed here", at=node.at)


def resolve_lambda(node: ast.Lambda, _: Env) -> Expr:
    """Resolve a lambda outside of a call, which is an error."""
    raise BadCall("Lambda arguments are not allowed here", at=node.at)
