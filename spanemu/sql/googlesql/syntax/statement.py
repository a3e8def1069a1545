"""The door to the parser: the text of a query or of DML as a tree.

    parse_statement("@{...} SELECT ...")   what ExecuteSql takes
    parse_query("SELECT ...")              the body of a view
    parse_expression("a + 1")              a default, a check, a generated column

Every failure is a `SpannerError` of `sql.errors`, or `Unsupported`. DDL has its own door,
`ddl.statement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from spanemu.base.errors import Unsupported
from spanemu.sql.errors import StatementRefused, TextTooLong, line_and_column
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.bounds import UNBOUNDED, Bounds
from spanemu.sql.googlesql.syntax.dml import DmlParser
from spanemu.sql.googlesql.syntax.lexer import tokenize

T = TypeVar("T")


_DML = frozenset({"DELETE", "INSERT", "UPDATE"})

# Words that begin statements of the language which ExecuteSql never takes.
_REFUSED = frozenset(
    {"ALTER", "ANALYZE", "ASSERT", "BEGIN", "CLONE", "COMMIT", "CREATE", "DECLARE", "DEFINE",
     "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "EXPORT", "GRANT", "IF", "IMPORT", "LOAD", "LOOP",
     "MERGE", "RAISE", "RENAME", "REVOKE", "ROLLBACK", "RUN", "SET", "SHOW", "START", "TRUNCATE",
     "WHILE"}
)  # fmt: skip


def parse_statement(text: str, bounds: Bounds = UNBOUNDED) -> ast.Statement:
    """Return the one statement of a text, which may end in a semicolon.

    Raises TextTooLong or StatementTooLarge for what exceeds `bounds`, without reading further.
    """
    return _whole(text, StatementParser.statement, bounds)


def begins_dml(text: str) -> bool:
    """Return whether a text that need not be a statement begins as DML does, after a hint.

    Raises SyntaxFailure for a text that does not and has no tokens, or if the hint is none.
    """
    parser = StatementParser(text)
    parser.hint()
    if parser.token.symbol in _DML:
        return True
    tokenize(text)
    return False


def parse_query(text: str, bounds: Bounds = UNBOUNDED) -> ast.Query:
    """Return the one query of a text, without a statement hint."""
    return _whole(text, StatementParser.query, bounds)


def parse_expression(text: str, bounds: Bounds = UNBOUNDED) -> ast.Expression:
    """Return the one expression of a text."""
    return _whole(text, StatementParser.expression, bounds)


def _whole(text: str, rule: Callable[[StatementParser], T], bounds: Bounds) -> T:
    length_max = bounds.limits.sql_characters
    if len(text) > length_max:
        raise TextTooLong(len(text), length_max)
    parser = StatementParser(text, bounds)
    try:
        found = rule(parser)
    except RecursionError:
        # Our own limit holds for callers of ordinary depth. One that is deep itself leaves less.
        raise parser.failure("Nested too deeply") from None
    parser.expect_end()
    return found


class StatementParser(DmlParser):
    """The whole grammar of queries and DML."""

    def statement(self) -> ast.Statement:
        """A statement with the hint before it."""
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
        """CALL procedure(arguments)."""
        if hint is not None:
            raise self.unexpected()
        start = self.advance().at
        procedure = self.path()
        self.expect("(")
        arguments = () if self.token.symbol == ")" else self.comma_separated(self.argument)
        self.expect(")", ",")
        return ast.CallProcedure(procedure, arguments, at=start, end=self.end)

    def graph_query(self, hint: ast.Hint | None) -> ast.Statement:
        """GRAPH ...: not yet."""
        raise Unsupported("GRAPH query")


_STATEMENTS: Mapping[str, Callable[[StatementParser, ast.Hint | None], ast.Statement]] = {
    "CALL": StatementParser.call_procedure,
    "DELETE": StatementParser.delete,
    "GRAPH": StatementParser.graph_query,
    "INSERT": StatementParser.insert,
    "UPDATE": StatementParser.update,
}
