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

from collections.abc import Callable
from typing import TypeVar

from spanemu.base.call import current
from spanemu.base.errors import Code, SpannerError
from spanemu.sql.bounds import UNBOUNDED, Bounds
from spanemu.sql.errors import FUNCTION_CALLS, StatementTooLarge, TextTooLong, line_and_column
from spanemu.sql.postgresql.syntax.lexer import HINT_BEGIN, Lexer, PostgreSqlSyntaxFailure
from spanemu.sql.postgresql.syntax.literals import BadLiteral
from spanemu.sql.syntax_tree import Kind, Token

T = TypeVar("T")

# Levels of nesting. A level is about four Python frames, and a rule that takes more frames counts
# as several levels: the total stays below the interpreter's limit of 1,000 and leaves the caller
# some frames.
DEPTH_MAX = 200

_TOKENS_PER_DEADLINE_CHECK = 512
_TOO_COMPLEX = "stack depth limit exceeded"


class NotSupported(SpannerError, code=Code.UNIMPLEMENTED):
    """PostgreSQL has the feature, and Spanner refuses it."""

    prose = "{message} [at {line}:{column}]"
    message: str
    line: int
    column: int


class NotAccepted(NotSupported, code=Code.INVALID_ARGUMENT):
    """PostgreSQL has the feature, and Spanner calls its use an invalid argument."""


class Cursor:
    """A left-to-right reader of tokens; `token` is the next token.

    The lexer runs only a little ahead of the grammar, so that a refused text is not read to its
    end. Raise TextTooLong for a text that is longer than `bounds` allow.
    """

    def __init__(self, text: str, bounds: Bounds = UNBOUNDED) -> None:
        length_max = bounds.limits.sql_characters
        if len(text) > length_max:
            raise TextTooLong(len(text), length_max)
        self.text = text
        self.bounds = bounds
        self.calls = 0
        self.calls_max = bounds.limits.function_calls
        self.refusal: SpannerError | None = None
        self.depth = 0
        if "\0" in text:
            message = 'invalid byte sequence for encoding "UTF8": 0x00'
            raise PostgreSqlSyntaxFailure(message, *line_and_column(text, text.index("\0")))
        self._lexer = Lexer(text)
        self.tokens = self._lexer.tokens
        self._lexer.read_more()
        self.position = 0
        self.token = self.tokens[0]

    def advance(self) -> Token:
        """Consume and return the next token. The END token is returned but not consumed."""
        taken = self.token
        if taken.kind is not Kind.END:
            self.position += 1
            try:
                self.token = self.tokens[self.position]
            except IndexError:
                self._lexer.read_more()
                self.token = self.tokens[self.position]
            if not self.position % _TOKENS_PER_DEADLINE_CHECK:
                current().check()
        return taken

    def peek(self, distance: int = 1) -> Token:
        """Return the token `distance` positions after the next token."""
        while True:
            try:
                return self.tokens[self.position + distance]
            except IndexError:
                if not self._lexer.read_more():
                    return self.tokens[-1]

    @property
    def end(self) -> int:
        """The offset at which the last consumed token ends."""
        return self.tokens[self.position - 1].end if self.position else 0

    def accept(self, symbol: str) -> bool:
        """Consume the next token if its symbol is `symbol`; return whether it was."""
        if self.token.symbol != symbol:
            return False
        self.advance()
        return True

    def accept_all(self, *symbols: str) -> bool:
        """Consume the next tokens if they are exactly `symbols`; return whether they were."""
        if not self.follows(*symbols):
            return False
        for _ in symbols:
            self.advance()
        return True

    def accept_any(self, *symbols: str) -> str:
        """Consume the next token if its symbol is among `symbols`; return the symbol or ""."""
        return self.advance().symbol if self.token.symbol in symbols else ""

    def follows(self, *symbols: str) -> bool:
        """Return whether the next tokens are exactly `symbols`."""
        return self.token.symbol == symbols[0] and all(
            self.peek(n).symbol == symbol for n, symbol in enumerate(symbols)
        )

    def expect(self, symbol: str) -> Token:
        """Consume the next token, which must be `symbol`."""
        if self.token.symbol != symbol:
            raise self.unexpected()
        return self.advance()

    def expect_all(self, *symbols: str) -> None:
        """Consume the next tokens, which must be exactly `symbols`."""
        for symbol in symbols:
            self.expect(symbol)

    def expect_kind(self, kind: Kind) -> Token:
        """Consume the next token, which must be of `kind`."""
        if self.token.kind is not kind:
            raise self.unexpected()
        return self.advance()

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

    def deeper(self, levels: int = 1) -> None:
        """Enter a recursive rule, which the caller leaves with `self.depth -= levels`.

        Raises PostgreSqlSyntaxFailure beyond DEPTH_MAX levels.
        """
        self.depth += levels
        if self.depth > DEPTH_MAX:
            raise self.too_complex()

    def count_call(self, at: int) -> None:
        """Count an operator or a function call at offset `at`; refuse more than the limit."""
        self.calls += 1
        if self.calls > self.calls_max:
            raise self.too_large(FUNCTION_CALLS, self.calls_max, at)

    # ------------------------------------------------------------------------ failures

    def too_large(self, what: str, limit: int, at: int) -> StatementTooLarge:
        """Return the error for a statement that has more of `what` than `limit`."""
        return StatementTooLarge(what, limit, *line_and_column(self.text, at))

    def too_complex(self) -> PostgreSqlSyntaxFailure:
        """Return the error for a statement that is nested too deeply at the next token."""
        return self.failure(_TOO_COMPLEX)

    def unexpected(self, at: Token | None = None) -> PostgreSqlSyntaxFailure:
        """Return PostgreSQL's syntax error at a token, by default at the next token."""
        token = self.token if at is None else at
        if token.kind is Kind.END:
            return self.failure("syntax error at end of input", token.at)
        start = token.at
        if token.symbol == HINT_BEGIN and self.position:
            start = self.tokens[self.position - 1].at
        return self.failure(f'syntax error at or near "{self.text[start : token.end]}"', start)

    def failure(self, message: str, at: int | None = None) -> PostgreSqlSyntaxFailure:
        """Return a syntax error at an offset, by default the offset of the next token."""
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

    def decode(self, token: Token, decoder: Callable[[str], T]) -> T:
        """Decode a literal or a name; raise PostgreSqlSyntaxFailure for one without a value."""
        try:
            return decoder(token.text)
        except BadLiteral as error:
            raise self.failure(error.message, token.at + error.at) from None
