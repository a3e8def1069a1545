"""PostgreSQL as a `Dialect`: the entry points of its parser, analyzer and printer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql import ddl_format, resolved
from spanemu.sql.ddl_ast import DdlStatement
from spanemu.sql.dialect import (
    DEFAULT_OPTIONS,
    AlterationWriter,
    AnalyzerOptions,
    Dialect,
    SchemaWriter,
    StoredExpression,
    ViewShape,
)
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.postgresql.analyzer import stored_expression
from spanemu.sql.postgresql.analyzer.analysis import Analysis, Parameters
from spanemu.sql.postgresql.analyzer.analyze import analyze
from spanemu.sql.postgresql.analyzer.dml import writing
from spanemu.sql.postgresql.analyzer.resolvers import RESOLVER_TABLE
from spanemu.sql.postgresql.catalog import CATALOG
from spanemu.sql.postgresql.printing import alterations, canonical, ddl
from spanemu.sql.postgresql.syntax.ddl.statement import parse_ddl
from spanemu.sql.postgresql.syntax.keywords import DDL_WORDS, RESERVED, quoted
from spanemu.sql.postgresql.syntax.lexer import tokenize
from spanemu.sql.postgresql.syntax.statement import (
    begins_dml,
    created_database,
    parse_expression,
    parse_statement,
    split_statements,
)
from spanemu.sql.postgresql.types import TYPES
from spanemu.sql.syntax_tree import Expression, Statement, Token, TypeName
from spanemu.sql.token_cursor import UNBOUNDED, Bounds
from spanemu.values.types import Type, array_of


def _ddl_limits(limits: Limits) -> Limits:
    """Return the limits on schema statements, of which only that on columns is configurable."""
    return replace(DEFAULT_LIMITS, columns_per_table=limits.columns_per_table)


class PostgreSqlDialect(Dialect):
    """The dialect PostgreSQL."""

    database: DatabaseDialect = POSTGRESQL
    catalog: Catalog = CATALOG
    named_types = TYPES

    @property
    def schema_writer(self) -> SchemaWriter:
        return ddl.PostgreSqlWriter()

    @property
    def alteration_writer(self) -> AlterationWriter:
        return alterations.PostgreSqlAlterations()

    def parse_statement(self, text: str, limits: Limits) -> Statement:
        return parse_statement(text, Bounds(limits))

    def begins_dml(self, text: str) -> bool:
        return begins_dml(text)

    def analyze(
        self,
        statement: Statement,
        text: str,
        schema: Schema,
        parameter_types: Mapping[str, Type],
        options: AnalyzerOptions = DEFAULT_OPTIONS,
    ) -> resolved.Statement:
        parameters = Parameters(parameter_types, limit=options.limits.parameters)
        return analyze(statement, text, self._analysis(schema, parameters, options))

    def parse_expression(self, text: str) -> Expression:
        return parse_expression(text)

    def analyze_expression(
        self,
        text: str,
        table: Table | None,
        schema: Schema,
        *,
        expected: Type | None,
        allow_columns: bool = True,
    ) -> StoredExpression:
        analysis = self._analysis(schema, Parameters({}, refused=True))
        return stored_expression.analyze_expression(
            text, table, analysis, expected=expected, allow_columns=allow_columns
        )

    def analyze_view(self, text: str, schema: Schema) -> ViewShape:
        analysis = self._analysis(schema, Parameters({}, refused=True))
        return stored_expression.analyze_view(text, analysis)

    def canonical_expression(
        self, text: str, table: Table | None, schema: Schema, expected: Type | None
    ) -> str:
        return canonical.canonical_expression(text, table, schema, expected)

    def canonical_view(self, text: str, schema: Schema) -> str:
        return canonical.canonical_view(text, schema)

    def is_commit_timestamp(self, text: str | None) -> bool:
        return writing.is_commit_timestamp(text)

    def named_type(self, name: TypeName, schema: Schema) -> Type:
        if name.element is not None:
            return array_of(self.named_type(name.element, schema))
        return self.database.column_types[str(name.path)]

    def parse_ddl(self, text: str, limits: Limits | None = None) -> DdlStatement:
        return parse_ddl(text, UNBOUNDED if limits is None else Bounds(_ddl_limits(limits)))

    def created_database(self, text: str) -> str | None:
        return created_database(text)

    def split_statements(self, text: str) -> list[tuple[str, int]]:
        return split_statements(text)

    def tokenize(self, text: str) -> list[Token]:
        return tokenize(text)

    def format_ddl(self, text: str) -> str:
        style = ddl_format.DdlStyle(RESERVED, DDL_WORDS, trailing_comma=False)
        return ddl_format.format_ddl(text, self, style)

    def parameter(self, number: int) -> str:
        return f"${number}"

    def quoted(self, identifier: str) -> str:
        return quoted(identifier)

    def column_type(self, column: Column) -> str:
        return ddl.column_type(column)

    def row_deletion_policy(self, table: Table) -> str | None:
        return ddl.row_deletion_policy(table)

    def _analysis(
        self, schema: Schema, parameters: Parameters, options: AnalyzerOptions = DEFAULT_OPTIONS
    ) -> Analysis:
        return Analysis(schema, self.catalog, options, parameters, RESOLVER_TABLE)
