"""Resolves the items of ORDER BY."""

from __future__ import annotations

import re

from spanemu.base.errors import Unsupported
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.grouping import NotOrderable
from spanemu.sql.analyzer.errors.shape import BadCollation, BadQuery
from spanemu.sql.analyzer.expression import resolve
from spanemu.sql.analyzer.resolved import Expr, SortKey
from spanemu.sql.functions.comparison import is_orderable
from spanemu.sql.syntax import ast
from spanemu.values.types import STRING

_COLLATION = re.compile(r"(binary|(unicode|und|[a-z]{2,3}([_-]\w{2,8})*)(:c[is])?)", re.IGNORECASE)


def sort_key(item: ast.OrderItem, env: Env) -> SortKey:
    """One item of ORDER BY."""
    return sort_key_of(item, resolve(item.value, env))


def sort_key_of(item: ast.OrderItem, value: Expr, clause: str = "ORDER BY") -> SortKey:
    """The item's order on a value that is resolved already."""
    if not is_orderable(value.type):
        raise NotOrderable(clause, str(value.type), at=item.at)
    # NULL is less than everything else.
    nulls_first = not item.descending if item.nulls is None else item.nulls == "FIRST"
    return SortKey(value, item.descending, nulls_first, _collation(item, value))


def _collation(item: ast.OrderItem, value: Expr) -> str:
    written = item.collation
    if written is None:
        return ""
    if value.type != STRING:
        raise BadQuery(
            "COLLATE can only be applied to expressions of type STRING, but was applied to "
            f"{value.type}",
            at=written.at,
        )
    if type(written) is not ast.StringLiteral:
        raise Unsupported("COLLATE with a parameter")
    if not _COLLATION.fullmatch(written.value):
        raise BadCollation(written.value, at=written.at)
    return written.value.lower()
