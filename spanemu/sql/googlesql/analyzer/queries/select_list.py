"""Resolves a select list, with the expansion of stars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from spanemu.base.record import dataclass
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import BadQuery
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.expressions.names import implied_name
from spanemu.sql.googlesql.analyzer.name_errors import UnrecognizedName, closest
from spanemu.sql.googlesql.analyzer.queries import value_relation
from spanemu.sql.googlesql.analyzer.scope import Env, Origin, Scope
from spanemu.sql.resolved import Expr

# The literals that are no number of a column.
LITERALS: frozenset[type[ast.Expression]] = frozenset(
    {
        ast.NullLiteral,
        ast.BoolLiteral,
        ast.FloatLiteral,
        ast.StringLiteral,
        ast.BytesLiteral,
        ast.TypedLiteral,
    }
)


@dataclass(slots=True)
class SelectColumn:
    """One column of a select list; `name` is "" for a column without a name."""

    name: str
    expression: Expr
    at: int
    aggregated: bool = False  # contains an aggregate call


def ordinal(node: ast.Expression) -> int | None:
    """Return the value of an integer literal, which numbers a select column, or None."""
    return node.value if type(node) is ast.IntLiteral else None


def resolve_items(
    items: Sequence[ast.SelectItem | ast.SelectStar], source: Relation | None, env: Env
) -> list[SelectColumn]:
    """Resolve the columns of a select list over `source`, with stars expanded."""
    columns: list[SelectColumn] = []
    calls = [] if env.aggregation is None else env.aggregation.calls
    for item in items:
        before = len(calls)
        if isinstance(item, ast.SelectStar):
            for name, value in _star(item, source, env):
                columns.append(SelectColumn(name, value, item.at, len(calls) > before))
            continue
        expression = resolve(item.value, env)
        name = implied_name(item.value) if item.alias is None else item.alias.name
        columns.append(SelectColumn(name, expression, item.value.at, len(calls) > before))
    return columns


def _star(node: ast.SelectStar, source: Relation | None, env: Env) -> Iterable[tuple[str, Expr]]:
    columns = _expanded(node, source, env)
    if node.excepted or node.replaced:
        return _apply_modifiers(node, columns, env)
    return columns


def _expanded(
    node: ast.SelectStar, source: Relation | None, env: Env
) -> Sequence[tuple[str, Expr]]:
    if env.analysis.strict:
        what = "SELECT *" if node.operand is None else "Dot-star"
        raise BadQuery(f"{what} is not allowed in strict name resolution mode", at=node.at)
    if node.operand is None:
        if source is None:
            raise BadQuery("SELECT * must have a FROM clause", at=node.at)
        return _record_columns(source, node.at, env.scope)
    match = _range_variable(node.operand, env)
    if match is not None:
        relation, scope = match
        return _record_columns(relation, node.at, scope)
    operand = resolve(node.operand, env)
    members = value_relation.members_of(operand.type, env.analysis.schema, node.at)
    if members is None:
        raise BadQuery(f"Dot-star is not supported for type {operand.type}", at=node.at)
    return list(members.fields(operand))


def _range_variable(operand: ast.Expression, env: Env) -> tuple[Relation, Scope] | None:
    """Return the table that a name denotes and the table's scope, which can be an outer scope."""
    if type(operand) is not ast.Name or len(operand.path.parts) != 1:
        return None
    name = operand.path.parts[0]
    match = env.scope.lookup(name, env.analysis.fold)
    if match is None:
        raise UnrecognizedName(name.name, closest(name.name, env.scope.visible_names()), at=name.at)
    # The caller refuses a value without fields by its type.
    target = match.target
    if isinstance(target, Relation) and not target.is_value:
        return target, match.scope
    return None


def _record_columns(relation: Relation, at: int, scope: Scope) -> Sequence[tuple[str, Expr]]:
    """Return the columns of a relation, recorded as origins for the check of grouping."""
    columns = list(relation.star())
    if scope.origins is not None:
        scope.origins.extend(
            Origin(expression, at, "Star expansion", f"column {name}")
            for name, expression in columns
        )
    return columns


def _apply_modifiers(
    node: ast.SelectStar, columns: Sequence[tuple[str, Expr]], env: Env
) -> Sequence[tuple[str, Expr]]:
    """Apply EXCEPT and REPLACE to the columns of a star."""
    excepted = _distinct_names(node.excepted, "EXCEPT", env)
    replaced = _distinct_names([name for _, name in node.replaced], "REPLACE", env)
    fold = env.analysis.fold
    known = {fold(name) for name, _ in columns}
    for names, clause in ((excepted, "EXCEPT"), (replaced, "REPLACE")):
        for key, identifier in names.items():
            if key not in known:
                raise BadQuery(
                    f"Column {identifier.name} in SELECT * {clause} list does not exist",
                    at=identifier.at,
                )
    for key in excepted.keys() & replaced.keys():
        raise BadQuery(
            f"Column {excepted[key].name} cannot occur in both SELECT * EXCEPT and REPLACE",
            at=replaced[key].at,
        )
    values = {fold(name.name): (name.name, resolve(value, env)) for value, name in node.replaced}
    kept = [
        values.get(fold(name), (name, expression))
        for name, expression in columns
        if fold(name) not in excepted
    ]
    if not kept:
        raise BadQuery("SELECT * expands to zero columns after applying EXCEPT", at=node.at)
    return kept


def _distinct_names(
    identifiers: Sequence[ast.Identifier], clause: str, env: Env
) -> Mapping[str, ast.Identifier]:
    names: dict[str, ast.Identifier] = {}
    for identifier in identifiers:
        key = env.analysis.fold(identifier.name)
        if key in names:
            raise BadQuery(
                f"Duplicate column {identifier.name} in SELECT * {clause} list", at=identifier.at
            )
        names[key] = identifier
    return names
