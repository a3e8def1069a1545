"""Resolves the keys of GROUP BY, and rewrites expressions over the grouped rows.

A key is the number of a select column, the name of an input column or else of a select column, or
an expression.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.analysis import grouping
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.tree import ExpressionMap
from spanemu.sql.errors import GROUP_KEYS, AnalysisError
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.postgresql.analyzer.errors import NotGrouped, UnsupportedKeyType
from spanemu.sql.postgresql.analyzer.expressions.errors import MisplacedAggregate
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve_output
from spanemu.sql.postgresql.analyzer.queries.select_list import (
    Clause,
    SelectColumn,
    selected_column,
)
from spanemu.sql.postgresql.analyzer.scope import Env, Origin
from spanemu.sql.postgresql.types import title
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn
from spanemu.sql.syntax_tree import Expression, Name
from spanemu.values.types import PG_JSONB, Type

Keys = list[tuple[ResolvedColumn, Expr]]


def is_key_type(type_: Type) -> bool:
    """Return whether Spanner compares values of the type in GROUP BY, DISTINCT and UNION."""
    return is_groupable(type_) and not type_.is_array and type_ != PG_JSONB


def resolve_group_by(
    items: Sequence[Expression], columns: Sequence[SelectColumn], env: Env
) -> Keys:
    """Resolve the keys of GROUP BY, each with the column that holds it after grouping.

    Raise AnalysisError for an invalid key and for too many keys.
    """
    limit = env.analysis.limits.group_keys
    if len(items) > limit:
        raise LimitExceeded(GROUP_KEYS, limit, at=items[limit].at)
    keys: Keys = []
    known: ExpressionMap[ResolvedColumn] = ExpressionMap()
    for item in items:
        name, expression = _key(item, columns, env)
        if not is_key_type(expression.type):
            raise UnsupportedKeyType(Clause.GROUP_BY, title(expression.type), at=item.at)
        if known.find(expression) is None:
            column = env.analysis.column(name, expression.type)
            known.add(expression, column)
            keys.append((column, expression))
    return keys


def _key(node: Expression, columns: Sequence[SelectColumn], env: Env) -> tuple[str, Expr]:
    if isinstance(node, Name) and _is_input_column(node, env):
        column = None
    else:
        column = selected_column(node, columns, Clause.GROUP_BY)
    if column is None:
        expression = resolve_output(node, env)
        name = expression.column.name if isinstance(expression, ColumnRef) else "$groupby"
        return name, expression
    if column.aggregated:
        raise MisplacedAggregate("aggregate functions are not allowed in GROUP BY", at=node.at)
    return column.name, column.settle(env)


def _is_input_column(node: Name, env: Env) -> bool:
    """Return whether a name is a column of the SELECT's own FROM clause."""
    source = env.scope.source
    if len(node.path.parts) > 1 or source is None:
        return len(node.path.parts) > 1
    return any(name == node.path.parts[0].name for name in source.column_names())


class Grouping(grouping.Grouping[Origin]):
    """The keys of one SELECT; a key replaces each part of an expression that equals it."""

    def part_key(self, expression: Expr) -> ResolvedColumn | None:
        return self.whole.find(expression) if self.whole else None

    def refusal(self, origin: Origin) -> AnalysisError:
        return NotGrouped(origin.display_name, at=origin.at)
