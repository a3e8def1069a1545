"""Resolves a select list, with the expansion of stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.tree import is_equivalent
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import ExpandedColumn
from spanemu.sql.postgresql.analyzer.errors.queries import BadQuery
from spanemu.sql.postgresql.analyzer.expressions.coercion import as_output
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.output_name import output_name
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import Expr


@dataclass(slots=True)
class SelectColumn:
    """One column of a select list; `expression` may be of type UNKNOWN until its use decides."""

    name: str
    expression: Expr
    at: int
    aggregated: bool = False  # contains an aggregate call

    def settle(self, env: Env) -> Expr:
        """Return the value, which becomes text if it is of type UNKNOWN."""
        self.expression = as_output(self.expression, env.analysis, self.at)
        return self.expression


def resolve_items(
    items: Sequence[ast.SelectItem], source: Relation | None, env: Env
) -> list[SelectColumn]:
    """Resolve the columns of a select list over `source`, with stars expanded."""
    columns: list[SelectColumn] = []
    calls = [] if env.aggregation is None else env.aggregation.calls
    for item in items:
        if isinstance(item.value, ast.Star):
            columns += _star(item.value, source, env)
            continue
        before = len(calls)
        expression = resolve(item.value, env)
        name = output_name(item.value) if item.alias is None else item.alias.name
        columns.append(SelectColumn(name, expression, item.value.at, len(calls) > before))
    return columns


def _star(node: ast.Star, source: Relation | None, env: Env) -> list[SelectColumn]:
    scope: Scope = env.scope
    if node.path is not None:
        source, scope = env.scope.table(list(node.path.parts), node.at)
    elif source is None:
        raise BadQuery("SELECT * with no tables specified is not valid", at=node.at)
    columns = [
        SelectColumn(name, scope.record(expression, name, node.at), node.at)
        for name, expression in source.star()
    ]
    env.analysis.expansions[node.at] = tuple(
        ExpandedColumn(_table_of(column, source), column.name) for column in columns
    )
    return columns


def _table_of(column: SelectColumn, source: Relation) -> str:
    """Return the alias of the table of a column; "" for a column that USING merges."""
    for relation in source.aliases().values():
        if is_equivalent(relation.column(column.name, column.at), column.expression):
            return relation.alias
    return ""
