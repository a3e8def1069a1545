"""Resolves nested DML: statements that treat the elements of an array as rows.

    (DELETE xs x WHERE c), (UPDATE xs x SET x = v WHERE d), (INSERT xs VALUES (w))

assign the array

    ARRAY(SELECT CASE WHEN d THEN v ELSE x END FROM UNNEST(xs) AS x WITH OFFSET
          WHERE c IS NOT TRUE ORDER BY offset) || [w]

Every nested statement reads the original array. The element is the only name in scope inside a
nested statement; the columns of the row are not. If the elements are messages, SET can contain
nested statements on repeated fields of the element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.dml.writing import (
    AssignedPart,
    AssignedParts,
    fit_selected,
    resolve_assert_rows,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.constructors import infer_brace_types
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_condition
from spanemu.sql.googlesql.analyzer.expressions.literals import null_literal
from spanemu.sql.googlesql.analyzer.expressions.message_constructors import Change, assign_fields
from spanemu.sql.googlesql.analyzer.expressions.names import resolve_path
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.analyzer.name_errors import UnrecognizedName
from spanemu.sql.googlesql.analyzer.queries.value_relation import ValueRelation, members_of
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.analyzer.write_errors import (
    BadWrite,
    CannotAssignField,
    ValueDoesNotFit,
    WrongRowWidth,
)
from spanemu.sql.resolved import (
    ArrayScan,
    Case,
    ColumnRef,
    Expr,
    FilterScan,
    FunctionCall,
    Literal,
    MakeArray,
    Or,
    OrderScan,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SingleRow,
    SortKey,
    SubqueryExpr,
    SubqueryKind,
)
from spanemu.values.types import BOOL, INT64, Type, TypeCode, array_of

_NAMES: dict[type[ast.NestedStatement], str] = {
    ast.NestedDelete: "DELETE",
    ast.NestedUpdate: "UPDATE",
    ast.NestedInsert: "INSERT",
}
_ORDER = tuple(_NAMES.values())


def apply_nested_statements(part: AssignedPart, parts: AssignedParts, env: Env) -> Expr:
    """Return the array at `part` after all nested statements that target it.

    Raise BadWrite if the target is not an array or the statements are not in order.
    """
    statements, name, analysis = part.statements, parts.display_name(part.path), env.analysis
    target = statements[0].target
    array = resolve_path(target.parts, env, target.at)
    _check_statements(statements, array.type)
    first = _NAMES[type(statements[0])]
    value = array
    edits = [one for one in statements if not isinstance(one, ast.NestedInsert)]
    if edits:
        value = _edited(edits, value, analysis)
    for number, statement in enumerate(statements):
        if isinstance(statement, ast.NestedInsert):
            added = _inserted(statement, name, array.type, analysis)
            value = operator_call("$concat_op", (value, added), analysis, statement.at)
            value = _asserted(statement.assert_rows, value, added, analysis)
        elif isinstance(statement, ast.NestedDelete | ast.NestedUpdate) and statement.assert_rows:
            matched = _matched(statement, statements[:number], array, analysis)
            value = _asserted(statement.assert_rows, value, matched, analysis)
    return FunctionCall(array.type, _changed_array(array.type, first), (array, value))


def resolve_field_changes(parts: AssignedParts, env: Env) -> list[Change]:
    """Return the new values of the fields of a message, each computed from the original message."""
    changes: list[Change] = []
    for part in parts.parts:
        assigned = part.assignment
        if assigned is not None:
            changes.append(Change(part.path, _field_value(assigned.value, env), assigned.value.at))
        else:
            at = part.statements[0].at
            changes.append(Change(part.path, apply_nested_statements(part, parts, env), at))
    return changes


def _field_value(node: ast.Expression, env: Env) -> Expr:
    """Resolve the value of a field; DEFAULT clears the field."""
    return null_literal() if type(node) is ast.DefaultKeyword else resolve(node, env)


def _check_statements(statements: Sequence[ast.NestedStatement], type_: Type) -> None:
    """Raise BadWrite unless the target is an array and the statements are in order of execution."""
    latest_rank = 0
    for statement in statements:
        name = _NAMES[type(statement)]
        if not type_.is_array:
            raise BadWrite(
                f"Update target {statement.target} for nested {name} must be of type ARRAY, but "
                f"was {type_}",
                at=statement.target.at,
            )
        rank = _ORDER.index(name)
        if rank < latest_rank:
            raise BadWrite(
                f"{name} occurs after {_ORDER[latest_rank]} for {statement.target}; nested "
                "statements referencing the same field must be written in the order DELETE, "
                "UPDATE, INSERT",
                at=statement.at,
            )
        latest_rank = rank


def _edited(statements: Sequence[ast.NestedStatement], array: Expr, analysis: Analysis) -> Expr:
    """Return the array without the elements that a DELETE matches, with every UPDATE applied."""
    element = analysis.column("$element", array.type.item())
    offset = analysis.column("$offset", INT64)
    deleted: list[Expr] = []
    updated: list[tuple[Expr, Expr]] = []
    for statement in statements:
        env = _element_env(statement, element, analysis)
        if isinstance(statement, ast.NestedDelete):
            deleted.append(resolve_condition(statement.where, env))
        elif isinstance(statement, ast.NestedUpdate):
            value = _updated_element(statement, element, env)
            updated.append((resolve_condition(statement.where, env), value))
    scan: Scan = ArrayScan(None, array, element, offset)
    if deleted:
        is_deleted = deleted[0] if len(deleted) == 1 else Or(BOOL, tuple(deleted))
        kept = Case(BOOL, ((is_deleted, Literal(BOOL, False)),), Literal(BOOL, True))
        scan = FilterScan(scan, kept)
    result = analysis.column("$element", element.type)
    scan = ProjectScan(scan, ((result, _updated(updated, element)),))
    scan = OrderScan(scan, (SortKey(ColumnRef(INT64, offset)),))
    analysis.traits.subquery = True
    return SubqueryExpr(array.type, SubqueryKind.ARRAY, scan, (result,))


def _matched(
    statement: ast.NestedDelete | ast.NestedUpdate,
    earlier: Sequence[ast.NestedStatement],
    array: Expr,
    analysis: Analysis,
) -> Expr:
    """Return the offsets of the elements that `statement` modifies.

    Elements that a DELETE in `earlier` removes are left out.
    """
    element = analysis.column("$element", array.type.item())
    offset = analysis.column("$offset", INT64)
    scan: Scan = ArrayScan(None, array, element, offset)
    for statement_before in earlier:
        if isinstance(statement_before, ast.NestedDelete):
            deleted = resolve_condition(
                statement_before.where, _element_env(statement_before, element, analysis)
            )
            kept = Case(BOOL, ((deleted, Literal(BOOL, False)),), Literal(BOOL, True))
            scan = FilterScan(scan, kept)
    env = _element_env(statement, element, analysis)
    scan = FilterScan(scan, resolve_condition(statement.where, env))
    result = analysis.column("$offset", INT64)
    scan = ProjectScan(scan, ((result, ColumnRef(INT64, offset)),))
    analysis.traits.subquery = True
    return SubqueryExpr(array_of(INT64), SubqueryKind.ARRAY, scan, (result,))


def _asserted(
    count: ast.Expression | None, value: Expr, modified: Expr, analysis: Analysis
) -> Expr:
    """Wrap `value` in a check that as many elements are modified as ASSERT_ROWS_MODIFIED says."""
    expected = resolve_assert_rows(count, analysis)
    if expected is None:
        return value
    signature = _asserted_elements(value.type, modified.type)
    return FunctionCall(value.type, signature, (value, modified, expected))


def _updated(updates: Sequence[tuple[Expr, Expr]], element: ResolvedColumn) -> Expr:
    unchanged = ColumnRef(element.type, element)
    if not updates:
        return unchanged
    whens = tuple(updates)
    if len(updates) > 1:
        matches = tuple(condition for condition, _ in updates)
        several = FunctionCall(BOOL, _several_true(len(matches)), matches)
        whens = ((several, unchanged), *whens)
    return Case(element.type, whens, unchanged)


def _inserted(statement: ast.NestedInsert, name: str, type_: Type, analysis: Analysis) -> Expr:
    element_type = type_.item()
    if statement.query is not None:
        return _selected(statement.query, name, type_, analysis)
    env = Env(analysis, Scope(None), "nested INSERT", {})
    items = []
    for row in statement.rows:
        if len(row.values) != 1:
            raise WrongRowWidth(len(row.values), 1, at=row.at)
        items.append(_element_value(row.values[0], element_type, name, env))
    return MakeArray(type_, tuple(items))


def _selected(query: ast.Query, name: str, type_: Type, analysis: Analysis) -> Expr:
    element_type = type_.item()
    env = Env(analysis, Scope(None), "query", {})
    result = analysis.resolve_query(query, env)
    if len(result.columns) != 1:
        raise WrongRowWidth(len(result.columns), 1, at=query.at)
    result = fit_selected(result, [(name, element_type)], env, query.at)
    analysis.traits.subquery = True
    output = (result.columns[0][1],)
    return SubqueryExpr(type_, SubqueryKind.ARRAY, result.scan, output)


def _element_env(
    statement: ast.NestedStatement, element: ResolvedColumn, analysis: Analysis
) -> Env:
    members = members_of(element.type, analysis.schema, statement.at)
    relation = ValueRelation(_alias(statement).name, element, SingleRow(), analysis.fold, members)
    return Env(analysis, Scope(None, relation), f"nested {_NAMES[type(statement)]}", {})


def _alias(statement: ast.NestedStatement) -> ast.Identifier:
    written = getattr(statement, "alias", None)
    return written if isinstance(written, ast.Identifier) else statement.target.parts[-1]


def _updated_element(statement: ast.NestedUpdate, element: ResolvedColumn, env: Env) -> Expr:
    """Return the element after SET: a new value, or the message with changed fields."""
    alias = _alias(statement).name
    parts = AssignedParts(str(statement.target))
    for item in statement.items:
        first, *path = item.target.parts
        if env.analysis.fold(first.name) != env.analysis.fold(alias):
            raise UnrecognizedName(first.name, None, at=first.at)
        parts.add(tuple(path), item)
    whole = parts.whole_value
    if whole is not None:
        if whole.assignment is None:
            return apply_nested_statements(whole, parts, env)
        return _element_value(whole.assignment.value, element.type, parts.name, env)
    if element.type.code is not TypeCode.PROTO:
        raise CannotAssignField(str(element.type), at=parts.parts[0].path[0].at)
    before = ColumnRef(element.type, element)
    return assign_fields(before, parts.name, resolve_field_changes(parts, env), env.analysis)


def _element_value(node: ast.Expression, element_type: Type, display_name: str, env: Env) -> Expr:
    if type(node) is ast.DefaultKeyword:
        return Literal(element_type, None)
    value = resolve(infer_brace_types(node, element_type), env)
    if not fits(value, element_type, env.analysis):
        raise ValueDoesNotFit("Value", str(value.type), display_name, str(element_type), at=node.at)
    return coerce(value, element_type, env.analysis, node.at)


# ---------------------------------------------------------------------------- functions
#
# The functions that nested statements compile to; SQL has no names for them.


class NullArrayInNestedStatement(EvaluationError):
    prose = "Cannot execute a nested {statement} statement on a NULL array value"
    statement: str


class ElementUpdatedTwice(EvaluationError):
    prose = "Attempted to modify an array element with multiple nested UPDATE statements"


def _changed_array(type_: Type, statement: str) -> Signature:
    """Return the function (array before, array after) -> array after of a nested statement.

    The function raises NullArrayInNestedStatement if the array before is NULL.
    """

    def evaluate(before: Any, after: Any) -> Any:
        if before is None:
            raise NullArrayInNestedStatement(statement)
        return after

    return Signature("$changed_array", (type_, type_), type_, evaluate, Nulls.CALLED)


class ElementCountMismatch(EvaluationError):
    prose = "ASSERT_ROWS_MODIFIED expected {expected} array elements modified, but found {actual}"
    expected: int
    actual: int


def _asserted_elements(type_: Type, modified: Type) -> Signature:
    """Return the function (array, modified elements, asserted count) -> array.

    The function raises ElementCountMismatch if the number of modified elements is another.
    """

    def evaluate(after: Any, elements: Any, expected: Any) -> Any:
        if len(elements or ()) != expected:
            raise ElementCountMismatch(expected, len(elements or ()))
        return after

    return Signature("$asserted_elements", (type_, modified, INT64), type_, evaluate, Nulls.CALLED)


def _several_true(count: int) -> Signature:
    """Return a function of `count` BOOLs that returns FALSE.

    The function raises ElementUpdatedTwice if more than one argument is TRUE.
    """
    evaluate: Callable[..., bool] = _refuse_several
    return Signature("$several_true", (BOOL,) * count, BOOL, evaluate, Nulls.CALLED)


def _refuse_several(*hits: bool | None) -> bool:
    if hits.count(True) > 1:
        raise ElementUpdatedTwice
    return False
