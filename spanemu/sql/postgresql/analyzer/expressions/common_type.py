"""The common type of several expressions: the rule of CASE, COALESCE, ARRAY, VALUES and UNION.

The type of the first expression that is not unknown wins, unless a later one is of the same
category and the earlier type converts implicitly to it and not the other way round. If all are
unknown, the type is text.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.postgresql.analyzer.analysis import Analysis
from spanemu.sql.postgresql.analyzer.errors.typing import CannotConvert, TypesDoNotMatch
from spanemu.sql.postgresql.analyzer.expressions.coercion import can_coerce, coerce
from spanemu.sql.postgresql.foreign_types import category, is_preferred, title
from spanemu.sql.postgresql.types import UNKNOWN
from spanemu.sql.resolved import Expr
from spanemu.values.types import STRING, Type


def select_common_type(types: Sequence[Type]) -> Type | tuple[Type, Type]:
    """Return the common type, or the pair of types that have none."""
    common = types[0]
    for type_ in types[1:]:
        if type_ in (UNKNOWN, common):
            continue
        if common == UNKNOWN:
            common = type_
        elif category(type_) != category(common):
            return common, type_
        elif (
            not is_preferred(common) and can_coerce(common, type_) and not can_coerce(type_, common)
        ):
            common = type_
    return STRING if common == UNKNOWN else common


def common_type(expressions: Sequence[Expr], what: str, at: int) -> Type:
    """Return the common type of `expressions`. Raise TypesDoNotMatch, which names `what`."""
    selected = select_common_type([expression.type for expression in expressions])
    if isinstance(selected, tuple):
        raise TypesDoNotMatch(what, title(selected[0]), title(selected[1]), at=at)
    return selected


def coerce_to_common(
    expressions: Sequence[Expr], type_: Type, what: str, analysis: Analysis, at: int
) -> tuple[Expr, ...]:
    """Return the expressions as values of their common type."""
    for expression in expressions:
        if not can_coerce(expression.type, type_):
            raise CannotConvert(what, title(expression.type), title(type_), at=at)
    return tuple(coerce(expression, type_, analysis, at) for expression in expressions)


def unify(
    expressions: Sequence[Expr], what: str, analysis: Analysis, at: int
) -> tuple[Type, tuple[Expr, ...]]:
    """Return the common type of `expressions`, and each as a value of it."""
    type_ = common_type(expressions, what, at)
    return type_, coerce_to_common(expressions, type_, what, analysis, at)
