"""DDL as data, for tools: statements with their places, and the schema that they make.

parse(text)            statements of a file, each with its tree and its place
format_ddl(text)       the formatted text
schema_of(sources)     the schema that statements lead to, judged as Spanner would
statements_of(schema)  the statements that lead to a schema, in canonical form
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spanemu.ddl.apply import plan_batch
from spanemu.ddl.schema_text import ddl_statements
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.schema.schema import EMPTY, Schema
from spanemu.sql.ddl_ast import DdlStatement
from spanemu.sql.dialects import dialect_of


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """One statement of a text; `line` counts from one."""

    text: str
    offset: int
    line: int
    tree: DdlStatement


def parse(text: str, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL) -> list[ParsedStatement]:
    """The statements of a DDL text. Raises DdlSyntaxFailure for the first that is none."""
    syntax = dialect_of(dialect)
    return [
        ParsedStatement(
            statement, offset, 1 + text.count("\n", 0, offset), syntax.parse_ddl(statement)
        )
        for statement, offset in syntax.split_statements(text)
    ]


def format_ddl(text: str, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL) -> str:
    """Return a DDL text formatted; each statement ends in a semicolon. Raises DdlSyntaxFailure."""
    return dialect_of(dialect).format_ddl(text)


def schema_of(
    source: str | Iterable[str], base: Schema = EMPTY, types: ProtoTypes = NO_TYPES
) -> Schema:
    """What statements make of a schema; a text may hold many. Raises SpannerError.

    `types` are those of protocol buffers that CREATE and ALTER PROTO BUNDLE may choose.
    """
    texts = [source] if isinstance(source, str) else source
    split = dialect_of(base.dialect).split_statements
    statements = [statement for text in texts for statement, _ in split(text)]
    return plan_batch(statements, base, types)[-1].schema if statements else base


def statements_of(schema: Schema, database: str = "db") -> list[str]:
    """The statements that make a schema anew, as GetDatabaseDdl gives them."""
    return ddl_statements(schema, database)
