"""The parser's position in a list of tokens, with the primitives that grammar rules share.

The grammar is a chain of classes, each derived from the class before it:

    Cursor < NameParser < OperandParser < CallParser < ExpressionParser < FromParser < PipeParser
           < QueryParser < DmlParser < StatementParser; and the DDL parsers on QueryParser

A rule looks at `token`, consumes tokens and never backtracks, so that parsing time is linear.
Recursive rules call `deeper` first, because a client must not exhaust Python's stack.
"""

from __future__ import annotations

from spanemu.sql.bounds import UNBOUNDED, Bounds
from spanemu.sql.errors import NotInSpanner, SyntaxFailure, line_and_column
from spanemu.sql.googlesql.syntax.lexer import Lexer, describe, describe_symbol
from spanemu.sql.syntax_tree import Kind
from spanemu.sql.token_cursor import DEPTH_MAX, TokenCursor

STEPS_MAX = 1_000  # pipe operators or common tables of one query; Spanner documents no limit


class Cursor(TokenCursor):
    """A reader of tokens of GoogleSQL."""

    def __init__(self, text: str, bounds: Bounds = UNBOUNDED) -> None:
        super().__init__(text, Lexer(text), bounds)

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

    # ------------------------------------------------------------------------ failures

    def unexpected(self, *symbols: str) -> SyntaxFailure:
        """Return the error for a next token that is none of `symbols`.

        Without symbols, the message only says that the token is unexpected.
        """
        if not symbols:
            return self.failure(f"Unexpected {describe(self.token)}")
        expected = " or ".join(map(describe_symbol, symbols))
        return self.failure(f"Expected {expected} but got {describe(self.token)}")

    def failure(self, message: str, at: int | None = None) -> SyntaxFailure:
        offset = self.token.at if at is None else at
        return SyntaxFailure(message, *line_and_column(self.text, offset))

    def not_in_spanner(self, feature: str, at: int | None = None) -> NotInSpanner:
        """Return the error for a feature of GoogleSQL that Spanner does not have."""
        offset = self.token.at if at is None else at
        return NotInSpanner(feature, *line_and_column(self.text, offset))

    def too_complex(self) -> SyntaxFailure:
        return self.failure(f"Nested too deeply: the limit is {DEPTH_MAX} levels")
