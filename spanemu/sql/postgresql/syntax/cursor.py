"""The parser's position in a list of tokens, with the primitives that grammar rules share.

The grammar is a chain of classes, each derived from the class before it:

    Cursor < NameParser < TypeParser < OperandParser < CallParser < PrimaryParser
           < ExpressionParser < FromParser < QueryParser < DmlParser < StatementParser;
           and the DDL parsers on QueryParser

A rule looks at `token` (see `lexer` for kinds and symbols), consumes tokens and never backtracks,
so that parsing time is linear:

    self.expect("CREATE")                            a word, by its upper-case symbol
    if self.accept_all("IF", "NOT", "EXISTS"): ...   words that may be missing
    name = self.identifier()                         a column's or table's name, folded (NameParser)
    raise self.unexpected()                          syntax error at or near the next token

A quoted name never has the symbol of a word. Recursive rules call `deeper` first, because a client
must not exhaust Python's stack. `refuse_later` notes that Spanner refuses a feature which the
grammar has: a syntax error further on takes precedence.
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState
from spanemu.sql.errors import (
    TOO_MANY,
    FailureAt,
    StatementTooLarge,
    TextTooLong,
    line_and_column,
)
from spanemu.sql.postgresql.syntax.lexer import HINT_BEGIN, Lexer, PostgreSqlSyntaxFailure
from spanemu.sql.syntax_tree import Kind, Token
from spanemu.sql.token_cursor import DEPTH_MAX, UNBOUNDED, Bounds, TokenCursor

_TOO_COMPLEX = "stack depth limit exceeded"


class NotSupported(FailureAt, code=Code.UNIMPLEMENTED):
    """PostgreSQL has the feature, and Spanner refuses it."""

    prose = "{message}"
    message: str
    line: int
    column: int


class NotAccepted(
    NotSupported, code=Code.INVALID_ARGUMENT, sql_state=SqlState.FEATURE_NOT_SUPPORTED
):
    """PostgreSQL has the feature, and Spanner calls its use an invalid argument."""


class TooComplex(PostgreSqlSyntaxFailure, sql_state=SqlState.STATEMENT_TOO_COMPLEX):
    """The text is nested too deeply."""


class PostgreSqlStatementTooLarge(StatementTooLarge, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED):
    prose = TOO_MANY


class Cursor(TokenCursor):
    """A reader of tokens of PostgreSQL.

    Raise TextTooLong for a text that is longer than `bounds` allow.
    """

    def __init__(self, text: str, bounds: Bounds = UNBOUNDED) -> None:
        length_max = bounds.limits.sql_characters
        if len(text) > length_max:
            raise TextTooLong(len(text), length_max)
        if "\0" in text:
            message = 'invalid byte sequence for encoding "UTF8": 0x00'
            raise PostgreSqlSyntaxFailure(message, *line_and_column(text, text.index("\0")))
        super().__init__(text, Lexer(text), bounds)
        self.refusal: SpannerError | None = None

    def accept_any(self, *symbols: str) -> str:
        """Consume the next token if its symbol is among `symbols`; return the symbol or ""."""
        return self.advance().symbol if self.token.symbol in symbols else ""

    def expect_end(self) -> None:
        """Require the end of the text, after optional semicolons; raise a noted refusal."""
        self.skip_semicolons()
        if self.token.kind is not Kind.END:
            raise self.unexpected()
        self.raise_refusal()

    def skip_semicolons(self) -> None:
        """Consume any semicolons; refuse more than anybody writes."""
        start = self.position
        while self.accept(";"):
            if self.position - start > DEPTH_MAX:
                raise self.unexpected()

    # ------------------------------------------------------------------------ failures

    def too_large(self, what: str, limit: int, at: int) -> StatementTooLarge:
        return PostgreSqlStatementTooLarge(what, limit, *line_and_column(self.text, at))

    def too_complex(self) -> PostgreSqlSyntaxFailure:
        return TooComplex(_TOO_COMPLEX, *line_and_column(self.text, self.token.at))

    def unexpected(self, *_: str, at: Token | None = None) -> PostgreSqlSyntaxFailure:
        """Return PostgreSQL's syntax error at a token, by default at the next token.

        Unlike GoogleSQL's, it does not say what was expected.
        """
        token = self.token if at is None else at
        if token.kind is Kind.END:
            return self.failure("syntax error at end of input", token.at)
        start = token.at
        if token.symbol == HINT_BEGIN and self.position:
            start = self.tokens[self.position - 1].at
        return self.failure(f'syntax error at or near "{self.text[start : token.end]}"', start)

    def failure(self, message: str, at: int | None = None) -> PostgreSqlSyntaxFailure:
        offset = self.token.at if at is None else at
        return PostgreSqlSyntaxFailure(message, *line_and_column(self.text, offset))

    def not_supported(self, message: str) -> NotSupported:
        """Return the error for a feature at the next token whose syntax is not even read."""
        return NotSupported(message, *line_and_column(self.text, self.token.at))

    def refuse_later(self, message: str, at: int | None = None) -> None:
        """Note a feature that Spanner does not support (UNIMPLEMENTED)."""
        self._note(NotSupported, message, at)

    def reject_later(self, message: str, at: int | None = None) -> None:
        """Note a feature whose use Spanner calls an invalid argument."""
        self._note(NotAccepted, message, at)

    def _note(self, kind: type[NotSupported], message: str, at: int | None) -> None:
        if self.refusal is None:
            offset = self.token.at if at is None else at
            self.refusal = kind(message, *line_and_column(self.text, offset))

    def raise_refusal(self) -> None:
        """Raise the first refusal that was noted; the text has no syntax error."""
        if self.refusal is not None:
            raise self.refusal
