"""Resolves CALL of a stored system procedure; users cannot make any.

The arguments become the one row of a query. What a procedure does with it is the database's
affair (`executor.run.SystemTables`).
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.errors import Unsupported
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors.shape import BadQuery
from spanemu.sql.googlesql.analyzer.errors.typing import BadCall
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import CallStatement, Expr, OutputColumn, ProjectScan, SingleRow
from spanemu.values.types import STRING, Type

# Names and types of the parameters, by the procedure's name.
PROCEDURES: Mapping[str, tuple[tuple[str, Type], ...]] = {"cancel_query": (("query_id", STRING),)}
_NOT_HERE = frozenset({"compact_all"})


def resolve_call(statement: ast.CallProcedure, analysis: Analysis) -> CallStatement:
    """CALL procedure(arguments)."""
    name = str(statement.procedure)
    parameters = PROCEDURES.get(name.lower())
    if parameters is None:
        if name.lower() in _NOT_HERE:
            raise Unsupported(f"Procedure {name}")
        raise BadQuery(f"Procedure not found: {name}", at=statement.procedure.at)
    given = statement.arguments
    signature = ", ".join(f"{parameter} {type_}" for parameter, type_ in parameters)
    if len(given) != len(parameters):
        raise BadCall(
            f"Number of arguments does not match for procedure {name}. Supported signature: "
            f"{name}({signature})",
            at=statement.procedure.at,
        )
    env = Env(analysis, Scope(None), "CALL", {})
    values = [
        (analysis.column(parameter, type_), _argument(node, type_, env))
        for node, (parameter, type_) in zip(given, parameters, strict=True)
    ]
    return CallStatement(
        *analysis.parameters.finish(),
        (),
        ProjectScan(SingleRow(), tuple(values)),
        tuple([OutputColumn(column.name, column) for column, _ in values]),
        procedure=name.lower(),
    )


def _argument(node: ast.Expression, wanted: Type, env: Env) -> Expr:
    value = resolve(node, env)
    if not fits(value, wanted, env.analysis):
        raise BadCall(f"Expected {wanted}, but found {value.type}", at=node.at)
    return coerce(value, wanted, env.analysis, node.at)
