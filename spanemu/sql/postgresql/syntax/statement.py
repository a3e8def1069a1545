"""The entry points of the parser: the text of a query or a DML statement as a tree.

    parse_statement("/*@ ... */ SELECT ...")   what ExecuteSql takes
    parse_query("SELECT ...")                  the body of a view
    parse_expression("a + 1")                  a default, a check, a generated column
    split_statements(file_text)                a file, split at its semicolons

Every failure is a `SpannerError`. The entry point for DDL is `ddl.statement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from spanemu.base.deep_stack import deep_stack
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.dml import DmlParser
from spanemu.sql.postgresql.syntax.lexer import tokenize
from spanemu.sql.syntax_tree import Expression, Hint, Kind, Statement
from spanemu.sql.token_cursor import UNBOUNDED, Bounds

T = TypeVar("T")

_DML = frozenset({"DELETE", "INSERT", "UPDATE"})

_DDL = frozenset({"ALTER", "CREATE", "DROP"})
_SINGLE_STATEMENT = "SQL queries are limited to single statements"

# The first words of PostgreSQL statements that ExecuteSql never accepts.
_UTILITIES = frozenset(
    {"ABORT", "ANALYSE", "ANALYZE", "BEGIN", "CHECKPOINT", "CLOSE", "CLUSTER", "COMMENT",
     "COMMIT", "COPY", "DEALLOCATE", "DECLARE", "DISCARD", "DO", "END", "EXECUTE",
     "EXPLAIN", "FETCH", "GRANT", "IMPORT", "LISTEN", "LOAD", "LOCK", "MERGE", "MOVE", "NOTIFY",
     "PREPARE", "REASSIGN", "REFRESH", "REINDEX", "RELEASE", "RESET", "REVOKE", "ROLLBACK",
     "SAVEPOINT", "SECURITY", "SET", "SHOW", "START", "TRUNCATE", "UNLISTEN", "VACUUM"}
)  # fmt: skip


def parse_statement(text: str, bounds: Bounds = UNBOUNDED) -> Statement:
    """Parse the single statement of `text`, which may end in semicolons.

    Raises TextTooLong or StatementTooLarge as soon as the text exceeds `bounds`.
    """
    return _parse_all(text, StatementParser.statement, bounds)


def parse_query(text: str, bounds: Bounds = UNBOUNDED) -> ast.Query:
    """Parse the single query of `text`, which has no statement hint."""
    return _parse_all(text, StatementParser.query, bounds)


def parse_expression(text: str, bounds: Bounds = UNBOUNDED) -> Expression:
    """Parse the single expression of `text`."""
    return _parse_all(text, StatementParser.expression, bounds)


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


def split_statements(text: str) -> list[tuple[str, int]]:
    """Return each statement of `text` with its offset; semicolons separate the statements.

    Comments before, after and between statements belong to no statement. A semicolon inside a
    comment, a string or a quoted name separates nothing.
    """
    statements: list[tuple[str, int]] = []
    first = last = None
    for token in tokenize(text):
        if token.symbol != ";" and token.kind is not Kind.END:
            first, last = first or token, token
        elif first is not None and last is not None:
            statements.append((text[first.at : last.end], first.at))
            first = last = None
    return statements


def created_database(text: str) -> str | None:
    """Return the database id in a CREATE DATABASE statement; None for any other text.

    An id with a hyphen needs quotes; an id without quotes is folded.
    """
    try:
        parser = StatementParser(text)
        parser.expect_all("CREATE", "DATABASE")
        name = parser.identifier().name
        parser.expect_end()
    except SyntaxFailure:
        return None
    return name


@deep_stack()
def _parse_all(text: str, rule: Callable[[StatementParser], T], bounds: Bounds) -> T:
    """Parse all of `text` with `rule`; raise a noted refusal if there is no syntax error."""
    parser = StatementParser(text, bounds)
    try:
        tree = rule(parser)
    except RecursionError:
        # LEVELS_MAX is safe for callers of ordinary stack depth; a deeper caller leaves less stack.
        raise parser.too_deep() from None
    parser.expect_end()
    return tree


class StatementParser(DmlParser):
    """The whole grammar of queries and DML."""

    def statement(self) -> Statement:
        """Parse a statement and the hint before it."""
        self.skip_semicolons()
        start = self.token.at
        hint = self.hint()
        if self.starts_query() or self.token.symbol == "(":
            query = self.query()
            return ast.QueryStatement(query, hint, at=start, end=self.end)
        if rule := _STATEMENTS.get(self.token.symbol):
            return rule(self, hint)
        if self.token.kind is Kind.END:
            raise self.failure(_SINGLE_STATEMENT)
        if self.token.symbol in _DDL:
            raise self.not_supported("DDL statements cannot be issued as SELECT/DML statements")
        if self.token.symbol in _UTILITIES:
            raise self.not_supported("Utility SQL statements are not supported")
        raise self.unexpected()

    def expect_end(self) -> None:
        """Require the end of the text, after optional semicolons; raise a noted refusal."""
        if self.token.symbol == ";":
            self.skip_semicolons()
            if self.token.kind is not Kind.END:
                raise self.failure(_SINGLE_STATEMENT)
        super().expect_end()

    def call_procedure(self, hint: Hint | None) -> ast.CallProcedure:
        """Parse CALL procedure(arguments)."""
        if hint is not None:
            raise self.unexpected()
        start = self.advance().at
        procedure = self.path_from(self.function_part())
        if self.token.symbol != "(":
            raise self.unexpected()
        call = self.call(procedure)
        return ast.CallProcedure(procedure, call.arguments, at=start, end=self.end)


_STATEMENTS: Mapping[str, Callable[[StatementParser, Hint | None], Statement]] = {
    "CALL": StatementParser.call_procedure,
    "DELETE": StatementParser.delete,
    "INSERT": StatementParser.insert,
    "UPDATE": StatementParser.update,
}
