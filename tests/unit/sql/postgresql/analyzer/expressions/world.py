"""Resolves and evaluates single expressions, with columns for each type and without a database.

The columns: b boolean, i bigint, f double precision, r real, n numeric, t text, y bytea, d date,
z timestamptz, v interval, j jsonb, u uuid, o oid, and arrays `ia` and `ta`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.schema import Schema
from spanemu.sql import resolved as r
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.dialect import DEFAULT_OPTIONS
from spanemu.sql.postgresql.analyzer.analysis import Analysis, Parameters, ResolverTable
from spanemu.sql.postgresql.analyzer.analyze import in_order
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve_output
from spanemu.sql.postgresql.analyzer.resolvers import RESOLVERS
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.postgresql.catalog import CATALOG
from spanemu.sql.postgresql.syntax.statement import parse_expression
from spanemu.sql.postgresql.types import title
from spanemu.values import types
from spanemu.values.types import Type, array_of
from tests.golden.resolved_tree import expression as drawn

COLUMNS = {
    "b": types.BOOL,
    "i": types.INT64,
    "f": types.FLOAT64,
    "r": types.FLOAT32,
    "n": types.PG_NUMERIC,
    "t": types.STRING,
    "y": types.BYTES,
    "d": types.DATE,
    "z": types.TIMESTAMP,
    "v": types.INTERVAL,
    "j": types.PG_JSONB,
    "u": types.UUID,
    "o": types.PG_OID,
    "ia": array_of(types.INT64),
    "ta": array_of(types.STRING),
}


class Row(Relation):
    """A relation with the columns of the module's docstring."""

    def __init__(self) -> None:
        super().__init__("row", str)
        self.columns = {
            name: r.ColumnRef(type_, r.ResolvedColumn(number, name, type_))
            for number, (name, type_) in enumerate(COLUMNS.items(), 1)
        }

    def column(self, name: str, at: int) -> r.Expr | None:
        return self.columns.get(name)

    def column_names(self) -> Iterator[str]:
        return iter(self.columns)


def _no_queries(*_: Any) -> Any:
    raise AssertionError("a subquery in a test of expressions")


def analysis_of(**parameters: Type) -> Analysis:
    """Return the state of a new analysis."""
    table = ResolverTable(RESOLVERS, _no_queries, _no_queries)
    schema = Schema(dialect=POSTGRESQL)
    analysis = Analysis(schema, CATALOG, DEFAULT_OPTIONS, Parameters(parameters), table)
    analysis.next_id = 100
    return analysis


def resolved(text: str, analysis: Analysis | None = None, *, grouped: bool = False) -> r.Expr:
    """Return the resolved expression; with `grouped`, aggregates are allowed."""
    analysis = analysis or analysis_of()
    env = Env(analysis, Scope(None, Row()), "WHERE", {})
    if grouped:
        env.aggregation = Aggregation()
    with in_order(analysis):
        return resolve_output(parse_expression(text), env)


def shown(text: str) -> str:
    """Return the resolved expression on one line."""
    return drawn(resolved(text))


def type_of(text: str) -> str:
    """Return the type of an expression as PostgreSQL names it."""
    return title(resolved(text).type)
