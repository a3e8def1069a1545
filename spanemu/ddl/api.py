"""DDL as data, for tools: statements with their positions, and the schema that they create.

parse(text)            statements of a file, each with its tree and its position
format_ddl(text)       the formatted text
schema_of(sources)     the schema after the statements, which are validated as Spanner does
statements_of(schema)  the statements that create a schema, in canonical form
dependencies(schema)   edges from an object to the object that it needs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.ddl.apply import plan_batch
from spanemu.ddl.expressions import sequences_of_default
from spanemu.ddl.kinds.functions import called_functions
from spanemu.ddl.kinds.table import KINDS
from spanemu.ddl.schema_text import ddl_statements
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.schema.schema import Schema, empty_schema
from spanemu.schema.table import Table
from spanemu.sql.ddl_ast import DdlStatement
from spanemu.sql.dialects import dialect_of


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """A statement of a text; `line` counts from 1."""

    text: str
    offset: int
    line: int
    tree: DdlStatement


def parse(text: str, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL) -> list[ParsedStatement]:
    """Return the statements of a DDL text. Raises DdlSyntaxFailure for invalid text."""
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
    source: str | Iterable[str],
    base: Schema | None = None,
    types: ProtoTypes = NO_TYPES,
    dialect: DatabaseDialect = GOOGLE_STANDARD_SQL,
) -> Schema:
    """Return the schema after the statements of one or several texts. Raises SpannerError.

    The statements change the schema `base`; without it, an empty schema of the dialect. CREATE and
    ALTER PROTO BUNDLE may use `types`, the types of protocol buffers that are known.
    """
    base = empty_schema(DEFAULT_LIMITS, dialect) if base is None else base
    texts = [source] if isinstance(source, str) else source
    split = dialect_of(base.dialect).split_statements
    statements = [statement for text in texts for statement, _ in split(text)]
    return plan_batch(statements, base, types)[-1].schema if statements else base


def statements_of(schema: Schema, database: str = "db") -> list[str]:
    """Return the statements that create a schema, as GetDatabaseDdl returns them."""
    return ddl_statements(schema, database)


@dataclass(frozen=True, slots=True)
class Dependency:
    """An object `source` that needs the object `target`; `reason` names the relation."""

    source: str
    target: str
    reason: str


def dependencies(schema: Schema) -> list[Dependency]:
    """Return every dependency between named objects of a schema."""
    edges = [*_of_tables(schema), *_of_indexes(schema), *_of_objects(schema)]
    return list(dict.fromkeys(edges))


def _of_tables(schema: Schema) -> Iterator[Dependency]:
    for table in schema.tables.values():
        if table.parent is not None:
            yield Dependency(table.name, table.parent, f"interleaved {table.interleave}".lower())
        for key in table.foreign_keys:
            if key.referenced_table != table.name:
                yield Dependency(table.name, key.referenced_table, "foreign key")
        for target, reason in _of_expressions(table, schema):
            yield Dependency(table.name, target, reason)


def _of_expressions(table: Table, schema: Schema) -> Iterator[tuple[str, str]]:
    texts = [check.expression for check in table.checks]
    for column in table.columns:
        texts.extend(text for text in (column.default, column.generated) if text is not None)
    for text in texts:
        yield from called_functions(text, schema)
    for column in table.columns:
        for name in sorted(sequences_of_default(column, table, schema)):
            sequence = schema.sequences[schema.fold(name)]
            if not sequence.internal:
                yield sequence.name, "draws from"


def _of_indexes(schema: Schema) -> Iterator[Dependency]:
    for index in schema.indexes.values():
        if not index.is_managed:
            yield Dependency(index.name, index.table, "index on")
            if index.parent is not None:
                yield Dependency(index.name, index.parent, "interleaved in")


def _of_objects(schema: Schema) -> Iterator[Dependency]:
    for kind in KINDS:
        for source in kind.objects(schema).values():
            for target, reason in kind.depends_on(source, schema):
                yield Dependency(source.name, target, reason)
