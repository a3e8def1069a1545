"""Resolves constructors of arrays and structs, subscripts, and WITH(...).

A braced constructor without a type does not name its message type:

    ARRAY<Chart>[{rank: 1}]     STRUCT<Chart>({rank: 1})     UPDATE t SET Chart = {rank: 1}

A caller that knows the type from the context therefore adds the type to the syntax tree before it
resolves the tree (Data types, "NEW protocol_buffer {...}"). Nested braces take their type from the
field (`message_constructors`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spanemu.base.deadline_checks import interruptible
from spanemu.base.errors import Unsupported
from spanemu.sql.analysis.errors import AmbiguousColumn, LimitExceeded
from spanemu.sql.errors import STRUCT_FIELDS
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import (
    BadCall,
    ElementDoesNotCoerce,
    FieldDoesNotCoerce,
    NestedArray,
    WrongFieldCount,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import array_element_type, coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.names import implied_name
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.analyzer.type_names import STRUCT_FIELDS_MAX, named_type
from spanemu.sql.resolved import ColumnRef, Expr, Let, Literal, MakeArray, MakeStruct
from spanemu.values.types import INT64, STRING, StructField, Type, TypeCode, array_of

_ARRAY_SUBSCRIPTS: Mapping[str, str] = {
    "OFFSET": "$array_at_offset",
    "ORDINAL": "$array_at_ordinal",
    "SAFE_OFFSET": "$safe_array_at_offset",
    "SAFE_ORDINAL": "$safe_array_at_ordinal",
}


def fix_type(expression: Expr) -> Expr:
    """Return `expression`; an explicit type turns an untyped literal into a typed literal."""
    if type(expression) is Literal and expression.image is not None:
        return Literal(expression.type, expression.value)
    return expression


def resolve_array(node: ast.ArrayConstructor, env: Env) -> Expr:
    """Resolve an array constructor."""
    if node.type is not None:
        return _typed_array(node, named_type(node.type, env.analysis.schema), env)
    items = [resolve(item, env) for item in node.items]
    _refuse_nested(node, items)
    if not items:
        return Literal(array_of(INT64), (), "")
    element = array_element_type(items, env.analysis, node.at)
    passed = (
        coerce(item, element, env.analysis, written.at)
        for item, written in zip(interruptible(items), node.items, strict=True)
    )
    return MakeArray(array_of(element), tuple(passed))


def _refuse_nested(node: ast.ArrayConstructor, items: list[Expr]) -> None:
    for item, written in zip(items, node.items, strict=True):
        if item.type.is_array:
            raise NestedArray(
                f"Cannot construct array with element type {item.type} because nested arrays are "
                "not supported",
                at=written.at,
            )


def _typed_array(node: ast.ArrayConstructor, named: Type, env: Env) -> Expr:
    declared = named if named.is_array else array_of(named)
    element = declared.item()
    if not node.items:
        env.analysis.refuse_empty_array(declared)
    items = [resolve(infer_brace_types(item, element), env) for item in node.items]
    _refuse_nested(node, items)
    passed = []
    for item, written in zip(interruptible(items), node.items, strict=True):
        if not fits(item, element, env.analysis):
            raise ElementDoesNotCoerce(str(item.type), str(element), at=written.at)
        passed.append(fix_type(coerce(item, element, env.analysis, written.at)))
    return MakeArray(declared, tuple(passed)) if passed else Literal(declared, ())


def resolve_struct(node: ast.StructConstructor, env: Env) -> Expr:
    """Resolve a struct constructor."""
    env.analysis.in_struct += 1
    struct = _struct(node, env)
    env.analysis.in_struct -= 1
    return struct


def _struct(node: ast.StructConstructor, env: Env) -> Expr:
    if node.type is not None:
        return _typed_struct(node, named_type(node.type, env.analysis.schema), env)
    if len(node.items) > STRUCT_FIELDS_MAX:
        raise LimitExceeded(STRUCT_FIELDS, STRUCT_FIELDS_MAX, at=node.at)
    values = [resolve(value, env) for value, _ in node.items]
    names = [
        "" if node.tuple_form else alias.name if alias is not None else implied_name(value)
        for value, alias in node.items
    ]
    fields = (StructField(name, value.type) for name, value in zip(names, values, strict=True))
    return MakeStruct(Type(TypeCode.STRUCT, fields=tuple(fields)), tuple(values))


def _typed_struct(node: ast.StructConstructor, declared: Type, env: Env) -> Expr:
    if len(declared.fields) != len(node.items):
        raise WrongFieldCount(len(declared.fields), len(node.items), at=node.at)
    passed = []
    for number, (field, item) in enumerate(zip(declared.fields, node.items, strict=True)):
        written, alias = item
        if alias is not None:
            raise BadCall(
                "STRUCT constructors cannot specify both an explicit type and field names with AS",
                at=alias.at,
            )
        value = resolve(infer_brace_types(written, field.type), env)
        if not fits(value, field.type, env.analysis):
            raise FieldDoesNotCoerce(number + 1, str(value.type), str(field.type), at=written.at)
        passed.append(fix_type(coerce(value, field.type, env.analysis, written.at)))
    return MakeStruct(declared, tuple(passed))


def resolve_subscript_expression(node: ast.Subscript, env: Env) -> Expr:
    """Resolve an element of an array or of JSON."""
    return resolve_subscript(resolve(node.operand, env), node, env)


def resolve_subscript(operand: Expr, node: ast.Subscript, env: Env) -> Expr:
    """Resolve the element access `node` on the resolved `operand`, an array or JSON value.

    Raise BadCall for an index or an operand of another type.
    """
    index = resolve(node.index, env)
    if operand.type.is_array:
        mode = node.mode or ("OFFSET" if _is_in_graph_query(env) else "")
        if not mode:
            raise BadCall(
                "Array element access with array[position] is not supported. Use "
                "array[OFFSET(zero_based_offset)] or array[ORDINAL(one_based_ordinal)]",
                at=node.inside_at,
            )
        name = _ARRAY_SUBSCRIPTS.get(mode)
        if name is None:
            raise Unsupported("Subscripts by key")
        if not fits(index, INT64, env.analysis):
            raise BadCall(
                f"Array position in {mode} must be coercible to INT64 type, but has type "
                f"{index.type}",
                at=node.index.at,
            )
        return operator_call(name, (operand, index), env.analysis, node.at)
    keys = (STRING, INT64)
    if (
        operand.type.code is TypeCode.JSON
        and not node.mode
        and any(fits(index, type_, env.analysis) for type_ in keys)
    ):
        return operator_call("$json_subscript", (operand, index), env.analysis, node.at)
    written = f"[{node.mode}({index.type})]" if node.mode else f"[{index.type}]"
    raise BadCall(
        f"Subscript access using {written} is not supported on values of type {operand.type}",
        at=node.inside_at,
    )


def _is_in_graph_query(env: Env) -> bool:
    """Return whether an array may be followed by a plain offset, as in EDGES(p)[1]."""
    graph = env.analysis.graph
    return graph is not None and bool(graph.catalogs)


def resolve_with(node: ast.WithExpression, env: Env) -> Expr:
    """Resolve WITH as an expression."""
    bindings = []
    seen: set[str] = set()
    for name, written in node.bindings:
        key = env.analysis.fold(name.name)
        if key in seen:
            raise AmbiguousColumn(name.name, at=name.at)
        seen.add(key)
        value = resolve(written, env)
        column = env.analysis.column(name.name, value.type)
        bindings.append((column, value))
        env = env.inside(Scope(env.scope, names={key: ColumnRef(value.type, column)}))
    result = resolve(node.result, env)
    return Let(result.type, tuple(bindings), result)


# ---------------------------------------------------------------------------- braces


def infer_brace_types(node: ast.Expression, expected: Type) -> ast.Expression:
    """Return `node` with the untyped braces in it given their types from the type `expected`."""
    if isinstance(node, ast.BracedConstructor):
        if node.type is None and expected.code is TypeCode.PROTO:
            return replace(node, type=_name_of(expected, node))
    elif isinstance(node, ast.ArrayConstructor):
        if node.type is None and expected.is_array and _may_hold_message(expected):
            element = expected.item()
            return replace(
                node, items=tuple([infer_brace_types(item, element) for item in node.items])
            )
    elif (
        isinstance(node, ast.StructConstructor)
        and node.type is None
        and len(node.items) == len(expected.fields)
        and _may_hold_message(expected)
    ):
        fields = zip(node.items, expected.fields, strict=True)
        items = [(infer_brace_types(value, field.type), alias) for (value, alias), field in fields]
        return replace(node, items=tuple(items))
    return node


def _may_hold_message(type_: Type) -> bool:
    if type_.is_array:
        return _may_hold_message(type_.item())
    if type_.is_struct:
        return any(_may_hold_message(field.type) for field in type_.fields)
    return type_.code is TypeCode.PROTO


def _name_of(type_: Type, node: ast.BracedConstructor) -> ast.TypeName:
    at, end = node.at, node.end
    parts = tuple([ast.Identifier(part, at=at, end=end) for part in type_.proto_name.split(".")])
    return ast.TypeName(path=ast.Path(parts, at=at, end=end), at=at, end=end)
