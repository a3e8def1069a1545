"""The grammar of names, paths, lists, hints and numbers, which all other rules use.

PostgreSQL has four sets of names, and each rule here reads a name of another set:

    identifier      of a column or a table: no reserved word, no name of a function only
    function_part   of a function or a type: no reserved word, no word with a syntax of its own
    part            behind a dot or AS: any word
    bare_label      of an output column without AS: any word that cannot continue an expression
"""

from __future__ import annotations

from typing import Any

from spanemu.sql.postgresql.syntax.cursor import Cursor
from spanemu.sql.postgresql.syntax.keywords import COLUMN_NAMES, NEEDS_AS, RESERVED
from spanemu.sql.postgresql.syntax.lexer import HINT_BEGIN, HINT_END
from spanemu.sql.postgresql.syntax.literals import decode_identifier, decode_string
from spanemu.sql.syntax_tree import Hint, Identifier, Kind, Path, Token
from spanemu.sql.token_cursor import DEPTH_MAX

_WORDS = frozenset({Kind.IDENTIFIER, Kind.KEYWORD})
_NO_FUNCTION = RESERVED | COLUMN_NAMES
_HINT_WORDS = {"TRUE": True, "FALSE": False, "NULL": None}


class NameParser(Cursor):
    """The grammar of names, lists and hints."""

    # ------------------------------------------------------------------------ names

    def function_part(self) -> Identifier:
        """Parse the name of a function or a type, which can have no syntax of its own."""
        if self.token.kind not in _WORDS or self.token.symbol in _NO_FUNCTION:
            raise self.unexpected()
        return self.identifier_of(self.advance())

    def part(self) -> Identifier:
        """Parse a name behind a dot or AS, where every word is a name."""
        if self.token.kind not in _WORDS:
            raise self.unexpected()
        return self.identifier_of(self.advance())

    def bare_label(self) -> Identifier | None:
        """Parse the name of an output column without AS; return None if no such name follows."""
        if self.token.kind not in _WORDS or self.token.symbol in NEEDS_AS:
            return None
        return self.identifier_of(self.advance())

    def identifier_of(self, token: Token) -> Identifier:
        """Return the name that a word or a quoted name stands for; a word is folded."""
        text = token.text
        if token.symbol != Kind.IDENTIFIER and len(text) < 16:  # a plain word
            return Identifier(text.lower(), at=token.at, end=token.end)
        quoted = '"' in text
        return Identifier(
            self.decode(token, decode_identifier), quoted=quoted, at=token.at, end=token.end
        )

    def path(self) -> Path:
        """Parse names joined by dots; the first is the name of a column or a table."""
        return self.path_from(self.identifier())

    def path_from(self, first: Identifier) -> Path:
        """Parse the names behind `first`, each with a dot before it."""
        if self.token.symbol != ".":
            return Path((first,), at=first.at, end=first.end)
        parts = [first]
        while self.accept("."):
            parts.append(self.part())
            if len(parts) > DEPTH_MAX:
                raise self.too_complex()
        return Path(tuple(parts), at=first.at, end=self.end)

    # ------------------------------------------------------------------------ literals

    def string_value(self) -> str:
        """Parse a string literal and return its value."""
        return self.decode(self.expect_kind(Kind.STRING), decode_string)

    def integer_value(self) -> int:
        """Parse an integer literal without a sign and return its value."""
        token = self.expect_kind(Kind.INTEGER)
        if len(token.text) > 1000:
            raise self.unexpected(at=token)
        return int(token.text)

    # ------------------------------------------------------------------------ hints

    def hint(self) -> Hint | None:
        """Parse `/*@ name = value, ... */`; return None if no hint follows."""
        if self.token.symbol != HINT_BEGIN:
            return None
        start = self.advance().at
        entries = self.item_list(self._hint_entry)
        self.expect(HINT_END)
        return Hint(entries, at=start, end=self.end)

    def _hint_entry(self) -> tuple[str, Any]:
        """Parse `name = value`; a qualified name has a dot, in quotes or between its parts."""
        name = self.part().name
        while self.accept("."):
            name = f"{name}.{self.part().name}"
        self.expect("=")
        return name, self._hint_value()

    def _hint_value(self) -> Any:
        """Parse a string, a number, a truth value or a name."""
        token = self.token
        if token.symbol in _HINT_WORDS:
            self.advance()
            return _HINT_WORDS[token.symbol]
        if token.kind is Kind.STRING:
            return self.string_value()
        if token.kind is Kind.FLOAT:
            return float(self.advance().text)
        if token.kind is Kind.INTEGER:
            return self.integer_value()
        if self.accept("-"):
            return -self.integer_value()
        return str(self.path_from(self.part()))
