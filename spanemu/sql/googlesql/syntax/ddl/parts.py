"""Rules that all DDL statements share: names, options, key parts, and SQL kept with its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import OnDelete, OptionValue
from spanemu.sql.errors import LISTED_COLUMNS
from spanemu.sql.googlesql.ast import Identifier, Path
from spanemu.sql.googlesql.syntax.lexer import decode_float, decode_integer, decode_string
from spanemu.sql.googlesql.syntax.query import QueryParser
from spanemu.sql.syntax_tree import Kind

T = TypeVar("T")

_OPTION_WORDS: Mapping[str, bool | None] = {"NULL": None, "TRUE": True, "FALSE": False}
_OPTION_LITERALS: Mapping[Kind, Callable[[str], str | int | float]] = {
    Kind.FLOAT: decode_float,
    Kind.INTEGER: decode_integer,
    Kind.STRING: decode_string,
}


class DdlPartParser(QueryParser):
    """The grammar of the parts of DDL statements."""

    # ------------------------------------------------------------------------ names

    def if_exists(self) -> bool:
        """Consume IF EXISTS; return whether it followed."""
        return self.accept_all("IF", "EXISTS")

    def if_not_exists(self) -> bool:
        """Consume IF NOT EXISTS; return whether it followed."""
        return self.accept_all("IF", "NOT", "EXISTS")

    def path_or_default(self) -> Path:
        """Parse a path, or the reserved word DEFAULT as the name of a predefined object."""
        if self.token.symbol != "DEFAULT":
            return self.path()
        word = self.identifier_of(self.advance())
        return Path((word,), at=word.at, end=word.end)

    def column_names(self) -> tuple[Identifier, ...]:
        """Parse `(column, ...)`, with at most as many columns as a table may have."""
        return self.column_list(self.identifier)

    def column_list(self, rule: Callable[[], T]) -> tuple[T, ...]:
        """Parse `(item, ...)`, with at most as many items as a table may have columns."""
        return self.in_parentheses(self.counted_column(rule))

    def counted_column(self, rule: Callable[[], T]) -> Callable[[], T]:
        """Return `rule`, which parses at most as many items as a table may have columns."""
        return self.counted(rule, LISTED_COLUMNS, self.bounds.limits.columns_per_table)

    def columns_in_parentheses(self) -> tuple[Identifier, ...]:
        """Parse `(name, ...)` or `()`."""
        if self.accept_all("(", ")"):
            return ()
        return self.column_names()

    # ------------------------------------------------------------------------ options

    def options(self) -> ddl_ast.Options | None:
        """Parse OPTIONS (name = value, ...); return None if it does not follow."""
        return self.required_options() if self.token.symbol == "OPTIONS" else None

    def required_options(self) -> ddl_ast.Options:
        """Parse OPTIONS (name = value, ...); a comma may follow the last option."""
        self.expect("OPTIONS")
        self.expect("(")
        option = self.counted(self._option)
        options = [option()]
        while self.accept(","):
            if self.token.symbol == ")":
                break
            options.append(option())
        self.expect(")", ",")
        return tuple(options)

    def _option(self) -> ddl_ast.Option:
        start = self.token.at
        name = str(self.path())
        self.expect("=")
        value = self._option_list() if self.token.symbol == "[" else self._option_scalar()
        return ddl_ast.Option(name, value, at=start, end=self.end)

    def _option_list(self) -> OptionValue:
        self.advance()
        items = () if self.token.symbol == "]" else self.item_list(self._option_scalar)
        self.expect("]", ",")
        return items

    def _option_scalar(self) -> str | int | float | bool | None:
        token = self.token
        if token.symbol in _OPTION_WORDS:
            self.advance()
            return _OPTION_WORDS[token.symbol]
        if self.accept("-"):
            return -self._option_number()
        decoder = _OPTION_LITERALS.get(token.kind)
        if decoder is None:
            raise self.unexpected()
        return self.decode(self.advance(), decoder)

    def _option_number(self) -> int | float:
        if self.token.kind is Kind.FLOAT:
            return self.decode(self.advance(), decode_float)
        return self.whole_number()

    def whole_number(self) -> int:
        """Parse an integer literal and return its value."""
        return self.decode(self.expect_kind(Kind.INTEGER), decode_integer)

    def signed_number(self) -> int:
        """Parse an integer literal with an optional minus and return its value."""
        return -self.whole_number() if self.accept("-") else self.whole_number()

    # ------------------------------------------------------------------------ keys

    def key_parts(self) -> tuple[ddl_ast.KeyPart, ...]:
        """Parse `(column [ASC | DESC], ...)` or `()`; no comma may follow the last column."""
        if self.accept_all("(", ")"):
            return ()
        return self.column_list(self.key_part)

    def key_part(self) -> ddl_ast.KeyPart:
        """Parse `column [ASC | DESC] [NULLS FIRST | NULLS LAST]`."""
        start = self.token.at
        column = self.identifier()
        order = self.direction()
        nulls = self.null_order()
        return ddl_ast.KeyPart(column, order, nulls, at=start, end=self.end)

    def interleave(self) -> ddl_ast.InterleaveClause:
        """Parse INTERLEAVE IN [PARENT] table [ON DELETE ...]."""
        start = self.token.at
        self.expect_all("INTERLEAVE", "IN")
        in_parent = self.token.symbol == "PARENT" and self.peek().kind is Kind.IDENTIFIER
        if in_parent:
            self.advance()
        table = self.path()
        on_delete = self.on_delete()
        return ddl_ast.InterleaveClause(table, in_parent, on_delete, at=start, end=self.end)

    def on_delete(self) -> OnDelete | None:
        """Parse ON DELETE {CASCADE | NO ACTION}; return None if it does not follow."""
        if not self.accept_all("ON", "DELETE"):
            return None
        if self.accept("CASCADE"):
            return OnDelete.CASCADE
        if self.accept_all("NO", "ACTION"):
            return OnDelete.NO_ACTION
        raise self.unexpected("CASCADE", "NO")

    # ------------------------------------------------------------------------ sequences

    def sequence_clauses(self) -> ddl_ast.SequenceClauses:
        """Parse zero or more clauses of a sequence, in any order and each at most once."""
        start = self.token.at
        seen: set[str] = set()
        kind = no_skip = False
        skip_range: tuple[int, int] | None = None
        counter: int | None = None
        while (word := self.token.symbol) in _SEQUENCE_WORDS:
            clause = _SEQUENCE_WORDS[word]
            if clause in seen:
                raise self.unexpected()
            seen.add(clause)
            self.advance()
            if word == "BIT_REVERSED_POSITIVE":
                kind = True
            elif word == "SKIP":
                skip_range = self._skip_range()
            elif word == "NO":
                self.expect_all("SKIP", "RANGE")
                no_skip = True
            else:
                self.expect_all("COUNTER", "WITH")
                counter = self.signed_number()
        return ddl_ast.SequenceClauses(
            kind, skip_range, no_skip, counter, at=start, end=self.end
        )  # fmt: skip

    def _skip_range(self) -> tuple[int, int]:
        self.expect("RANGE")
        low = self.signed_number()
        self.expect(",")
        return low, self.signed_number()

    # ------------------------------------------------------------------------ SQL with its text

    def sql_in_parentheses(self) -> ddl_ast.SqlExpression:
        """Parse `(expression)`."""
        self.expect("(")
        expression = self.sql_expression()
        self.expect(")")
        return expression

    def sql_expression(self) -> ddl_ast.SqlExpression:
        """Parse an expression and keep its text as written."""
        start, self.calls = self.token.at, 0
        tree = self.expression()
        return ddl_ast.SqlExpression(self.text[start : self.end], tree, at=start, end=self.end)

    def sql_query(self) -> ddl_ast.SqlQuery:
        """Parse a query and keep its text as written."""
        start, self.calls = self.token.at, 0
        tree = self.query()
        return ddl_ast.SqlQuery(self.text[start : self.end], tree, at=start, end=self.end)


# The first word of a clause -> the clause it begins.
_SEQUENCE_WORDS: Mapping[str, str] = {
    "BIT_REVERSED_POSITIVE": "kind",
    "SKIP": "range",
    "NO": "range",
    "START": "counter",
    "RESTART": "counter",
}
