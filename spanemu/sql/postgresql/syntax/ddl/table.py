"""CREATE TABLE."""

from __future__ import annotations

from dataclasses import dataclass, field

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.errors import SpannerError
from spanemu.sql import ddl_ast
from spanemu.sql.errors import LISTED_CONSTRAINTS, TooManyColumns
from spanemu.sql.functions.postgresql.time.text import interval_in
from spanemu.sql.postgresql.syntax.ddl.column import ColumnParts, DdlColumnParser
from spanemu.sql.postgresql.syntax.ddl.constraint import PrimaryKey
from spanemu.sql.postgresql.syntax.ddl.parts import Setting
from spanemu.sql.syntax_tree import Identifier, Path

CONSTRAINTS_MAX = 1_000  # of CREATE TABLE, with synonyms; Spanner documents no limit

_DICTIONARY = "fulltext_dictionary"
_SECONDS_PER_DAY = 86_400
_DAYS_PER_MONTH = 30


@dataclass
class Elements:
    """The elements between the parentheses of CREATE TABLE, by kind."""

    columns: list[ColumnParts] = field(default_factory=list)
    constraints: list[ddl_ast.Constraint] = field(default_factory=list)
    synonyms: list[Identifier] = field(default_factory=list)
    primary_key: tuple[Identifier, ...] = ()


class DdlTableParser(DdlColumnParser):
    """The grammar of CREATE TABLE."""

    def create_table(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE TABLE; the caller has read the verb and TEMP."""
        self.expect("TABLE")
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        if str(name).startswith("pg_"):
            self.reject_later("'pg_' is not supported as a prefix for a table name.", name.at)
        if self._is_other_form():
            return ddl_ast.CreateTable(name, (), at=start, end=self.end)
        elements = self.elements(name)
        options = self._postgresql_clauses()
        options += self.storage_options()
        interleave = self.interleave() if self.token.symbol == "INTERLEAVE" else None
        policy = self.ttl() if self.token.symbol == "TTL" else None
        return ddl_ast.CreateTable(
            name,
            self.columns_of(elements),
            self.key_of(elements),
            tuple(elements.constraints),
            tuple(elements.synonyms),
            interleave,
            policy,
            options or None,
            if_not_exists,
            at=start,
            end=self.end,
        )

    def _is_other_form(self) -> bool:
        """Parse CREATE TABLE of a type, as a partition or from a query, all refused."""
        if self.accept("OF"):
            self.refuse_clause("OF type_name")
        elif self.accept_all("PARTITION", "OF"):
            self.refuse_clause("INHERITS")
        elif self.accept("AS"):
            self.refuse("Statement is not supported.")
        else:
            return False
        self.skip_rest()
        return True

    # ------------------------------------------------------------------------ elements

    def elements(self, table: Path) -> Elements:
        """Parse the elements between the parentheses."""
        elements = Elements()
        columns_max = self.bounds.limits.columns_per_table
        self.expect("(")
        if self.token.symbol == ")":
            message = "<CREATE TABLE> statement must have at least one column defined."
            self.refuse(message)
        while self.token.symbol != ")":
            start = self.token.at
            self._element(elements)
            if len(elements.columns) > columns_max:
                raise TooManyColumns(str(table), columns_max)
            if len(elements.constraints) + len(elements.synonyms) > CONSTRAINTS_MAX:
                raise self.too_large(LISTED_CONSTRAINTS, CONSTRAINTS_MAX, start)
            if not self.accept(","):
                break
            if self.token.symbol == ")":
                raise self.unexpected()
        self.expect(")")
        return elements

    def _element(self, into: Elements) -> None:
        if self.constraint_follows():
            self._constraint(into)
        elif self.follows("SYNONYM", "("):
            self.expect_all("SYNONYM", "(")
            into.synonyms.append(self.identifier())
            self.expect(")")
        elif self.accept("LIKE"):
            self.refuse_clause("LIKE")
            self.object_name()
            while self.accept_any("INCLUDING", "EXCLUDING"):
                self.part()
        else:
            column = self.column()
            into.columns.append(column)
            into.constraints.extend(column.constraints)
            if column.primary_key:
                self._set_key(into, (column.name,))

    def _constraint(self, into: Elements) -> None:
        constraint = self.table_constraint()
        if isinstance(constraint, PrimaryKey):
            self._set_key(into, constraint.columns)
        elif constraint is not None:
            into.constraints.append(constraint)

    def _set_key(self, into: Elements, columns: tuple[Identifier, ...]) -> None:
        if into.primary_key:
            self.refuse("Primary key can be only defined once.")
        into.primary_key = columns

    def columns_of(self, elements: Elements) -> tuple[ddl_ast.ColumnDefinition, ...]:
        """Return the columns; those of the primary key are never NULL."""
        key = {column.name for column in elements.primary_key}
        columns = []
        for column in elements.columns:
            is_key = column.name.name in key
            if column.null and (is_key or column.not_null):
                self.refuse("Nullable <PRIMARY KEY> columns are not supported.", column.name.at)
            column.primary_key = False  # the key is in the clause of the table
            columns.append(column.definition(is_key=is_key))
        return tuple(columns)

    def key_of(self, elements: Elements) -> tuple[ddl_ast.KeyPart, ...] | None:
        """Return the key; None means that the table gets a hidden key column."""
        if not elements.primary_key:
            return None
        return tuple(
            ddl_ast.KeyPart(column, at=column.at, end=column.end) for column in elements.primary_key
        )

    # ------------------------------------------------------------------------ clauses

    def _postgresql_clauses(self) -> tuple[ddl_ast.Option, ...]:
        """Parse the clauses of PostgreSQL behind the parentheses; return the options of WITH."""
        options: tuple[ddl_ast.Option, ...] = ()
        if self.accept("INHERITS"):
            self.refuse_clause("INHERITS")
            self.skip_parentheses()
        if self.accept_all("PARTITION", "BY"):
            self.refuse_clause("PARTITION BY")
            self.part()
            self.skip_parentheses()
        if self.accept("USING"):
            self.refuse_clause("USING")
            self.identifier()
        if self.accept("WITH"):
            options = self._table_options()
        elif self.accept_all("WITHOUT", "OIDS"):
            pass
        if self.accept_all("ON", "COMMIT"):
            self.refuse_clause("ON COMMIT")
            if not self.accept("DROP"):
                if not self.accept_any("DELETE", "PRESERVE"):
                    raise self.unexpected()
                self.expect("ROWS")
        if self.accept("TABLESPACE"):
            self.refuse_clause("TABLESPACE")
            self.identifier()
        return options

    def _table_options(self) -> tuple[ddl_ast.Option, ...]:
        """Parse the options of a dictionary of full-text search."""
        options = []
        for setting in self.settings():
            if setting.name == "type" and setting.value == _DICTIONARY:
                setting = Setting("fulltext_dictionary_table", None, setting.at)
                options.append(self.option(setting, True))
            elif setting.name == "fulltext_dictionary_staleness":
                options.append(self.option(setting, setting.value))
            else:
                message = f"Table option <{setting.name}> is not supported."
                self.refuse(message, setting.at)
        return tuple(options)

    def ttl(self) -> ddl_ast.RowDeletionPolicy:
        """Parse TTL INTERVAL 'interval' [fields] ON column."""
        start = self.expect("TTL").at
        self.expect("INTERVAL")
        at = self.token.at
        text = self.string_value()
        fields, _ = self.interval_fields()
        self.expect("ON")
        column = self.identifier()
        days = self._days(text, fields, at)
        return ddl_ast.RowDeletionPolicy(column, days, at=start, end=self.end)

    def _days(self, text: str, fields: str, at: int) -> int:
        """Return the days of an interval, in which a month has 30 days."""
        try:
            interval = interval_in(text, fields)
        except SpannerError as failure:
            self.note(failure)
            return 0
        days = interval.months * _DAYS_PER_MONTH + interval.days
        more, rest = divmod(interval.nanos // NANOS_PER_SECOND, _SECONDS_PER_DAY)
        if days + more < 0:
            self.refuse("TTL interval must be greater than or equal to zero", at)
        elif rest:
            self.reject_later("TTL interval must be a whole number of days", at)
        return days + more
