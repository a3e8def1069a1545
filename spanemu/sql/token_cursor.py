"""The part of a recursive-descent parser that all dialects share: a reader of tokens, and lists.

A dialect derives its `Cursor` and its grammar from it, and supplies the lexer and the texts of its
errors. A rule looks at `token`, consumes tokens and never backtracks, so that parsing time is
linear. Recursive rules call `deeper` first, because a client must not exhaust Python's stack.

The parser checks the size limits of a statement while it reads (`Bounds`), and refuses an oversized
statement at the limit, without reading its rest. The analyzer checks the same limits. Only the
analyzer knows what a name stands for and what counts within a view or a function; the parser counts
only what the analyzer counts in every case.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container
from dataclasses import field
from typing import Protocol, TypeVar

from spanemu.base.call import current
from spanemu.base.limits import DEFAULT_LIMITS, SQL_CHARACTERS_MAX, Limits
from spanemu.base.record import dataclass
from spanemu.sql.errors import (
    FUNCTION_CALLS,
    LISTED_ITEMS,
    NESTED_OPERATORS,
    NESTED_QUERIES,
    StatementTooLarge,
    SyntaxFailure,
    line_and_column,
)
from spanemu.sql.syntax_tree import Identifier, Kind, Token


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one parser; `functions` are the upper-cased names whose calls are counted."""

    limits: Limits
    functions: Container[str] = field(default=frozenset())


# For texts that are checked elsewhere: the parser limits only their length.
UNBOUNDED = Bounds(
    Limits(
        sql_characters=SQL_CHARACTERS_MAX,
        parameters=sys.maxsize,
        function_calls=sys.maxsize,
        operator_depth=sys.maxsize,
        in_list_items=sys.maxsize,
        group_keys=sys.maxsize,
        set_operation_queries=sys.maxsize,
        subqueries=sys.maxsize,
        subselect_depth=sys.maxsize,
        columns_per_table=sys.maxsize,
    )
)


T = TypeVar("T")

# Levels of nesting. A level is about four Python frames, and a rule that takes more frames counts
# as several levels: the total stays far below the limit of `deep_stack`. Spanner's limits on nested
# queries, functions and types are lower than what these levels take.
LEVELS_MAX = 700
NESTED_QUERY_LEVELS = 4  # of parentheses in others with more in them: a query there runs nested
DEPTH_MAX = 200  # of chains, whose trees are as deep as the chains are long
LISTED_ITEMS_MAX = 10_000  # of a list whose length Spanner does not limit

_TOKENS_PER_DEADLINE_CHECK = 512


class BadLiteral(ValueError):
    """A literal that has no value; the error is `at` characters into its token."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class TokenSource(Protocol):
    """A lexer that appends the tokens of a text to `tokens`; the last token has kind END."""

    tokens: list[Token]

    def read_more(self) -> bool:
        """Read the next chunk of tokens; return False if the text was already read to its end."""


class TokenCursor:
    """A left-to-right reader of tokens; `token` is the next token.

    The lexer runs only a little ahead of the grammar, so that a refused text is not read to its
    end.
    """

    def __init__(self, text: str, lexer: TokenSource, bounds: Bounds) -> None:
        self.text = text
        self.bounds = bounds
        self.calls = 0
        self.calls_max = bounds.limits.function_calls
        self._lexer = lexer
        self.tokens = lexer.tokens
        lexer.read_more()
        self.position = 0
        self.token = self.tokens[0]
        self.depth = 0
        self.selects = 0  # that enclose the next token

    # ------------------------------------------------------------------------ tokens

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

    def at_name(self) -> bool:
        """Return whether the next token can name a column or a table."""
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
        return self.token.symbol == symbols[0] and all(
            self.peek(n).symbol == symbol for n, symbol in enumerate(symbols)
        )

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

    def deeper(self, levels: int = 1) -> None:
        """Enter a recursive rule, which the caller leaves with `self.depth -= levels`.

        Raises StatementTooLarge beyond LEVELS_MAX levels.
        """
        self.depth += levels
        if self.depth > LEVELS_MAX:
            raise self.too_deep()

    def enter_select(self, at: int) -> None:
        """Enter a SELECT at offset `at`, which the caller leaves with `self.selects -= 1`.

        Raises StatementTooLarge if it is nested too deeply.
        """
        self.selects += 1
        limit = self.bounds.limits.subselect_depth
        if self.selects > limit:
            raise self.too_large(NESTED_QUERIES, limit, at)

    def in_nested_parentheses(
        self,
        inmost: Callable[[], T],
        close: Callable[[T, int, bool], T],
        continued: Callable[[T, int], T],
    ) -> T:
        """Parse what `inmost` reads in one or more parentheses; any number of them takes no stack.

        `close` parses the end of the parentheses that begin at an offset and hold a value, and gets
        True for the outermost. `continued` parses what follows inner parentheses inside of others.
        """
        starts = [self.advance().at]
        while self.token.symbol == "(":
            starts.append(self.advance().at)
        inside, depth = inmost(), self.depth
        while True:
            start = starts.pop()
            inside = close(inside, start, not starts)
            if not starts:
                self.depth = depth
                return inside
            if self.token.symbol != ")":
                self.deeper(NESTED_QUERY_LEVELS)
                inside = continued(inside, start)

    def count_call(self, at: int) -> None:
        """Count an operator or a function call at offset `at`; refuse more than the limit."""
        self.calls += 1
        if self.calls > self.calls_max:
            raise self.too_large(FUNCTION_CALLS, self.calls_max, at)

    # ------------------------------------------------------------------------ lists

    def identifier(self) -> Identifier:
        """Parse the name of a column or a table: a quoted name, or a word that is not reserved."""
        if self.token.kind is not Kind.IDENTIFIER:
            raise self.unexpected()
        return self.identifier_of(self.advance())

    def identifiers_in_parentheses(self) -> tuple[Identifier, ...]:
        """Parse `(name, ...)`, with at least one name."""
        return self.in_parentheses(self.counted(self.identifier))

    def comma_separated(self, rule: Callable[[], T]) -> tuple[T, ...]:
        """Parse one or more items, each with `rule`, separated by commas."""
        items = [rule()]
        while self.accept(","):
            items.append(rule())
        return tuple(items)

    def item_list(self, rule: Callable[[], T]) -> tuple[T, ...]:
        """Parse `item, ...` for a list whose length Spanner does not limit."""
        return self.comma_separated(self.counted(rule))

    def counted(
        self, rule: Callable[[], T], what: str = LISTED_ITEMS, limit: int = LISTED_ITEMS_MAX
    ) -> Callable[[], T]:
        """Return `rule`, which refuses to parse more than `limit` items."""
        count = 0

        def item() -> T:
            nonlocal count
            count += 1
            if count > limit:
                raise self.too_large(what, limit, self.token.at)
            return rule()

        return item

    def in_parentheses(self, rule: Callable[[], T]) -> tuple[T, ...]:
        """Parse `(item, ...)`, with at least one item."""
        self.expect("(")
        items = self.nested(rule)
        self.expect(")", ",")
        return items

    def nested(self, rule: Callable[[], T], closing: str = "") -> tuple[T, ...]:
        """Parse items as `comma_separated` does, one level deeper; none if `closing` is next."""
        if self.token.symbol == closing:
            return ()
        self.deeper()
        items = self.comma_separated(rule)
        self.depth -= 1
        return items

    # ------------------------------------------------------------------------ failures

    def too_deep(self) -> StatementTooLarge:
        """Return the error for a statement that is nested deeper than any limit allows."""
        limit = min(self.bounds.limits.operator_depth, DEFAULT_LIMITS.operator_depth)
        return self.too_large(NESTED_OPERATORS, limit, self.token.at)

    def too_large(self, what: str, limit: int, at: int) -> StatementTooLarge:
        """Return the error for a statement that has more of `what` than `limit`."""
        return StatementTooLarge(what, limit, *line_and_column(self.text, at))

    def decode(self, token: Token, decoder: Callable[[str], T]) -> T:
        """Decode a literal or a name; raise SyntaxFailure where it has no value."""
        try:
            return decoder(token.text)
        except BadLiteral as error:
            raise self.failure(error.message, token.at + error.at) from None

    # ------------------------------------------------------------------------ of each dialect

    def identifier_of(self, token: Token) -> Identifier:
        """Return the name that a token stands for."""
        raise NotImplementedError

    def failure(self, message: str, at: int | None = None) -> SyntaxFailure:
        """Return a syntax error at an offset, by default the offset of the next token."""
        raise NotImplementedError

    def unexpected(self, *expected: str) -> SyntaxFailure:
        """Return the error for a next token that is none of the `expected` symbols."""
        raise NotImplementedError
