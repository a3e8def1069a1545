"""GoogleSQL as a `Dialect`: the entry points of its parser and analyzer."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.identifiers import quoted
from spanemu.base.limits import Limits
from spanemu.base.record import dataclass
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
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
from spanemu.sql.googlesql.analyzer import stored_expression, type_names
from spanemu.sql.googlesql.analyzer.analysis import Analysis, Parameters
from spanemu.sql.googlesql.analyzer.analyze import RESOLVER_TABLE, analyze
from spanemu.sql.googlesql.catalog import CATALOG, bounds_of, ddl_bounds_of
from spanemu.sql.googlesql.printing import alterations, ddl, table_text
from spanemu.sql.googlesql.syntax.ddl.statement import (
    OPENING_WORDS,
    created_database,
    parse_ddl,
    split_statements,
)
from spanemu.sql.googlesql.syntax.lexer import RESERVED, tokenize
from spanemu.sql.googlesql.syntax.statement import begins_dml, parse_expression, parse_statement
from spanemu.sql.syntax_tree import Expression, Statement, Token, TypeName
from spanemu.sql.token_cursor import UNBOUNDED
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class GoogleSqlDialect(Dialect):
    """The dialect GoogleSQL; a test may give the same grammar another catalog or folding."""

    database: DatabaseDialect = GOOGLE_STANDARD_SQL
    catalog: Catalog = CATALOG

    @property
    def schema_writer(self) -> SchemaWriter:
        return ddl.GoogleSqlWriter()

    @property
    def alteration_writer(self) -> AlterationWriter:
        return alterations.GoogleSqlAlterations()

    def column_type(self, column: Column) -> str:
        return table_text.declared_type(column)

    def row_deletion_policy(self, table: Table) -> str | None:
        return table_text.row_deletion_text(table)

    def parse_statement(self, text: str, limits: Limits) -> Statement:
        return parse_statement(text, bounds_of(limits))

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
        parameters = Parameters({}, refused_in="in this expression")
        analysis = self._analysis(schema, parameters)
        return stored_expression.analyze_expression(
            text, table, analysis, expected=expected, allow_columns=allow_columns
        )

    def analyze_view(self, text: str, schema: Schema) -> ViewShape:
        return stored_expression.analyze_view(
            text, self._analysis(schema, Parameters({}, refused_in="in a view"))
        )

    def is_commit_timestamp(self, text: str | None) -> bool:
        return stored_expression.is_commit_timestamp(text)

    def named_type(self, name: TypeName, schema: Schema) -> Type:
        return type_names.named_type(name, schema)

    def parse_ddl(self, text: str, limits: Limits | None = None) -> DdlStatement:
        return parse_ddl(text, UNBOUNDED if limits is None else ddl_bounds_of(limits))

    def created_database(self, text: str) -> str | None:
        return created_database(text)

    def split_statements(self, text: str) -> list[tuple[str, int]]:
        return split_statements(text)

    def tokenize(self, text: str) -> list[Token]:
        return tokenize(text)

    def format_ddl(self, text: str) -> str:
        style = ddl_format.DdlStyle(RESERVED, OPENING_WORDS, trailing_comma=True)
        return ddl_format.format_ddl(text, self, style)

    def quoted(self, identifier: str) -> str:
        return quoted(identifier)

    def _analysis(
        self, schema: Schema, parameters: Parameters, options: AnalyzerOptions = DEFAULT_OPTIONS
    ) -> Analysis:
        return Analysis(schema, self.catalog, options, parameters, RESOLVER_TABLE)


GOOGLESQL = GoogleSqlDialect()
