"""The canonical text of SQL in a schema: the schema stores it, and GetDatabaseDdl prints it.

The text means what the user's text means: analyzing it gives the same tree, and printing it again
gives the same text.
"""

from __future__ import annotations

from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.dialect import DEFAULT_OPTIONS
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import Analysis, Parameters
from spanemu.sql.postgresql.analyzer.analyze import located
from spanemu.sql.postgresql.analyzer.resolvers import RESOLVER_TABLE
from spanemu.sql.postgresql.analyzer.stored_expression import analyze_tree, view_query
from spanemu.sql.postgresql.catalog import CATALOG
from spanemu.sql.postgresql.printing.expressions import ExpressionPrinter
from spanemu.sql.postgresql.printing.notes import Recorder
from spanemu.sql.postgresql.printing.queries import query_text
from spanemu.sql.postgresql.syntax.keywords import quoted
from spanemu.sql.postgresql.syntax.statement import parse_expression, parse_query
from spanemu.sql.syntax_tree import Name
from spanemu.values.types import Type


def canonical_expression(
    text: str, table: Table | None, schema: Schema, expected: Type | None
) -> str:
    """Return the canonical text of an expression over a row of `table`.

    Raise AnalysisError for an expression that is invalid, or is no value of type `expected`.
    """
    recorder = Recorder(RESOLVER_TABLE)
    analysis = _analysis(schema, recorder)
    with located(text, analysis):
        node = parse_expression(text)
        analyze_tree(node, table, analysis, expected=expected)
        printer = ExpressionPrinter(recorder.notes(analysis), _column, _no_query)
        return printer.whole(node)


def canonical_view(text: str, schema: Schema) -> str:
    """Return the canonical text of the query of a view.

    Raise AnalysisError for an invalid query.
    """
    recorder = Recorder(RESOLVER_TABLE)
    analysis = _analysis(schema, recorder)
    with located(text, analysis):
        query = parse_query(text)
        view_query(query, analysis)
        return query_text(query, recorder.notes(analysis))


def _analysis(schema: Schema, recorder: Recorder) -> Analysis:
    return Analysis(
        schema, CATALOG, DEFAULT_OPTIONS, Parameters({}, refused=True), recorder.resolvers
    )


def _column(name: Name) -> str:
    return quoted(name.path.parts[-1].name)


def _no_query(query: ast.Query) -> str:
    """Return a query of an expression, which the caller refuses for having a query."""
    return "SELECT"
