"""What Spanner calls the scalar nodes of a plan."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.analyzer import resolved
from spanemu.sql.analyzer.resolved import Expr, SubqueryKind
from spanemu.sql.plan.nodes import Subquery

_NAMES: Mapping[type[Expr], str] = {
    resolved.Literal: "Constant",
    resolved.ParameterRef: "Parameter",
    resolved.ColumnRef: "Reference",
    resolved.MakeStruct: "Struct Constructor",
    resolved.MakeArray: "Array Constructor",
    resolved.GetField: "Struct Field",
}
_SUBQUERY_NAMES: Mapping[SubqueryKind, str] = {
    SubqueryKind.ARRAY: "Array Subquery",
}


def scalar_name(expr: Expr) -> str:
    """The display name of an expression's node."""
    if isinstance(expr, Subquery):
        return _SUBQUERY_NAMES.get(expr.kind, "Scalar Subquery")
    return _NAMES.get(type(expr), "Function")
