"""A place in a list of tokens, with the steps that every grammar rule takes.

The grammar is a chain of classes, each a chapter that builds on the one before it:

    Cursor < NameParser < OperandParser < CallParser < ExpressionParser < FromParser < PipeParser
           < QueryParser < DmlParser < StatementParser; and the DDL chapters on QueryParser

A rule looks at `token`, takes what it likes and never goes back, so that parsing time is linear.
Rules that can contain themselves call `deeper` first: Python's stack is not for clients to spend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from spanemu.base.call import current
from spanemu.sql.errors import (
    FUNCTION_CALLS,
    NotInSpanner,
    StatementTooLarge,
    SyntaxFailure,
    line_and_column,
)
from spanemu.sql.googlesql.syntax.bounds import UNBOUNDED, Bounds
from spanemu.sql.googlesql.syntax.lexer import Kind, Lexer, Token, describe, describe_symbol
from spanemu.sql.googlesql.syntax.literals import BadLiteral

T = TypeVar("T")

# Levels of nesting. A level is about four Python frames, and a rule that takes more counts as
# several: the whole stays below the interpreter's limit of 1,000 and leaves the caller some.
DEPTH_MAX = 200
STEPS_MAX = 1_000  # pipe operators of one query, or its common tables; Spanner names no number

_TOKENS = 512  # between two looks at the deadline


class Cursor:
    """Reads tokens from left to right; `token` is the next one.

    The text is cut into tokens as far as the grammar has come, so that what is refused is not read
    to its end.
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
        """Take the next token, whatever it is. The END token stays where it is."""
        taken = self.token
        if taken.kind is not Kind.END:
            self.position += 1
            try:
                self.token = self.tokens[self.position]
            except IndexError:
                self._lexer.read_more()
                self.token = self.tokens[self.position]
            if not self.position % _TOKENS:
                current().check()
        return taken

    def peek(self, distance: int = 1) -> Token:
        """Return the token so many places after the next one."""
        try:
            return self.tokens[self.position + distance]
        except IndexError:
            if self._lexer.read_more():
                return self.peek(distance)
            return self.tokens[-1]

    @property
    def end(self) -> int:
        """Where the token taken last ends."""
        return self.tokens[self.position - 1].end if self.position else 0

    def at_name(self) -> bool:
        """Whether the next token can be a name."""
        return self.token.kind is Kind.IDENTIFIER

    def accept(self, symbol: str) -> bool:
        """Take the next token if it is that one."""
        if self.token.symbol != symbol:
            return False
        self.advance()
        return True

    def accept_all(self, *symbols: str) -> bool:
        """Take the next tokens if they are exactly those."""
        if not self.follows(*symbols):
            return False
        for _ in symbols:
            self.advance()
        return True

    def follows(self, *symbols: str) -> bool:
        """Whether the next tokens are exactly those."""
        return all(self.peek(n).symbol == symbol for n, symbol in enumerate(symbols))

    def expect(self, symbol: str, *others: str) -> Token:
        """Take the next token, which must be `symbol`; `others` only complete the message."""
        if self.token.symbol != symbol:
            raise self.unexpected(symbol, *others)
        return self.advance()

    def expect_all(self, *symbols: str) -> None:
        """Take the next tokens, which must be exactly those."""
        for symbol in symbols:
            self.expect(symbol)

    def expect_kind(self, kind: Kind) -> Token:
        """Take the next token, which must be of that kind."""
        if self.token.kind is not kind:
            raise self.unexpected(str(kind))
        return self.advance()

    def expect_end(self) -> None:
        """Nothing but one semicolon may follow."""
        self.accept(";")
        if self.token.kind is not Kind.END:
            raise self.failure(f"Expected end of input but got {describe(self.token)}")

    def split_angle(self) -> None:
        """Make two `>` of a `>>` that closes two types at once."""
        token = self.token
        if token.symbol == ">>":
            middle = token.at + 1
            first = token._replace(symbol=">", text=">", end=middle)
            second = token._replace(symbol=">", text=">", at=middle)
            self.tokens[self.position : self.position + 1] = [first, second]
            self.token = first

    def deeper(self, levels: int = 1) -> None:
        """Enter a rule that can contain itself; leave it with `self.depth -= levels`."""
        self.depth += levels
        if self.depth > DEPTH_MAX:
            raise self.failure(f"Nested too deeply: the limit is {DEPTH_MAX} levels")

    def count_call(self, at: int) -> None:
        """Count an operator or a function call that stands at an offset."""
        self.calls += 1
        if self.calls > self.calls_max:
            raise self.too_large(FUNCTION_CALLS, self.calls_max, at)

    # ------------------------------------------------------------------------ failures

    def too_large(self, what: str, limit: int, at: int) -> StatementTooLarge:
        """Return the failure that there are more of something than `limit`."""
        return StatementTooLarge(what, limit, *line_and_column(self.text, at))

    def unexpected(self, *symbols: str) -> SyntaxFailure:
        """The failure that the next token is none of those; without any, it is just wrong."""
        if not symbols:
            return self.failure(f"Unexpected {describe(self.token)}")
        wanted = " or ".join(map(describe_symbol, symbols))
        return self.failure(f"Expected {wanted} but got {describe(self.token)}")

    def failure(self, message: str, at: int | None = None) -> SyntaxFailure:
        """A failure at an offset, by default that of the next token."""
        offset = self.token.at if at is None else at
        return SyntaxFailure(message, *line_and_column(self.text, offset))

    def not_in_spanner(self, feature: str, at: int | None = None) -> NotInSpanner:
        """The failure that Spanner does not have a feature of the language."""
        offset = self.token.at if at is None else at
        return NotInSpanner(feature, *line_and_column(self.text, offset))

    def decode(self, token: Token, decoder: Callable[[str], T]) -> T:
        """The value of a literal, or the failure where its escapes go wrong."""
        try:
            return decoder(token.text)
        except BadLiteral as fault:
            raise self.failure(fault.message, token.at + fault.at) from None
