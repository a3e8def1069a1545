"""Parts of several schema statements: names, options, storage clauses, and SQL with its text.

A clause that PostgreSQL has and Spanner refuses is read, and `refuse` notes the refusal: a syntax
error further on takes precedence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import NamedTuple
from spanemu.base.sql_states import SqlState
from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import Option, OptionValue
from spanemu.sql.errors import LISTED_COLUMNS, DdlSyntaxFailure
from spanemu.sql.postgresql.syntax.cursor import NotAccepted, NotSupported
from spanemu.sql.postgresql.syntax.keywords import RESERVED
from spanemu.sql.postgresql.syntax.query import QueryParser
from spanemu.sql.syntax_tree import Expression, Identifier, Kind, Path

T = TypeVar("T")

PUBLIC = "public"  # the default schema, whose objects have names without a schema
_PARTS_MAX = 3  # of a name: catalog, schema, object


class PostgreSqlDdlSyntaxFailure(DdlSyntaxFailure, sql_state=SqlState.SYNTAX_ERROR):
    """A schema statement does not follow PostgreSQL's grammar."""

    prose = "[ERROR] {message}; failed to parse the DDL statements."


class DdlNotSupported(
    NotSupported, code=Code.FAILED_PRECONDITION, sql_state=SqlState.FEATURE_NOT_SUPPORTED
):
    """PostgreSQL has the statement or the clause, and Spanner refuses it."""


class PartialMatch(SpannerError, code=Code.UNIMPLEMENTED):
    """PostgreSQL's grammar has MATCH PARTIAL, and PostgreSQL itself does not implement it."""

    prose = "[ERROR] MATCH PARTIAL not yet implemented; failed to parse the DDL statements."


class NumberOutOfRange(
    SpannerError, code=Code.OUT_OF_RANGE, sql_state=SqlState.NUMERIC_VALUE_OUT_OF_RANGE
):
    prose = '[ERROR] value "{text}" is out of range for type bigint'
    text: str


class Setting(NamedTuple):
    """`name [= value]` in WITH (...); `at` is the offset of the name.

    A `value` is a string, a number or None, if the value is missing or is no literal: a word is a
    string only if it is reserved, as true is.
    """

    name: str
    value: str | int | float | None
    at: int
    has_value: bool = True


class DdlPartParser(QueryParser):
    """The grammar of parts. `statement` is the kind of statement, as refusals name it."""

    statement = ""

    # ------------------------------------------------------------------------ refusals

    def refuse(self, message: str, at: int | None = None) -> None:
        """Note a clause that Spanner does not support (FAILED_PRECONDITION)."""
        self._note(DdlNotSupported, message, at)

    def note(self, refusal: SpannerError) -> None:
        """Note the error of a statement without syntax error, unless there is another."""
        if self.refusal is None:
            self.refusal = refusal

    def refuse_clause(self, clause: str) -> None:
        """Note that Spanner does not support a clause of the statement."""
        self.refuse(f"<{clause}> clause is not supported in <{self.statement}> statement.")

    def skip_rest(self) -> None:
        """Consume the rest of a statement that is refused in any case."""
        while self.token.kind is not Kind.END and self.token.symbol != ";":
            self.advance()

    def skip_parentheses(self) -> None:
        """Consume `(...)`, whose content does not matter."""
        self.expect("(")
        depth = 1
        while depth:
            if self.token.kind is Kind.END:
                raise self.unexpected()
            depth += {"(": 1, ")": -1}.get(self.advance().symbol, 0)

    # ------------------------------------------------------------------------ names

    def object_name(self) -> Path:
        """Parse `[schema.]name`, without the name of the default schema."""
        return self.home_of(self.path())

    def home_of(self, path: Path) -> Path:
        """Return the name of an object without the name of the default schema."""
        if len(path.parts) > _PARTS_MAX:
            raise self.failure("improper qualified name (too many dotted names)", path.at)
        if len(path.parts) == _PARTS_MAX:
            message = f"Catalog in the name is not supported in <{self.statement}> statement."
            self.refuse(message, path.at)
        for part in path.parts:
            if "." in part.name:
                self.refuse(f"Dot(.) is not supported in object name: {part.name}.", part.at)
        if len(path.parts) > 1 and path.parts[0].name == PUBLIC:
            return Path(path.parts[1:], at=path.parts[1].at, end=path.end)
        return path

    def default_schema_name(self) -> Path:
        """Parse the name of an object that only the default schema can hold."""
        name = self.object_name()
        if len(name.parts) > 1:
            message = f"Schema name can only be 'public' in <{self.statement}> statement."
            self.reject_later(message, name.at)
        return name

    def relation(self) -> Path:
        """Parse the name of a table with PostgreSQL's words for inheritance, and no hint."""
        if self.accept("ONLY"):
            parenthesized = self.accept("(")
            name = self.object_name()
            if parenthesized:
                self.expect(")")
        else:
            name = self.object_name()
            self.accept("*")
        hint = self.hint()
        if hint is not None:
            message = f"Table hints are not supported in <{self.statement}> statement."
            self.refuse(message, hint.at)
        return name

    def beside(self, table: Path, name: Identifier) -> Path:
        """Return the path of an object called `name` in the schema of a table."""
        return Path((*table.parts[:-1], name), at=name.at, end=name.end)

    def if_exists(self) -> bool:
        """Consume IF EXISTS; return whether it followed."""
        return self.accept_all("IF", "EXISTS")

    def if_not_exists(self) -> bool:
        """Consume IF NOT EXISTS; return whether it followed."""
        return self.accept_all("IF", "NOT", "EXISTS")

    def column_names(self) -> tuple[Identifier, ...]:
        """Parse `(column, ...)`, with at most as many columns as a table may have."""
        return self.column_list(self.identifier)

    def column_list(self, rule: Callable[[], T]) -> tuple[T, ...]:
        """Parse `(item, ...)`, with at most as many items as a table may have columns."""
        limit = self.bounds.limits.columns_per_table
        return self.in_parentheses(self.counted(rule, LISTED_COLUMNS, limit))

    # ------------------------------------------------------------------------ numbers

    def signed_number(self) -> int | float:
        """Parse a number with an optional sign."""
        sign = -1 if self.accept_any("+", "-") == "-" else 1
        if self.token.kind is Kind.FLOAT:
            return sign * float(self.advance().text)
        return sign * self.integer_value()

    def bigint(self) -> int:
        """Parse an integer that fits in 64 bits, with an optional sign."""
        start = self.token.at
        value = self.signed_number()
        if isinstance(value, float) or not -(2**63) <= value < 2**63:
            self.note(NumberOutOfRange(self.text[start : self.end]))
            return 0
        return value

    # ------------------------------------------------------------------------ options

    def settings(self) -> tuple[Setting, ...]:
        """Parse `(name [= value], ...)`."""
        return self.in_parentheses(self.counted(self._setting))

    def _setting(self) -> Setting:
        start = self.token.at
        name = self.part().name
        if self.accept("."):
            name = f"{name}.{self.part().name}"
        if not self.accept("="):
            return Setting(name, None, start, has_value=False)
        return Setting(name, self._setting_value(), start)

    def _setting_value(self) -> str | int | float | None:
        token = self.token
        if token.kind is Kind.STRING:
            return self.string_value()
        if token.kind in (Kind.INTEGER, Kind.FLOAT) or token.symbol in ("+", "-"):
            return self.signed_number()
        if token.kind is Kind.KEYWORD and token.symbol in RESERVED:
            return self.advance().text.lower()
        if self.accept("NONE"):
            return "none"
        self.type_reference()
        return None

    def truth_value(self, setting: Setting, owner: str) -> bool | None:
        """Return the value of an option that is true, false or null, also in quotes."""
        value = setting.value
        if not isinstance(value, str):
            self.bad_value(setting)
        elif value in ("true", "false"):
            return value == "true"
        elif value.lower() != "null":
            message = f"Unsupported option value in {owner} option '{setting.name}'"
            self.refuse(f"{message} in <{self.statement}> statement.", setting.at)
        return None

    def bad_value(self, setting: Setting) -> None:
        """Note that the value of an option has a wrong type."""
        message = f"Failed to provide valid option value for '{setting.name}'"
        self.reject_later(f"{message} in <{self.statement}> statement.", setting.at)

    def unique_settings(self, owner: str) -> tuple[Setting, ...]:
        """Parse `(name = value, ...)`, and note a missing value or a repeated name."""
        settings = self.settings()
        seen: set[str] = set()
        for setting in settings:
            if not setting.has_value:
                message = f"Failed to parse {owner} option correctly"
            elif setting.name in seen:
                message = f"Contains duplicate {owner} option '{setting.name}'"
            else:
                seen.add(setting.name)
                continue
            self.reject_later(f"{message} in <{self.statement}> statement.", setting.at)
        return settings

    def name_or_null(self) -> str | None:
        """Parse a name, also in quotes of a string as the page of ALTER INDEX has it, or NULL."""
        if self.accept("NULL"):
            return None
        if self.token.kind is Kind.STRING:
            return self.string_value()
        return self.identifier().name

    def storage_options(self) -> tuple[Option, ...]:
        """Parse [LOCALITY GROUP name] [COLUMNAR POLICY name]."""
        options = []
        for words, name in (
            (("LOCALITY", "GROUP"), "locality_group"),
            (("COLUMNAR", "POLICY"), "columnar_policy"),
        ):
            start = self.token.at
            if self.accept_all(*words):
                options.append(Option(name, self.name_or_null(), at=start, end=self.end))
        return tuple(options)

    def option(self, setting: Setting, value: OptionValue) -> Option:
        """Return an option of the schema statement from a setting."""
        return Option(setting.name, value, at=setting.at, end=self.end)

    # ------------------------------------------------------------------------ actions, interleaving

    def interleave(self) -> ddl_ast.InterleaveClause:
        """Parse INTERLEAVE IN [PARENT] table [ON DELETE ...]."""
        start = self.token.at
        self.expect_all("INTERLEAVE", "IN")
        in_parent = self.token.symbol == "PARENT" and self.peek().kind is Kind.IDENTIFIER
        if in_parent:
            self.advance()
        table = self.object_name()
        on_delete = self.key_action() if self.accept_all("ON", "DELETE") else None
        if on_delete == "":
            message = (
                "Only <NO ACTION> and <CASCADE> are supported in <ON DELETE> clause of "
                "<INTERLEAVE IN PARENT>."
            )
            self.refuse(message)
        action = None if not on_delete else ddl_ast.OnDelete(on_delete)
        return ddl_ast.InterleaveClause(table, in_parent, action, at=start, end=self.end)

    def key_action(self) -> str:
        """Parse an action of ON DELETE or ON UPDATE; return "" for one that Spanner lacks."""
        if self.accept("CASCADE"):
            return "CASCADE"
        if self.accept("NO"):
            self.expect("ACTION")
            return "NO ACTION"
        if self.accept("RESTRICT"):
            return ""
        self.expect("SET")
        if not self.accept_any("NULL", "DEFAULT"):
            raise self.unexpected()
        if self.token.symbol == "(":
            self.column_names()
        return ""

    def drop_behavior(self, message: str) -> None:
        """Parse [CASCADE | RESTRICT]; note `message` for CASCADE."""
        if self.accept_any("CASCADE", "RESTRICT") == "CASCADE":
            self.refuse(message)

    # ------------------------------------------------------------------------ SQL with its text

    def sql_in_parentheses(self) -> ddl_ast.SqlExpression:
        """Parse `(expression)`."""
        self.expect("(")
        expression = self.sql_expression()
        self.expect(")")
        return expression

    def sql_expression(self) -> ddl_ast.SqlExpression:
        """Parse an expression and keep its text."""
        return self._kept(self.expression)

    def sql_value(self) -> ddl_ast.SqlExpression:
        """Parse an expression that other clauses may follow: no AND, no NOT, no IS."""
        return self._kept(self.b_expression)

    def _kept(self, rule: Callable[[], Expression]) -> ddl_ast.SqlExpression:
        start, self.calls = self.token.at, 0
        tree = self._stored(rule)
        return ddl_ast.SqlExpression(self.text[start : self.end], tree, at=start, end=self.end)

    def sql_query(self) -> ddl_ast.SqlQuery:
        """Parse a query and keep its text."""
        start, self.calls = self.token.at, 0
        tree = self._stored(self.query)
        return ddl_ast.SqlQuery(self.text[start : self.end], tree, at=start, end=self.end)

    def _stored(self, rule: Callable[[], T]) -> T:
        """Parse SQL that the schema keeps; what a query does not support is invalid there."""
        before = self.refusal
        tree = rule()
        noted = self.refusal
        if noted is not before and isinstance(noted, NotSupported):
            self.refusal = NotAccepted(noted.message, noted.line, noted.column)
        return tree
