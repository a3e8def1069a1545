"""The parser's position in a list of tokens, and the rules that all other rules of the grammar use.

The grammar is a chain of classes, each derived from the class before it:

    Cursor < NameParser < OperandParser < CallParser < ExpressionParser < FromParser < PipeParser
           < QueryParser < DmlParser < StatementParser; and the DDL parsers on QueryParser

A rule looks at `token`, consumes tokens and never backtracks, so that parsing time is linear.
Recursive rules call `deeper` first, because a client must not exhaust Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanemu.sql.errors import (
    NESTED_STRUCTS,
    NotInSpanner,
    ParameterizedType,
    SyntaxFailure,
    line_and_column,
)
from spanemu.sql.googlesql.ast import Expression, Hint, Identifier, Path, TypeName
from spanemu.sql.googlesql.syntax.lexer import (
    Lexer,
    decode_float,
    decode_identifier,
    decode_integer,
    decode_string,
    describe,
    describe_symbol,
)
from spanemu.sql.syntax_tree import (
    BoolLiteral,
    FloatLiteral,
    HintText,
    IntLiteral,
    Kind,
    StringLiteral,
    Token,
)
from spanemu.sql.token_cursor import DEPTH_MAX, UNBOUNDED, Bounds, TokenCursor

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


STRUCT_DEPTH_MAX = 15
_TYPE_LEVELS_MAX = 2 * STRUCT_DEPTH_MAX + 3  # arrays of arrays are no types
_STARTS_TYPE = frozenset({"ARRAY", "STRUCT", "INTERVAL"})


class NameParser(Cursor):
    """The grammar of names, paths, aliases, lists, hints and types."""

    type_levels = 0  # that enclose the next token

    # ------------------------------------------------------------------------ identifiers

    def identifier_of(self, token: Token) -> Identifier:
        """Return the name that a token stands for; the token may be a reserved word."""
        text = token.text
        if text[0] == "`":
            name = self.decode(token, decode_identifier)
            return Identifier(name, quoted=True, at=token.at, end=token.end)
        return Identifier(text, at=token.at, end=token.end)

    def part(self) -> Identifier:
        """Parse a name after a dot, where reserved words are names too."""
        if self.token.kind is not Kind.IDENTIFIER and self.token.kind is not Kind.KEYWORD:
            raise self.unexpected()
        return self.identifier_of(self.advance())

    def path(self) -> Path:
        """Parse names joined by dots."""
        first = self.identifier()
        if self.token.symbol != ".":
            return Path((first,), at=first.at, end=first.end)
        parts = [first]
        while self.accept("."):
            parts.append(self.part())
            self.check_path(parts)
        return Path(tuple(parts), at=first.at, end=self.end)

    def check_path(self, parts: Sequence[Identifier]) -> None:
        """Refuse a path with more names than an expression can have levels."""
        if len(parts) > DEPTH_MAX:
            raise self.failure(f"Path with more than {DEPTH_MAX} names")

    def alias(self) -> Identifier | None:
        """Parse `[AS] name`; return None if neither follows."""
        if self.accept("AS"):
            return self.identifier()
        return self.identifier() if self.token.kind is Kind.IDENTIFIER else None

    # ------------------------------------------------------------------------ hints

    def hint(self) -> Hint | None:
        """Parse `@{name = value, ...}`, `@number`, or both in that order.

        Returns None if no hint follows.
        """
        if self.token.symbol != "@":
            return None
        start = self.token.at
        entries: list[tuple[str, Any]] = []
        if self.peek().kind is Kind.INTEGER:
            self.advance()
            entries.append(("num_shards", self.decode(self.advance(), decode_integer)))
        if self.follows("@", "{"):
            self.expect_all("@", "{")
            entries.extend(self.item_list(self._hint_entry))
            self.expect("}", ",")
        return Hint(tuple(entries), at=start, end=self.end) if entries else None

    def _hint_entry(self) -> tuple[str, Any]:
        name = str(self.path())
        self.expect("=")
        return name, self._hint_value()

    def _hint_value(self) -> Any:
        """Parse a literal or a name; or an expression, of which only the text is kept."""
        token = self.token
        if self.peek().symbol in (",", "}"):
            if token.symbol in _HINT_WORDS:
                self.advance()
                return _HINT_WORDS[token.symbol]
            if token.kind is Kind.IDENTIFIER:
                return self.identifier().name
            if decoder := _HINT_LITERALS.get(token.kind):
                return self.decode(self.advance(), decoder)
        value = self.expression()
        if isinstance(value, _VALUED):
            return value.value
        return HintText(self.text[token.at : self.end])

    def expression(
        self, lowest: int = 0, left: Expression | None = None, start: int | None = None
    ) -> Expression:
        """Parse an expression whose operators bind at least as tightly as `lowest`."""
        raise NotImplementedError  # `ExpressionParser` has it

    # ------------------------------------------------------------------------ types

    def type_name(self) -> TypeName:
        """Parse a type with its parameters."""
        start = self.token.at
        self.type_levels += 1
        if self.type_levels > _TYPE_LEVELS_MAX:
            raise self.too_large(NESTED_STRUCTS, STRUCT_DEPTH_MAX, start)
        rule = _TYPE_RULES.get(self.token.symbol)
        parsed = rule(self, start) if rule else self._named_type(start)
        self.type_levels -= 1
        return parsed

    def _named_type(self, start: int) -> TypeName:
        path = self.path()
        length: int | str | None = None
        length_at = self.token.at
        if self.accept("("):
            if self.accept("MAX"):
                length = "MAX"
            else:
                length = self.decode(self.expect_kind(Kind.INTEGER), decode_integer)
            if self.token.symbol == ",":  # NUMERIC(precision, scale)
                raise ParameterizedType(*line_and_column(self.text, length_at))
            self.expect(")")
        return TypeName(path=path, length=length, length_at=length_at, at=start, end=self.end)

    def _interval_type(self, start: int) -> TypeName:
        word = self.identifier_of(self.advance())
        path = Path((word,), at=word.at, end=word.end)
        return TypeName(path=path, at=start, end=self.end)

    def _array_type(self, start: int) -> TypeName:
        self.advance()
        self.expect("<")
        element = self.type_name()
        self._close_angle()
        vector_length = None
        if self.follows("(", "VECTOR_LENGTH"):
            self.expect_all("(", "VECTOR_LENGTH", "=>")
            vector_length = self.decode(self.expect_kind(Kind.INTEGER), decode_integer)
            self.expect(")")
        return TypeName(element=element, vector_length=vector_length, at=start, end=self.end)

    def _struct_type(self, start: int) -> TypeName:
        self.advance()
        fields: tuple[tuple[Identifier | None, TypeName], ...] = ()
        if not self.accept("<>"):
            self.expect("<")
            if self.token.symbol != ">":
                fields = self.item_list(self._field)
            self._close_angle()
        return TypeName(fields=fields, at=start, end=self.end)

    def _field(self) -> tuple[Identifier | None, TypeName]:
        following = self.peek()
        named = following.kind is Kind.IDENTIFIER or following.symbol in _STARTS_TYPE
        name = self.identifier() if named and self.token.kind is Kind.IDENTIFIER else None
        return name, self.type_name()

    def _close_angle(self) -> None:
        self.split_angle()
        self.expect(">")


_HINT_WORDS: Mapping[str, Any] = {"NULL": None, "TRUE": True, "FALSE": False}
_VALUED = (BoolLiteral, FloatLiteral, IntLiteral, StringLiteral)  # literals in parentheses
_HINT_LITERALS: Mapping[Kind, Callable[[str], Any]] = {
    Kind.FLOAT: decode_float,
    Kind.INTEGER: decode_integer,
    Kind.STRING: decode_string,
}
_TYPE_RULES: Mapping[str, Callable[[NameParser, int], TypeName]] = {
    "ARRAY": NameParser._array_type,
    "INTERVAL": NameParser._interval_type,
    "STRUCT": NameParser._struct_type,
}
