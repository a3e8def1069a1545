"""The interface of a SQL dialect: SQL text -> syntax tree -> `resolved`, and names as text.

Everything outside a dialect's own package reaches its parser and analyzer through `Dialect`;
`dialects.dialect_of(schema.dialect)` returns the dialect of a schema. `ddl.schema_text` puts the
statements that `SchemaWriter` writes in order. `plan`, `planner` and `executor` see resolved trees
and know no dialect at all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Protocol

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.base.record import dataclass
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.indexes import Index
from spanemu.schema.objects import ChangeStream, ProtoBundle
from spanemu.schema.schema import Schema
from spanemu.schema.table import Check, Column, ForeignKey, Table
from spanemu.sql import resolved
from spanemu.sql.ddl_ast import DdlStatement
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.syntax_tree import Expression, Statement, Token, TypeName
from spanemu.values.types import Type

OPTIMIZER_DEFAULT = 8  # the version of the optimizer that compiles a statement that names none
OPTIMIZER_LATEST = 9
# The values of the option and hint OPTIMIZER_VERSION.
OPTIMIZER_VERSIONS = frozenset(
    {"latest", "default", "latest_version", "default_version"}
    | {str(version) for version in range(1, OPTIMIZER_LATEST + 1)}
)


@dataclass(frozen=True)
class SystemTable:
    """A table that the database computes. `name` is canonical: INFORMATION_SCHEMA.TABLES.

    `columns` are pairs (name, type) in the order in which the table's provider yields values.
    `hidden` are the names of those that `*` leaves out.
    """

    name: str
    columns: tuple[tuple[str, Type], ...]
    hidden: frozenset[str] = frozenset()

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The positions of the columns by name, both as declared and in lower case."""
        numbered = [(name, number) for number, (name, _) in enumerate(self.columns)]
        return dict(numbered) | {name.lower(): number for name, number in numbered}


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A table function: the table of its rows, and the types that each parameter accepts."""

    table: SystemTable
    parameters: tuple[tuple[str, tuple[Type, ...]], ...]


TableFunctions = Callable[[str], TableFunction | None]  # looked up by dotted name


def no_table_function(_name: str) -> TableFunction | None:
    """Return None: there are no table functions."""
    return None


class SystemCatalog(Protocol):
    """The system tables of a database, looked up by dotted name in any letter case."""

    def table(self, name: str) -> SystemTable | None:
        """Return the system table called `name`, or None if no such table exists."""
        ...


class NoSystemTables:
    """A catalog without tables, for stored expressions and tests."""

    def table(self, name: str) -> SystemTable | None:
        return None


NO_SYSTEM_TABLES = NoSystemTables()


@dataclass(frozen=True, slots=True)
class AnalyzerOptions:
    """The options shared by all statements of a database."""

    system: SystemCatalog = field(default=NO_SYSTEM_TABLES)
    limits: Limits = DEFAULT_LIMITS
    functions: TableFunctions = no_table_function


DEFAULT_OPTIONS = AnalyzerOptions()


@dataclass(frozen=True, slots=True)
class StoredExpression:
    """An expression over one row of a table.

    `columns` pairs each column id that `expression` uses with the stored column that it reads
    (virtual generated columns are expanded); `references` are the columns named in the text.
    """

    expression: resolved.Expr
    columns: tuple[tuple[resolved.ResolvedColumn, Column], ...]
    references: tuple[Column, ...]
    volatile: bool  # differs between calls
    stable: bool  # differs between statements
    has_subquery: bool
    pending_commit_timestamp: bool
    depth: int
    sequences: frozenset[str]
    tables: frozenset[str]  # tables, views, models and functions of users
    remote_calls: frozenset[str]  # models, AI functions and remote functions

    @property
    def is_deterministic(self) -> bool:
        """True if equal rows always give equal values."""
        return not (self.volatile or self.stable)


@dataclass(frozen=True, slots=True)
class ViewShape:
    """The columns of a view, and the objects that it uses, in the schema's spelling.

    `depends_on` names tables, views, sequences, models and functions, also those that a used view
    needs. `identity` has the names of each column that tells the rows apart, where the form of the
    query guarantees it.
    """

    columns: tuple[tuple[str, Type], ...]
    depends_on: frozenset[str]
    identity: tuple[frozenset[str], ...] | None = None


class NamedType(Protocol):
    """A scalar type under the names and numbers of a catalog of types, as pg_catalog.pg_type is.

    `name` is the internal name, `title` the name that DDL prints. `oid` is 0 for a type that the
    catalog leaves out; `array_oid` is the number of the type of arrays.
    """

    @property
    def type(self) -> Type: ...
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def oid(self) -> int: ...
    @property
    def array_oid(self) -> int: ...
    @property
    def category(self) -> str: ...
    @property
    def preferred(self) -> bool: ...


class SchemaWriter(Protocol):
    """The statements that create the objects of a schema, as GetDatabaseDdl returns them.

    `ddl.schema_text` puts them in order.
    """

    def database_option(self, database: str, name: str, value: Any) -> str:
        """Return the statement that sets an option of a database."""
        ...

    def statistics(self, package: str, allow_gc: bool) -> str:
        """Return the statement that sets the option of a package of statistics."""
        ...

    def proto_bundle(self, bundle: ProtoBundle) -> str:
        """Return the statement that creates the bundle of the types of protocol buffers."""
        ...

    def named_schema(self, name: str) -> str:
        """Return the statement that creates a schema."""
        ...

    def table(self, table: Table, left_out: Sequence[ForeignKey]) -> str:
        """Return the statement that creates a table without the foreign keys in `left_out`."""
        ...

    def foreign_key(self, key: ForeignKey) -> str:
        """Return the statement that adds a foreign key to its table."""
        ...

    def index(self, index: Index) -> str:
        """Return the statement that creates an index of any kind."""
        ...

    def objects(self, kind: str, objects: Iterable[Any], schema: Schema) -> Iterable[str]:
        """Return the statements that create objects of a kind, which `kind` names as DDL does.

        Statements that follow all objects of the kind, such as grants to roles, are the last ones.
        """
        ...


class AlterationWriter(Protocol):
    """The statements that change the objects of a schema; `ddl.difference` decides which.

    The methods for columns, checks, row deletion and options of a table return what follows ALTER
    TABLE and the name of the table.
    """

    def add_column(self, column: Column) -> str: ...

    def can_alter_column(self, before: Column, after: Column) -> bool:
        """Return whether the dialect can alter a column so, beyond what all dialects can."""
        ...

    def alter_column(self, before: Column, after: Column) -> Iterable[str]: ...

    def add_check(self, check: Check) -> str: ...

    def row_deletion(self, before: Table, after: Table) -> str:
        """Return the action that adds, replaces or drops a row deletion policy."""
        ...

    def table_options(
        self, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> Iterable[str]: ...

    def database_option(self, database: str, name: str, value: Any) -> str:
        """Return the statement that sets an option, or resets it if the value is None."""
        ...

    def altered(self, kind: str, before: Any, after: Any) -> Iterable[str] | None:
        """Return the statements that alter an object of a kind; None to drop and create it."""
        ...

    def stream_watches(self, stream: ChangeStream) -> str:
        """Return the statement that makes a change stream watch what `stream` watches."""
        ...

    def stream_options(self, name: str, changes: Mapping[str, Any]) -> str: ...

    def revoked(self, grant: str) -> str:
        """Return the REVOKE that undoes a GRANT."""
        ...


class Dialect(ABC):
    """One SQL dialect. Stateless: one instance serves all databases and threads.

    Every failure to read a text is a `SpannerError` of `sql.errors`, with a position in the text,
    or `Unsupported` for a feature that is not implemented.
    """

    database: DatabaseDialect
    catalog: Catalog
    named_types: Sequence[NamedType] = ()  # the types of a catalog of types, if there is one

    @property
    @abstractmethod
    def schema_writer(self) -> SchemaWriter:
        """The writer of the statements that create the objects of a schema."""

    @property
    @abstractmethod
    def alteration_writer(self) -> AlterationWriter:
        """The writer of the statements that change the objects of a schema."""

    # ------------------------------------------------------------------------ statements

    @abstractmethod
    def parse_statement(self, text: str, limits: Limits) -> Statement:
        """Parse the single query or DML statement of `text`, and refuse one that is too large."""

    @abstractmethod
    def begins_dml(self, text: str) -> bool:
        """Return whether `text`, which need not be valid, begins as a DML statement does."""

    @abstractmethod
    def analyze(
        self,
        statement: Statement,
        text: str,
        schema: Schema,
        parameter_types: Mapping[str, Type],
        options: AnalyzerOptions = DEFAULT_OPTIONS,
    ) -> resolved.Statement:
        """Resolve `statement`, which was parsed from `text`, against `schema`."""

    def resolve(
        self,
        text: str,
        schema: Schema,
        parameter_types: Mapping[str, Type],
        options: AnalyzerOptions = DEFAULT_OPTIONS,
    ) -> resolved.Statement:
        """Parse the statement of `text` and resolve it against `schema`."""
        tree = self.parse_statement(text, options.limits)
        return self.analyze(tree, text, schema, parameter_types, options)

    # ------------------------------------------------------------------------ SQL in a schema

    @abstractmethod
    def parse_expression(self, text: str) -> Expression:
        """Parse the single expression of `text`."""

    @abstractmethod
    def analyze_expression(
        self,
        text: str,
        table: Table | None,
        schema: Schema,
        *,
        expected: Type | None,
        allow_columns: bool = True,
    ) -> StoredExpression:
        """Analyze an expression over a row of `table`, coerced to `expected` unless None."""

    @abstractmethod
    def analyze_view(self, text: str, schema: Schema) -> ViewShape:
        """Return the columns and dependencies of the view whose query is `text`."""

    def canonical_expression(
        self, text: str, table: Table | None, schema: Schema, expected: Type | None
    ) -> str:
        """Return the text of a valid stored expression as the schema keeps it.

        The arguments are those of `analyze_expression`. The canonical text means the same.
        """
        return text

    def canonical_view(self, text: str, schema: Schema) -> str:
        """Return the text of a view's valid query as the schema keeps it."""
        return text

    @abstractmethod
    def is_commit_timestamp(self, text: str | None) -> bool:
        """Return whether a DEFAULT or ON UPDATE clause is the pending commit timestamp."""

    @abstractmethod
    def named_type(self, name: TypeName, schema: Schema) -> Type:
        """Return the type that `name` denotes: a built-in type or a type of the proto bundle."""

    # ------------------------------------------------------------------------ schema statements

    @abstractmethod
    def parse_ddl(self, text: str, limits: Limits | None = None) -> DdlStatement:
        """Parse the single schema statement of `text`, which may end in a semicolon.

        With `limits`, refuse a statement that exceeds them without reading its rest.
        """

    @abstractmethod
    def created_database(self, text: str) -> str | None:
        """Return the database id in a CREATE DATABASE statement; None for any other text."""

    @abstractmethod
    def split_statements(self, text: str) -> list[tuple[str, int]]:
        """Return each statement of a schema file with its offset."""

    @abstractmethod
    def tokenize(self, text: str) -> list[Token]:
        """Return the tokens of `text`, which comments and white space separate."""

    @abstractmethod
    def format_ddl(self, text: str) -> str:
        """Format a schema file: only white space and the case of keywords change."""

    @abstractmethod
    def column_type(self, column: Column) -> str:
        """Return the type of a column as DDL writes it, with lengths."""

    @abstractmethod
    def row_deletion_policy(self, table: Table) -> str | None:
        """Return the expression of the row deletion policy of a table, or None."""

    # ------------------------------------------------------------------------ names

    def fold(self, identifier: str) -> str:
        """Return the key by which an identifier is looked up."""
        return self.database.fold(identifier)

    def parameter(self, number: int) -> str:
        """Return the query parameter that the API calls `p` and a number, as SQL writes it."""
        return f"@p{number}"

    @abstractmethod
    def quoted(self, identifier: str) -> str:
        """Return an identifier as SQL writes it: quoted if necessary."""

    def quoted_path(self, path: str) -> str:
        """Return a dotted name as SQL writes it."""
        return ".".join(map(self.quoted, path.split(".")))
