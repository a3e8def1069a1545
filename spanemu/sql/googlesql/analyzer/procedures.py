"""Resolves CALL of a stored system procedure; Spanner has no user-defined procedures.

The arguments become the single row of a query. The database runs the procedure on that row
(`executor.run.SystemTables`).
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.errors import Unsupported
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors import BadCall, BadQuery
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import CallStatement, Expr, OutputColumn, ProjectScan, SingleRow
from spanemu.values.types import STRING, Type

# Names and types of the parameters, by procedure name.
PROCEDURES: Mapping[str, tuple[tuple[str, Type], ...]] = {"cancel_query": (("query_id", STRING),)}
_UNSUPPORTED = frozenset({"compact_all"})


def resolve_call(statement: ast.CallProcedure, analysis: Analysis) -> CallStatement:
    """Resolve CALL procedure(arguments)."""
    name = str(statement.procedure)
    parameters = PROCEDURES.get(name.lower())
    if parameters is None:
        if name.lower() in _UNSUPPORTED:
            raise Unsupported(f"Procedure {name}")
        raise BadQuery(f"Procedure not found: {name}", at=statement.procedure.at)
    arguments = statement.arguments
    signature = ", ".join(f"{parameter} {type_}" for parameter, type_ in parameters)
    if len(arguments) != len(parameters):
        raise BadCall(
            f"Number of arguments does not match for procedure {name}. Supported signature: "
            f"{name}({signature})",
            at=statement.procedure.at,
        )
    env = Env(analysis, Scope(None), "CALL", {})
    values = [
        (analysis.column(parameter, type_), _argument(node, type_, env))
        for node, (parameter, type_) in zip(arguments, parameters, strict=True)
    ]
    return CallStatement(
        *analysis.parameters.finish(),
        (),
        ProjectScan(SingleRow(), tuple(values)),
        tuple([OutputColumn(column.name, column) for column, _ in values]),
        procedure=name.lower(),
    )


def _argument(node: ast.Expression, expected: Type, env: Env) -> Expr:
    value = resolve(node, env)
    if not fits(value, expected, env.analysis):
        raise BadCall(f"Expected {expected}, but found {value.type}", at=node.at)
    return coerce(value, expected, env.analysis, node.at)
