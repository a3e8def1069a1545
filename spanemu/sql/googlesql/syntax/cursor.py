"""The parser's position in a list of tokens, with the primitives that grammar rules share.

The grammar is a chain of classes, each derived from the class before it:

    Cursor < NameParser < OperandParser < CallParser < ExpressionParser < FromParser < PipeParser
           < QueryParser < DmlParser < StatementParser; and the DDL parsers on QueryParser

A rule looks at `token`, consumes tokens and never backtracks, so that parsing time is linear.
Recursive rules call `deeper` first, because a client must not exhaust Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spanemu.base.call import current
from spanemu.sql.bounds import UNBOUNDED, Bounds
from spanemu.sql.errors import (
    FUNCTION_CALLS,
    NotInSpanner,
    StatementTooLarge,
    SyntaxFailure,
    line_and_column,
)
from spanemu.sql.googlesql.syntax.lexer import Lexer, describe, describe_symbol
from spanemu.sql.googlesql.syntax.literals import BadLiteral
from spanemu.sql.syntax_tree import Kind, Token

T = TypeVar("T")

# Levels of nesting. A level is about four Python frames, and a rule that takes more frames counts
# as several levels: the total stays below the interpreter's limit of 1,000 and leaves the caller
# some frames.
DEPTH_MAX = 200
STEPS_MAX = 1_000  # pipe operators or common tables of one query; Spanner documents no limit

_TOKENS_PER_DEADLINE_CHECK = 512


class Cursor:
    """A left-to-right reader of tokens; `token` is the next token.

    The lexer runs only a little ahead of the grammar, so that a refused text is not read to its
    end.
    """

    def __init__(self, text: str, bounds: Bounds = UNBOUNDED) -> None:
        self.text = text
        self.bounds = bounds
        self.calls = 0
        self.calls_max = bounds.limits.function_calls
        self._lexer = Lexer(text)
        self.tokens = self._lexer.tokens
        self._lexer.read_more()
        self.position = 0
        self.token = self.tokens[0]
        self.depth = 0

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
        try:
            return self.tokens[self.position + distance]
        except IndexError:
            if self._lexer.read_more():
                return self.peek(distance)
            return self.tokens[-1]

    @property
    def end(self) -> int:
        """The offset at which the last consumed token ends."""
        return self.tokens[self.position - 1].end if self.position else 0

    def at_name(self) -> bool:
        """Return whether the next token can be a name."""
        return self.token.kind is Kind.IDENTIFIER

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

    def follows(self, *symbols: str) -> bool:
        """Return whether the next tokens are exactly `symbols`."""
        return all(self.peek(n).symbol == symbol for n, symbol in enumerate(symbols))

    def expect(self, symbol: str, *others: str) -> Token:
        """Consume the next token, which must be `symbol`; `others` only complete the message."""
        if self.token.symbol != symbol:
            raise self.unexpected(symbol, *others)
        return self.advance()

    def expect_all(self, *symbols: str) -> None:
        """Consume the next tokens, which must be exactly `symbols`."""
        for symbol in symbols:
            self.expect(symbol)

    def expect_kind(self, kind: Kind) -> Token:
        """Consume the next token, which must be of `kind`."""
        if self.token.kind is not kind:
            raise self.unexpected(str(kind))
        return self.advance()

    def expect_end(self) -> None:
        """Require the end of the text, after an optional semicolon."""
        self.accept(";")
        if self.token.kind is not Kind.END:
            raise self.failure(f"Expected end of input but got {describe(self.token)}")

    def split_angle(self) -> None:
        """Split a next token `>>` into two `>`, because it may close two nested types."""
        token = self.token
        if token.symbol == ">>":
            middle = token.at + 1
            first = token._replace(symbol=">", text=">", end=middle)
            second = token._replace(symbol=">", text=">", at=middle)
            self.tokens[self.position : self.position + 1] = [first, second]
            self.token = first

    def deeper(self, levels: int = 1) -> None:
        """Enter a recursive rule, which the caller leaves with `self.depth -= levels`.

        Raises SyntaxFailure beyond DEPTH_MAX levels.
        """
        self.depth += levels
        if self.depth > DEPTH_MAX:
            raise self.failure(f"Nested too deeply: the limit is {DEPTH_MAX} levels")

    def count_call(self, at: int) -> None:
        """Count an operator or a function call at offset `at`; refuse more than the limit."""
        self.calls += 1
        if self.calls > self.calls_max:
            raise self.too_large(FUNCTION_CALLS, self.calls_max, at)

    # ------------------------------------------------------------------------ failures

    def too_large(self, what: str, limit: int, at: int) -> StatementTooLarge:
        """Return the error for a statement that has more of `what` than `limit`."""
        return StatementTooLarge(what, limit, *line_and_column(self.text, at))

    def unexpected(self, *symbols: str) -> SyntaxFailure:
        """Return the error for a next token that is none of `symbols`.

        Without symbols, the message only says that the token is unexpected.
        """
        if not symbols:
            return self.failure(f"Unexpected {describe(self.token)}")
        expected = " or ".join(map(describe_symbol, symbols))
        return self.failure(f"Expected {expected} but got {describe(self.token)}")

    def failure(self, message: str, at: int | None = None) -> SyntaxFailure:
        """Return a syntax error at an offset, by default the offset of the next token."""
        offset = self.token.at if at is None else at
        return SyntaxFailure(message, *line_and_column(self.text, offset))

    def not_in_spanner(self, feature: str, at: int | None = None) -> NotInSpanner:
        """Return the error for a feature of GoogleSQL that Spanner does not have."""
        offset = self.token.at if at is None else at
        return NotInSpanner(feature, *line_and_column(self.text, offset))

    def decode(self, token: Token, decoder: Callable[[str], T]) -> T:
        """Decode a literal; raise SyntaxFailure at the position of a bad escape sequence."""
        try:
            return decoder(token.text)
        except BadLiteral as error:
            raise self.failure(error.message, token.at + error.at) from None
