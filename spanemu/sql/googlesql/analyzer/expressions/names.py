"""Resolves names and fields: `Title`, `a.Title`, `a.Address.City`, `doc.key`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.expressions import messages as proto_messages
from spanemu.sql.googlesql.analyzer.expressions import operator_call as calls
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.name_errors import (
    FieldOfUntypedParameter,
    NameAmbiguousInside,
    NameNotFoundInside,
    NeedsQualifier,
    NoFields,
    NoSuchField,
    SystemVariableUnknown,
    UnrecognizedName,
    closest,
)
from spanemu.sql.googlesql.analyzer.queries import value_relation
from spanemu.sql.googlesql.analyzer.scope import Env, NameMatch, Origin
from spanemu.sql.googlesql.graph.analyzer import properties as graph_properties
from spanemu.sql.resolved import Expr, Literal, ParameterRef
from spanemu.values.types import STRING, TypeCode

# Functions that can be called without parentheses; a column with such a name needs a qualifier.
_CALLED_BY_NAME = frozenset({"CURRENT_DATE", "CURRENT_TIMESTAMP"})


def is_called(parts: Sequence[ast.Identifier]) -> bool:
    """Return whether a name is a call of a function that needs no parentheses."""
    first = parts[0]
    return len(parts) == 1 and first.name.upper() in _CALLED_BY_NAME and not first.quoted


def resolve_path(parts: Sequence[ast.Identifier], env: Env, at: int) -> Expr:
    """Resolve a path: the first name in the scope, the others as columns and fields.

    Raise UnrecognizedName if the first name is not in scope, NeedsQualifier for an unqualified
    column of a table in a view.
    """
    first = parts[0]
    if is_called(parts):
        return calls.operator_call(first.name.upper(), (), env.analysis, at)
    match = env.scope.lookup(first, env.analysis.fold)
    if match is None:
        raise UnrecognizedName(first.name, closest(first.name, env.scope.visible_names()), at=at)
    if env.analysis.strict and match.source is not None and match.source.is_implicit(first.name):
        raise NeedsQualifier(first.name, at=first.at)
    used = 1
    target = match.target
    if isinstance(target, Relation):
        if len(parts) > 1 and not _is_plain_value(target):
            expression = _member(target, parts[0], parts[1])
            used = 2
        else:
            expression = target.row_value()
    else:
        expression = target
    if match.scope.origins is not None:
        _record_origin(match, expression, parts[:used], at, env.clause)
    for part in parts[used:]:
        expression = field_of(expression, part, env)
    return expression


def _is_plain_value(relation: Relation) -> bool:
    """Return whether a row is a value, as of UNNEST, so that a path continues with its fields."""
    return relation.is_value


def _member(relation: Relation, alias: ast.Identifier, name: ast.Identifier) -> Expr:
    try:
        column = relation.column(name.name, name.at)
    except AmbiguousColumn:
        raise NameAmbiguousInside(name.name, alias.name, at=name.at) from None
    if column is None:
        raise NameNotFoundInside(name.name, alias.name, at=name.at)
    return column


def _record_origin(
    match: NameMatch, expression: Expr, parts: Sequence[ast.Identifier], at: int, clause: str
) -> None:
    assert match.scope.origins is not None
    path = ".".join(part.name for part in parts)
    display_name = path if len(parts) > 1 else f"column {path}"
    match.scope.origins.append(Origin(expression, at, clause, display_name))


def field_of(expression: Expr, name: ast.Identifier, env: Env) -> Expr:
    """Resolve `expression.name`: a field of a STRUCT or a message, or a member of a JSON value."""
    if isinstance(expression, ParameterRef) and env.analysis.parameters.is_pending(expression):
        raise FieldOfUntypedParameter(name.name, expression.name, at=name.at)
    access = _FIELD_ACCESS.get(expression.type.code)
    if access is None:
        raise NoFields(name.name, str(expression.type), at=name.at)
    return access(expression, name, env)


def _struct_field(expression: Expr, name: ast.Identifier, _: Env) -> Expr:
    field = value_relation.StructMembers(expression.type).field(expression, name.name, name.at)
    if field is None:
        raise NoSuchField(name.name, str(expression.type), at=name.at)
    return field


def _json_member(expression: Expr, name: ast.Identifier, env: Env) -> Expr:
    return calls.operator_call(
        "$json_subscript", (expression, Literal(STRING, name.name)), env.analysis, name.at
    )


def _message_field(expression: Expr, name: ast.Identifier, env: Env) -> Expr:
    return proto_messages.field_access(expression, name, env.analysis)


def _property(expression: Expr, name: ast.Identifier, env: Env) -> Expr:
    value: Expr = graph_properties.property_of(expression, name, env)
    return value


_FIELD_ACCESS: Mapping[TypeCode, Callable[[Expr, ast.Identifier, Env], Expr]] = {
    TypeCode.STRUCT: _struct_field,
    TypeCode.JSON: _json_member,
    TypeCode.PROTO: _message_field,
    TypeCode.GRAPH_NODE: _property,
    TypeCode.GRAPH_EDGE: _property,
}


def resolve_name(node: ast.Name, env: Env) -> Expr:
    """Resolve a column, or a field of one."""
    return resolve_path(node.path.parts, env, node.at)


def resolve_field_access(node: ast.FieldAccess, env: Env) -> Expr:
    """Resolve a field of a value."""
    return field_of(resolve(node.operand, env), node.field_name, env)


def resolve_parameter(node: ast.Parameter, env: Env) -> Expr:
    """Resolve a query parameter."""
    return env.analysis.parameters.reference(node.name, node.at)


def resolve_system_variable(node: ast.SystemVariable, _: Env) -> Expr:
    """Resolve a system variable."""
    raise SystemVariableUnknown(str(node.path), at=node.at)


def implied_name(node: ast.Expression) -> str:
    """Return the name of the column or field that an expression without an alias makes, or ""."""
    if type(node) is ast.Name:
        return "" if is_called(node.path.parts) else node.path.parts[-1].name
    if type(node) is ast.FieldAccess:
        return node.field_name.name
    return ""
