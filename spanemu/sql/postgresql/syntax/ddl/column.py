"""Columns of CREATE TABLE and ADD COLUMN, with their types.

PostgreSQL's names of types become Spanner's, and the rest is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from spanemu.base.record import NamedTuple
from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import Option, SqlExpression
from spanemu.sql.postgresql.ast import TypeReference
from spanemu.sql.postgresql.syntax.ddl.constraint import DdlConstraintParser
from spanemu.sql.postgresql.types import BY_NAME
from spanemu.sql.syntax_tree import Identifier, Path, TypeName

_LENGTH_MAX = 2_621_440
_SERIALS = frozenset({"bigserial", "serial", "serial2", "serial4", "serial8", "smallserial"})
# Types of PostgreSQL that Spanner lacks, with the types to use instead.
_BIGINT = "bigint or int8"
_INSTEAD: Mapping[str, str] = {
    "int2": _BIGINT,
    "int4": _BIGINT,
    "json": "jsonb",
    "money": "numeric or decimal",
}
_LACKING_NAMES = """
    bit box bpchar char cidr circle cid daterange hstore inet int4range int8range interval jsonpath
    line lseg macaddr macaddr8 name numrange oid path pg_lsn pg_snapshot point polygon regclass
    regtype regproc time timetz timestamp tsquery tsrange tstzrange tsvector txid_snapshot varbit
    xid xml
"""
_LACKING = frozenset(_LACKING_NAMES.split())
_EXTENDED = {"commit_timestamp": "TIMESTAMP", "tokenlist": "TOKENLIST"}


class ColumnType(NamedTuple):
    """The type of a column in Spanner's terms, and what the spelling of the type adds."""

    name: TypeName
    serial: bool = False
    options: tuple[Option, ...] = ()


class DdlTypeParser(DdlConstraintParser):
    """The grammar of types of columns."""

    def column_type(self) -> ColumnType:
        """Parse a type; note a refusal of a type that columns cannot have."""
        written = self.type_reference()
        if written.schema == "spanner":
            return self._extended(written)
        if written.schema:
            message = f"Types from namespace <{written.schema}> are not supported."
            self.refuse(message, written.at)
        if written.name in _SERIALS:
            return ColumnType(self._named("INT64", written), serial=True)
        type_ = BY_NAME.get(written.name)
        if type_ is None or written.name in _LACKING:
            self.refuse(_missing(written.name), written.at)
            return ColumnType(self._named("INT64", written))
        return ColumnType(self._named(str(type_), written))

    def _extended(self, written: TypeReference) -> ColumnType:
        name = _EXTENDED.get(written.name)
        shown = f"<{written.name}>"
        if name is None:
            self.refuse(f"Type {shown} does not exist.", written.at)
        elif written.modifiers:
            self.refuse(f"Type modifiers are not supported for the type {shown}.", written.at)
        elif written.dimensions:
            self.refuse(f"Arrays are not supported for the type {shown}.", written.at)
        type_ = self._scalar(name or "INT64", written)
        if name != "TIMESTAMP":
            return ColumnType(type_)
        option = Option("allow_commit_timestamp", True, at=written.at, end=written.end)
        return ColumnType(type_, options=(option,))

    def _named(self, name: str, written: TypeReference) -> TypeName:
        """Return a type or an array of it, with the length of varchar(n)."""
        if written.dimensions > 1:
            self.refuse("Multi-dimensional arrays are not supported.", written.at)
        scalar = self._scalar(name, written, self._length(written, name))
        if not written.dimensions:
            return scalar
        return TypeName(element=scalar, at=written.at, end=written.end)

    def _length(self, written: TypeReference, name: str) -> int | str | None:
        if written.name == "varchar" and written.modifiers:
            (length,) = written.modifiers
            if length > _LENGTH_MAX:
                message = f"Maximum length for <varchar> fields is {_LENGTH_MAX}."
                self.refuse(message, written.at)
            return length
        if written.modifiers:
            message = f"Type modifier is not supported for type <{written.name}>."
            self.refuse(message, written.at)
        return "MAX" if name in ("STRING", "BYTES") else None

    def _scalar(
        self, name: str, written: TypeReference, length: int | str | None = None
    ) -> TypeName:
        path = Path((Identifier(name, at=written.at, end=written.end),))
        return TypeName(path=path, length=length, at=written.at, end=written.end)


def _missing(name: str) -> str:
    if instead := _INSTEAD.get(name):
        return f"Type <{name}> is not supported; use {instead} instead."
    return f"Type <{name}> {'is not supported' if name in _LACKING else 'does not exist'}."


@dataclass
class ColumnParts:
    """A column while its clauses are read. Constraints that belong to the table come along."""

    name: Identifier
    type: ColumnType
    end: int = 0
    not_null: bool = False
    null: bool = False  # NULL was written
    primary_key: bool = False
    placement_key: bool = False
    hidden: bool = False
    default: SqlExpression | None = None
    on_update: SqlExpression | None = None
    generated: SqlExpression | None = None
    stored: bool = False
    identity: ddl_ast.SequenceClauses | None = None
    vector_length: int | None = None
    options: list[ddl_ast.Option] = field(default_factory=list)
    constraints: list[ddl_ast.Constraint] = field(default_factory=list)

    def definition(self, *, is_key: bool = False) -> ddl_ast.ColumnDefinition:
        """Return the column's tree; a column of the primary key is never NULL."""
        options = (*self.type.options, *self.options)
        return ddl_ast.ColumnDefinition(
            self.name,
            self._type(),
            not_null=self.not_null or is_key or self.type.serial,
            default=self.default,
            on_update=self.on_update,
            generated=self.generated,
            stored=self.stored,
            identity=self.identity,
            hidden=self.hidden,
            primary_key=self.primary_key,
            placement_key=self.placement_key,
            options=options or None,
            serial=self.type.serial,
            at=self.name.at,
            end=self.end,
        )

    def _type(self) -> TypeName:
        if self.vector_length is None:
            return self.type.name
        return replace(self.type.name, vector_length=self.vector_length)


class DdlColumnParser(DdlTypeParser):
    """The grammar of columns."""

    def column(self) -> ColumnParts:
        """Parse `name type clause ...`; the clauses come in any order."""
        column = ColumnParts(self.identifier(), self.column_type())
        if self.token.symbol == "COMPRESSION":
            self.refuse_clause("COMPRESSION")
            self.advance()
            self.part()
        if self.accept("OPTIONS"):
            self.refuse_clause("OPTIONS")
            self.skip_parentheses()
        while self._clause(column):
            pass
        start = self.token.at
        if self.accept_all("LOCALITY", "GROUP"):
            group = self.name_or_null()
            column.options.append(ddl_ast.Option("locality_group", group, at=start, end=self.end))
        column.end = self.end
        return column

    def _clause(self, column: ColumnParts) -> bool:
        """Parse a clause of a column; return whether one followed."""
        name = self.constraint_name()
        rule = _CLAUSES.get(self.token.symbol)
        if rule is not None and rule(self, column, name):
            return True
        if name is not None:
            raise self.unexpected()
        if self.accept("COLLATE"):
            self.refuse("<COLLATE> clause is not supported in column definition.")
            self.path_from(self.part())
            return True
        return self.attribute()

    # ------------------------------------------------------------------------ clauses

    def _not(self, column: ColumnParts, name: Identifier | None) -> bool:
        if not self.accept_all("NOT", "NULL"):
            return False
        self.refuse_name(name, "NOT NULL")
        column.not_null = True
        return True

    def _null(self, column: ColumnParts, name: Identifier | None) -> bool:
        self.advance()
        self.refuse_name(name, "NULL")
        column.null = True
        return True

    def _unique(self, column: ColumnParts, name: Identifier | None) -> bool:
        self.refuse("<UNIQUE> constraint is not supported, create a unique index instead.")
        self.advance()
        self.null_treatment()
        self.column_index_clauses()
        return True

    def _primary_key_clause(self, column: ColumnParts, name: Identifier | None) -> bool:
        self.expect_all("PRIMARY", "KEY")
        self.refuse_name(name, "PRIMARY KEY")
        self.column_index_clauses()
        if column.primary_key:
            self.refuse("Primary key can be only defined once.")
        column.primary_key = True
        return True

    def _placement_key(self, column: ColumnParts, name: Identifier | None) -> bool:
        column.placement_key = self.accept_all("PLACEMENT", "KEY")
        return column.placement_key

    def _check(self, column: ColumnParts, name: Identifier | None) -> bool:
        start = self.advance().at if name is None else name.at
        if name is not None:
            self.advance()
        check = self.sql_in_parentheses()
        self.no_inherit()
        column.constraints.append(ddl_ast.CheckDefinition(name, check, at=start, end=self.end))
        return True

    def _references(self, column: ColumnParts, name: Identifier | None) -> bool:
        start = self.token.at if name is None else name.at
        column.constraints.append(self.references(name, (column.name,), start))
        return True

    def _default(self, column: ColumnParts, name: Identifier | None) -> bool:
        self.advance()
        if column.identity is not None:
            self._both(column, "identity and default value")
        elif column.default is not None:
            self._twice(column, "default values")
        column.default = self.sql_value()
        return True

    def _on_update(self, column: ColumnParts, name: Identifier | None) -> bool:
        self.expect_all("ON", "UPDATE")
        if column.identity is not None:
            self._both(column, "identity and on update")
        column.on_update = self.sql_value()
        return True

    def _generated(self, column: ColumnParts, name: Identifier | None) -> bool:
        """Parse GENERATED {ALWAYS | BY DEFAULT} AS {IDENTITY ... | (expression) ...}."""
        self.advance()
        when_at = self.token.at
        always = self.accept("ALWAYS")
        if not always:
            self.expect_all("BY", "DEFAULT")
        self.expect("AS")
        if self.accept("IDENTITY"):
            self._identity(column, always=always)
            return True
        generated = self.sql_in_parentheses()
        if not self.accept_any("STORED", "VIRTUAL"):
            raise self.unexpected()
        if not always:
            message = "for a generated column, GENERATED ALWAYS must be specified"
            raise self.failure(message, when_at)
        if column.identity is not None:
            self._both(column, "identity and generation expression")
        elif column.generated is not None:
            self._twice(column, "generation clauses")
        column.generated = generated
        column.stored = self.tokens[self.position - 1].symbol == "STORED"
        return True

    def _identity(self, column: ColumnParts, *, always: bool) -> None:
        if always:
            self.refuse("Only <GENERATED BY DEFAULT> is supported for identity column.")
        if column.type.serial or column.identity is not None:
            self._both(column, "serial and identity")
        elif column.default is not None:
            self._both(column, "identity and default value")
        elif column.generated is not None:
            self._both(column, "identity and generation expression")
        start = self.token.at
        column.identity = ddl_ast.SequenceClauses(at=start, end=start)
        if self.accept("("):
            column.identity = self.sequence_clauses("CREATE TABLE", required=True)
            self.expect(")")

    def _vector(self, column: ColumnParts, name: Identifier | None) -> bool:
        self.expect_all("VECTOR", "LENGTH")
        column.vector_length = self.bigint()
        if column.vector_length < 0:
            self.reject_later(f"Vector length cannot be negative: {column.vector_length}.")
        return True

    def _hidden(self, column: ColumnParts, name: Identifier | None) -> bool:
        self.advance()
        self.refuse_name(name, "HIDDEN")
        column.hidden = True
        return True

    def _both(self, column: ColumnParts, what: str) -> None:
        self.refuse(f'Both {what} specified for column "{column.name.name}"')

    def _twice(self, column: ColumnParts, what: str) -> None:
        self.refuse(f'Multiple {what} specified for column "{column.name.name}"')


_CLAUSES: Mapping[str, Callable[[DdlColumnParser, ColumnParts, Identifier | None], bool]] = {
    "CHECK": DdlColumnParser._check,
    "DEFAULT": DdlColumnParser._default,
    "GENERATED": DdlColumnParser._generated,
    "HIDDEN": DdlColumnParser._hidden,
    "NOT": DdlColumnParser._not,
    "NULL": DdlColumnParser._null,
    "ON": DdlColumnParser._on_update,
    "PLACEMENT": DdlColumnParser._placement_key,
    "PRIMARY": DdlColumnParser._primary_key_clause,
    "REFERENCES": DdlColumnParser._references,
    "UNIQUE": DdlColumnParser._unique,
    "VECTOR": DdlColumnParser._vector,
}
