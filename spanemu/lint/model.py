"""The linter's schema: the declared objects, each with the position of its declaration.

The package `spanemu.schema` does not serve here: it holds only valid schemas, without positions,
but the linter also reports declarations that Spanner refuses. A reference to an unknown object is
None, and the rules skip it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from spanemu.base.identifiers import fold
from spanemu.lint.settings import Settings
from spanemu.lint.source import Position, Statement
from spanemu.sql import ddl_ast, graph_ast
from spanemu.sql.syntax_tree import Expression, Identifier


def _alias(element: graph_ast.GraphElement) -> str:
    """Return the name of an element table in its graph."""
    if element.alias is not None:
        return element.alias.name
    return element.table.parts[-1].name


def names_of(columns: Iterable[Identifier]) -> tuple[str, ...]:
    """Return the folded names of columns."""
    return tuple(fold(column.name) for column in columns)


_OF_POSTGRESQL = {"PG.JSONB": "JSON", "PG.NUMERIC": "NUMERIC"}


@dataclass(eq=False)
class Column:
    """A column after all statements. `spelling` is the name as written, with its capitals."""

    name: str
    spelling: str
    position: Position
    definition: ddl_ast.ColumnDefinition
    options: dict[str, Any]
    default: ddl_ast.SqlExpression | None = None
    on_update: ddl_ast.SqlExpression | None = None

    @cached_property
    def type(self) -> str:
        """The type's name in GoogleSQL: INT64, STRING, ARRAY, or the path of a proto type."""
        declared = self.definition.type
        if declared.element is not None:
            return "ARRAY"
        if declared.fields is not None:
            return "STRUCT"
        path = str(declared.path)
        return _OF_POSTGRESQL.get(path.upper()) or (path if "." in path else path.upper())

    @property
    def length(self) -> int | str | None:
        """The length of STRING or BYTES: a number or "MAX"."""
        return self.definition.type.length

    @property
    def not_null(self) -> bool:
        return self.definition.not_null

    @property
    def generated(self) -> Expression | None:
        """The expression of a generated column."""
        return None if self.definition.generated is None else self.definition.generated.tree

    @property
    def default_tree(self) -> Expression | None:
        """The expression of the column's DEFAULT clause."""
        return None if self.default is None else self.default.tree

    @property
    def allows_commit_timestamp(self) -> bool:
        return self.options.get("allow_commit_timestamp") is True


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a key; `column` is None when the table has no such column."""

    name: str
    column: Column | None
    descending: bool
    position: Position


@dataclass(eq=False)
class Table:
    """A table after all statements; `declares_key` is False if it declares no primary key.

    `spelling` is the name as written, with its capitals.
    """

    name: str
    spelling: str
    position: Position
    schema: Schema
    columns: dict[str, Column] = field(default_factory=dict)
    key_parts: tuple[tuple[str, bool, Position], ...] = ()
    declares_key: bool = True
    interleave: ddl_ast.InterleaveClause | None = None
    foreign_keys: list[tuple[ddl_ast.ForeignKeyDefinition, Position]] = field(default_factory=list)
    checks: list[ddl_ast.CheckDefinition] = field(default_factory=list)
    policies: list[tuple[ddl_ast.RowDeletionPolicy, Position]] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)

    def column(self, name: str) -> Column | None:
        """Return the column of a name, ignoring case; None if the table has no such column."""
        return self.columns.get(fold(name))

    @property
    def key(self) -> tuple[Part, ...]:
        """The primary key."""
        return tuple(
            Part(name, self.column(name), descending, position)
            for name, descending, position in self.key_parts
        )

    @property
    def key_names(self) -> tuple[str, ...]:
        """The folded names of the key columns."""
        return tuple(fold(name) for name, _, _ in self.key_parts)

    @property
    def directions(self) -> tuple[tuple[str, bool], ...]:
        """The key as folded names, each with True if it is descending."""
        return tuple((fold(name), descending) for name, descending, _ in self.key_parts)

    def require_key_columns(self) -> None:
        """Make the key columns NOT NULL, as PostgreSQL does."""
        for name in self.key_names:
            if (column := self.columns.get(name)) is not None and column.generated is None:
                column.definition = replace(column.definition, not_null=True)

    @property
    def parent(self) -> Table | None:
        """The table in which this table is interleaved."""
        return None if self.interleave is None else self.schema.table(str(self.interleave.table))

    @property
    def ancestors(self) -> Iterator[Table]:
        """The parent, the parent's parent and so on."""
        seen = {id(self)}
        above = self.parent
        while above is not None and id(above) not in seen:
            seen.add(id(above))
            yield above
            above = above.parent

    @property
    def own_key(self) -> tuple[Part, ...]:
        """The key without the key columns of the parent."""
        parent = self.parent
        return self.key if parent is None else self.key[len(parent.key_parts) :]

    @property
    def edges(self) -> Iterator[Edge]:
        """The edges of property graphs that the rows of the table are."""
        return (edge for edge in self.schema.edges if edge.table is self)

    @property
    def children(self) -> list[Table]:
        return self.schema.children.get(fold(self.name), [])

    @property
    def indexes(self) -> list[Index]:
        """The secondary indexes of the table, without search and vector indexes."""
        return [index for index in self.schema.indexes_on(self) if not index.search]

    @property
    def referring_columns(self) -> frozenset[str]:
        """The folded names of the columns of foreign keys, and of the parent's key."""
        above = () if self.parent is None else self.parent.key_names
        referring = (name for key, _ in self.foreign_keys for name in names_of(key.columns))
        return frozenset((*above, *referring))

    @property
    def enforced_keys(self) -> list[ddl_ast.ForeignKeyDefinition]:
        """The enforced foreign keys that have a managed index on their columns.

        A foreign key on the first columns of the primary key needs no such index.
        """
        return [
            key
            for key, _ in self.foreign_keys
            if key.enforced and (names := names_of(key.columns)) != self.key_names[: len(names)]
        ]

    def referenced_by(self, key: ddl_ast.ForeignKeyDefinition) -> tuple[str, ...]:
        """Return the folded names of the columns of this table that a foreign key refers to."""
        return names_of(key.referenced_columns) or self.key_names

    @property
    def is_deployed(self) -> bool:
        """True if a later migration follows the one that creates the table.

        The key and the parent of such a table are settled: Spanner cannot change them.
        """
        return self.statement.source.origin in self.schema.earlier_migrations

    @property
    def statement(self) -> Statement:
        return self.position.statement


@dataclass(eq=False)
class Index:
    """A secondary, search or vector index after all statements.

    `search` is true for search and vector indexes, which no key sorts.
    """

    name: str
    position: Position
    table: Table
    key_parts: tuple[tuple[str, bool, Position], ...]
    unique: bool = False
    null_filtered: bool = False
    where_not_null: frozenset[str] = frozenset()
    storing: list[str] = field(default_factory=list)  # folded
    interleave: ddl_ast.InterleaveClause | None = None
    search: bool = False
    vector: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    order_by: tuple[ddl_ast.KeyPart, ...] = ()

    @property
    def key(self) -> tuple[Part, ...]:
        """The declared key."""
        return tuple(
            Part(name, self.table.column(name), descending, position)
            for name, descending, position in self.key_parts
        )

    @property
    def key_names(self) -> tuple[str, ...]:
        """The folded names of the columns of the declared key."""
        return tuple(fold(name) for name, _, _ in self.key_parts)

    @property
    def full_key(self) -> tuple[Part, ...]:
        """The declared key, then the parts of the table's key that the declared key lacks."""
        names = set(self.key_names)
        return self.key + tuple(part for part in self.table.key if fold(part.name) not in names)

    @property
    def distinct_key(self) -> frozenset[str]:
        """The folded names of the nullable key columns, if a NULL in them equals no other NULL.

        A row with NULL in one of these columns has no entry, as in PostgreSQL's unique indexes.
        """
        if not (self.unique and self.position.dialect.database.nulls_distinct):
            return frozenset()
        nullable = (part.column for part in self.key if part.column and not part.column.not_null)
        return frozenset(fold(column.name) for column in nullable)

    @property
    def directions(self) -> tuple[tuple[str, bool], ...]:
        """The declared key as folded names, each with True if it is descending."""
        return tuple((fold(name), descending) for name, descending, _ in self.key_parts)

    @property
    def filter(self) -> tuple[bool, frozenset[str], frozenset[str]]:
        """The clauses that keep rows out of the index; equal filters keep out the same rows."""
        return self.null_filtered, self.where_not_null, self.distinct_key

    @property
    def home(self) -> str | None:
        """The folded name of the table in which the index is interleaved, if any."""
        return None if self.interleave is None else fold(str(self.interleave.table))

    @property
    def omits_rows(self) -> bool:
        """True if a row with NULL in some column has no entry in the index."""
        filtered = self.where_not_null | self.distinct_key
        if self.null_filtered:
            filtered |= frozenset(self.key_names)
        columns = map(self.table.column, filtered)
        return any(column is None or not column.not_null for column in columns)

    @property
    def is_in_hint(self) -> bool:
        """True if a hint in a view or query of the linted files names the index."""
        return fold(self.name) in self.table.schema.hinted

    @property
    def is_root(self) -> bool:
        """True if the index is not interleaved, so that its own key decides where entries lie."""
        return self.interleave is None

    @property
    def statement(self) -> Statement:
        return self.position.statement


@dataclass(frozen=True, slots=True)
class EdgeEnd:
    """An end of an edge table: `columns` refer to the columns `referenced` of the node table.

    `table` is None for a node table that is a view or unknown.
    """

    columns: tuple[Identifier, ...]
    referenced: tuple[str, ...]
    table: Table | None

    @property
    def names_whole_key(self) -> bool:
        """True if the columns refer to the whole key of the node table, in its order."""
        return self.table is not None and self.table.key_names == tuple(map(fold, self.referenced))


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge table of a property graph, and its two ends: the source and the destination.

    `is_of_node_table` says that rows of a node table of the graph are the edges.
    """

    table: Table
    position: Position
    source: EdgeEnd
    destination: EdgeEnd
    is_of_node_table: bool


@dataclass(frozen=True, slots=True)
class Change:
    """A statement in its order, with the table that it changes, if that table is known."""

    statement: Statement
    tree: ddl_ast.DdlStatement
    table: Table | None

    @property
    def is_of_new_table(self) -> bool:
        """True if the same file created the table; later files count as later migrations."""
        if self.table is None:
            return False
        return self.table.statement.source.origin == self.statement.source.origin


@dataclass(eq=False)
class Schema:
    """The declared schema after all statements."""

    settings: Settings
    tables: dict[str, Table] = field(default_factory=dict)
    indexes: dict[str, Index] = field(default_factory=dict)
    sequences: dict[str, tuple[ddl_ast.CreateSequence, Position]] = field(default_factory=dict)
    graphs: dict[str, tuple[graph_ast.CreatePropertyGraph, Statement]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    hinted: frozenset[str] = frozenset()  # folded names of indexes in FORCE_INDEX hints
    earlier_migrations: frozenset[str] = frozenset()  # origins of numbered files before the last
    children: dict[str, list[Table]] = field(default_factory=dict)
    _by_table: dict[str, list[Index]] | None = None

    @cached_property
    def single_keys(self) -> frozenset[str]:
        """The folded names of columns that are the whole key of a table; for a complete schema."""
        keys = (table.key_names for table in self.tables.values())
        return frozenset(names[0] for names in keys if len(names) == 1)

    @property
    def edges(self) -> Iterator[Edge]:
        """The edges of all property graphs whose tables are known."""
        for graph, statement in self.graphs.values():
            nodes = {fold(_alias(node)): node for node in graph.nodes}
            tables = [self.table(str(node.table)) for node in graph.nodes]
            for element in graph.edges:
                table = self.table(str(element.table))
                if table is None or element.source is None or element.destination is None:
                    continue
                source = self._end(element.source, nodes)
                destination = self._end(element.destination, nodes)
                position = Position(statement, element.at)
                yield Edge(table, position, source, destination, table in tables)

    def _end(
        self, written: graph_ast.GraphEndpoint, nodes: Mapping[str, graph_ast.GraphElement]
    ) -> EdgeEnd:
        node = nodes.get(fold(written.element.name))
        table = None if node is None else self.table(str(node.table))
        key = () if node is None or table is None else node.key or table.key
        referenced = tuple(each.name for each in written.referenced_columns or key)
        return EdgeEnd(written.columns, referenced, table)

    def table(self, name: str) -> Table | None:
        """Return the table of a name, ignoring case; None if there is no such table."""
        return self.tables.get(fold(name))

    def indexes_on(self, table: Table) -> list[Index]:
        """Return the indexes on a table, in order of creation; for a complete schema."""
        if self._by_table is None:
            self._by_table = {}
            for index in self.indexes.values():
                self._by_table.setdefault(fold(index.table.name), []).append(index)
        return self._by_table.get(fold(table.name), [])
