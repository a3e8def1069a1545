"""Resolves the items of ORDER BY."""

from __future__ import annotations

from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.grouping import NotOrderable
from spanemu.sql.analyzer.errors.shape import BadCollation, BadQuery
from spanemu.sql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.analyzer.expressions.expression import resolve
from spanemu.sql.analyzer.resolved import Expr, Literal, SortKey
from spanemu.sql.functions.comparison import is_orderable
from spanemu.sql.functions.text.collation import is_collation
from spanemu.sql.syntax import ast
from spanemu.values.types import STRING


def sort_key(item: ast.OrderItem, env: Env) -> SortKey:
    """One item of ORDER BY."""
    return sort_key_of(item, resolve(item.value, env), env)


def sort_key_of(item: ast.OrderItem, value: Expr, env: Env) -> SortKey:
    """The item's order on a value that is resolved already."""
    if not is_orderable(value.type):
        raise NotOrderable("ORDER BY", str(value.type), at=item.at)
    # NULL is less than everything else.
    nulls_first = not item.descending
    written = item.collation
    if written is None:
        return SortKey(value, item.descending, nulls_first)
    if value.type != STRING:
        raise BadQuery(
            "COLLATE can only be applied to expressions of type STRING, but was applied to "
            f"{value.type}",
            at=written.at,
        )
    collation = resolve(written, env)
    if not fits(collation, STRING, env.analysis):
        raise BadQuery(
            f"COLLATE must be followed by a string literal or a string parameter, not "
            f"{collation.type}",
            at=written.at,
        )
    collation = coerce(collation, STRING, env.analysis, written.at)
    if not isinstance(collation, Literal):
        return SortKey(value, item.descending, nulls_first, collation)
    if not is_collation(collation.value):
        raise BadCollation(collation.value, at=written.at)
    return SortKey(value, item.descending, nulls_first, collation)
