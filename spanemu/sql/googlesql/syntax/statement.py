"""The entry points of the parser: the text of a query or a DML statement as a tree.

    parse_statement("@{...} SELECT ...")   what ExecuteSql takes
    parse_query("SELECT ...")              the body of a view
    parse_expression("a + 1")              a default, a check, a generated column

Every failure is a `SpannerError` of `sql.errors`, or `Unsupported`. The entry point for DDL is
`ddl.statement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from spanemu.base.errors import Unsupported
from spanemu.sql.bounds import UNBOUNDED, Bounds
from spanemu.sql.errors import StatementRefused, TextTooLong, line_and_column
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.dml import DmlParser
from spanemu.sql.googlesql.syntax.lexer import tokenize

T = TypeVar("T")


_DML = frozenset({"DELETE", "INSERT", "UPDATE"})

# The first words of GoogleSQL statements that ExecuteSql never accepts.
_REFUSED = frozenset(
    {"ALTER", "ANALYZE", "ASSERT", "BEGIN", "CLONE", "COMMIT", "CREATE", "DECLARE", "DEFINE",
     "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "EXPORT", "GRANT", "IF", "IMPORT", "LOAD", "LOOP",
     "MERGE", "RAISE", "RENAME", "REVOKE", "ROLLBACK", "RUN", "SET", "SHOW", "START", "TRUNCATE",
     "WHILE"}
)  # fmt: skip


def parse_statement(text: str, bounds: Bounds = UNBOUNDED) -> ast.Statement:
    """Parse the single statement of `text`, which may end in a semicolon.

    Raises TextTooLong or StatementTooLarge as soon as the text exceeds `bounds`.
    """
    return _parse_all(text, StatementParser.statement, bounds)


def begins_dml(text: str) -> bool:
    """Return whether `text` begins with a DML keyword, after an optional statement hint.

    The text need not be a valid statement. Raises SyntaxFailure if the hint is malformed, or if
    the text begins with another token and cannot be split into tokens.
    """
    parser = StatementParser(text)
    parser.hint()
    if parser.token.symbol in _DML:
        return True
    tokenize(text)
    return False


def parse_query(text: str, bounds: Bounds = UNBOUNDED) -> ast.Query:
    """Parse the single query of `text`, which has no statement hint."""
    return _parse_all(text, StatementParser.query, bounds)


def parse_expression(text: str, bounds: Bounds = UNBOUNDED) -> ast.Expression:
    """Parse the single expression of `text`."""
    return _parse_all(text, StatementParser.expression, bounds)


def _parse_all(text: str, rule: Callable[[StatementParser], T], bounds: Bounds) -> T:
    length_max = bounds.limits.sql_characters
    if len(text) > length_max:
        raise TextTooLong(len(text), length_max)
    parser = StatementParser(text, bounds)
    try:
        tree = rule(parser)
    except RecursionError:
        # DEPTH_MAX is safe for callers of ordinary stack depth; a deeper caller leaves less stack.
        raise parser.failure("Nested too deeply") from None
    parser.expect_end()
    return tree


class StatementParser(DmlParser):
    """The whole grammar of queries and DML."""

    def statement(self) -> ast.Statement:
        """Parse a statement and the hint before it."""
        start = self.token.at
        hint = self.hint()
        if rule := _STATEMENTS.get(self.token.symbol):
            return rule(self, hint)
        if self.starts_query() or self.token.symbol == "(":
            query = self.query()
            return ast.QueryStatement(query, hint, at=start, end=self.end)
        if self.token.symbol in _REFUSED and hint is None:
            line, column = line_and_column(self.text, self.token.at)
            raise StatementRefused(self.token.symbol, line, column)
        raise self.unexpected()

    def call_procedure(self, hint: ast.Hint | None) -> ast.CallProcedure:
        """Parse CALL procedure(arguments)."""
        if hint is not None:
            raise self.unexpected()
        start = self.advance().at
        procedure = self.path()
        self.expect("(")
        arguments = () if self.token.symbol == ")" else self.item_list(self.argument)
        self.expect(")", ",")
        return ast.CallProcedure(procedure, arguments, at=start, end=self.end)

    def graph_query(self, hint: ast.Hint | None) -> ast.Statement:
        """Refuse GRAPH statements, which spanemu does not implement."""
        raise Unsupported("GRAPH query")


_STATEMENTS: Mapping[str, Callable[[StatementParser, ast.Hint | None], ast.Statement]] = {
    "CALL": StatementParser.call_procedure,
    "DELETE": StatementParser.delete,
    "GRAPH": StatementParser.graph_query,
    "INSERT": StatementParser.insert,
    "UPDATE": StatementParser.update,
}
