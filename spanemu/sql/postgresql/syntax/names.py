"""The grammar of names, paths, lists, hints and numbers, which all other rules use, and of types.

PostgreSQL has four sets of names, and each rule here reads a name of another set:

    identifier      of a column or a table: no reserved word, no name of a function only
    function_part   of a function or a type: no reserved word, no word with a syntax of its own
    part            behind a dot or AS: any word
    bare_label      of an output column without AS: any word that cannot continue an expression

Every spelling of a type becomes the internal name that PostgreSQL has for the type:

    int, integer, bigint             int8        (PostgreSQL's int4 has no place in Spanner)
    double precision, float(25)      float8
    character varying(10)            varchar, modifiers (10)
    char(3), national character      bpchar
    timestamp with time zone         timestamptz
    interval day to second           interval, interval_fields "DAY TO SECOND"
    bigint[], bigint ARRAY[3]        int8, dimensions 1

A type that Spanner lacks has a node too; only the analyzer of the statement knows how to refuse it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.sql.postgresql.ast import TypeReference
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
        """Parse the name of a function or a type, which cannot be a word with its own syntax."""
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


_FLOAT4_BITS_MAX, _FLOAT8_BITS_MAX = 24, 53
_SIMPLE: Mapping[str, str] = {
    "BIGINT": "int8",
    "BOOLEAN": "bool",
    "INT": "int8",
    "INTEGER": "int8",
    "REAL": "float4",
    "SMALLINT": "int2",
}
_INTERVAL_ENDS: Mapping[str, tuple[str, ...]] = {
    "YEAR": ("MONTH",),
    "MONTH": (),
    "DAY": ("HOUR", "MINUTE", "SECOND"),
    "HOUR": ("MINUTE", "SECOND"),
    "MINUTE": ("SECOND",),
    "SECOND": (),
}
_CHARACTER = frozenset({"CHARACTER", "CHAR", "NCHAR"})


class TypeParser(NameParser):
    """The grammar of types."""

    def type_reference(self) -> TypeReference:
        """Parse a type with its modifiers and array bounds."""
        if self.token.symbol == "SETOF":
            raise self.unexpected()
        start = self.token.at
        simple = self.simple_type()
        dimensions = self._dimensions()
        if not dimensions:
            return simple
        return TypeReference(
            simple.name,
            simple.modifiers,
            dimensions,
            simple.interval_fields,
            simple.schema,
            at=start,
            end=self.end,
        )

    def simple_type(self) -> TypeReference:
        """Parse a type without array bounds."""
        start = self.token.at
        symbol = self.token.symbol
        if name := _SIMPLE.get(symbol):
            self.advance()
            return TypeReference(name, at=start, end=self.end)
        if rule := _RULES.get(symbol):
            return rule(self, start)
        return self._generic_type(start)

    def _dimensions(self) -> int:
        """Parse `[n]...`, ARRAY or ARRAY[n] and return how many dimensions that is."""
        if self.accept("ARRAY"):
            if self.accept("["):
                self.integer_value()
                self.expect("]")
            return 1
        count = 0
        while self.accept("["):
            if self.token.symbol != "]":
                self.integer_value()
            self.expect("]")
            count += 1
            if count > DEPTH_MAX:
                raise self.too_complex()
        return count

    def _generic_type(self, start: int) -> TypeReference:
        """Parse `[schema.]name[(modifiers)]`."""
        path = self.path_from(self.function_part())
        *schemas, name = path.names
        schema = ".".join(schemas)
        return TypeReference(
            name.lower() if schema == "spanner" else name,
            self._modifiers(),
            schema="" if schema == "pg_catalog" else schema,
            at=start,
            end=self.end,
        )

    def _modifiers(self) -> tuple[int, ...]:
        """Parse `(number, ...)`; return no numbers if no parenthesis follows."""
        return self.in_parentheses(self._modifier) if self.token.symbol == "(" else ()

    def _modifier(self) -> int:
        return -self.integer_value() if self.accept("-") else self.integer_value()

    def _precision(self) -> tuple[int, ...]:
        """Parse `(number)`; return no number if no parenthesis follows."""
        if not self.accept("("):
            return ()
        number = self.integer_value()
        self.expect(")")
        return (number,)

    def _numeric(self, start: int) -> TypeReference:
        self.advance()
        return TypeReference("numeric", self._modifiers(), at=start, end=self.end)

    def _float(self, start: int) -> TypeReference:
        self.advance()
        bits_at = self.token.at
        bits = self._precision()
        if bits and not 1 <= bits[0] <= _FLOAT8_BITS_MAX:
            bound = "at least 1 bit" if bits[0] < 1 else f"less than {_FLOAT8_BITS_MAX + 1} bits"
            raise self.failure(f"precision for type float must be {bound}", bits_at)
        name = "float4" if bits and bits[0] <= _FLOAT4_BITS_MAX else "float8"
        return TypeReference(name, at=start, end=self.end)

    def _double(self, start: int) -> TypeReference:
        if self.peek().symbol != "PRECISION":
            return self._generic_type(start)
        self.expect_all("DOUBLE", "PRECISION")
        return TypeReference("float8", at=start, end=self.end)

    def _character(self, start: int) -> TypeReference:
        if self.accept("NATIONAL") and self.token.symbol not in _CHARACTER:
            raise self.unexpected()
        self.advance()
        name = "varchar" if self.accept("VARYING") else "bpchar"
        return TypeReference(name, self._precision(), at=start, end=self.end)

    def _varchar(self, start: int) -> TypeReference:
        self.advance()
        return TypeReference("varchar", self._precision(), at=start, end=self.end)

    def _bit(self, start: int) -> TypeReference:
        self.advance()
        name = "varbit" if self.accept("VARYING") else "bit"
        return TypeReference(name, self._modifiers(), at=start, end=self.end)

    def _time(self, start: int) -> TypeReference:
        name = self.advance().symbol.lower()
        modifiers = self._precision()
        if self.accept_all("WITH", "TIME", "ZONE"):
            name += "tz"
        elif self.follows("WITHOUT", "TIME"):
            self.expect_all("WITHOUT", "TIME", "ZONE")
        return TypeReference(name, modifiers, at=start, end=self.end)

    def _interval(self, start: int) -> TypeReference:
        self.advance()
        if modifiers := self._precision():
            return TypeReference("interval", modifiers, at=start, end=self.end)
        fields, modifiers = self.interval_fields()
        return TypeReference("interval", modifiers, 0, fields, at=start, end=self.end)

    def interval_fields(self) -> tuple[str, tuple[int, ...]]:
        """Parse the fields and the precision of an interval, as in `DAY TO SECOND(3)`."""
        first = self.token.symbol
        if first not in _INTERVAL_ENDS:
            return "", ()
        self.advance()
        if first == "SECOND":
            return first, self._precision()
        if not self.accept("TO"):
            return first, ()
        last = self.token.symbol
        if last not in _INTERVAL_ENDS[first]:
            raise self.unexpected()
        self.advance()
        return f"{first} TO {last}", self._precision() if last == "SECOND" else ()

    def begins_typed_literal(self) -> bool:
        """Return whether the next word is the first of a type in front of a string literal.

        The words are those with a syntax of their own; every one of them may also name a column.
        """
        symbol, following = self.token.symbol, self.peek()
        if following.kind is Kind.STRING or following.symbol == "(":
            return symbol in _SIMPLE or symbol in _RULES
        match symbol:
            case "DOUBLE":
                return following.symbol == "PRECISION"
            case "CHARACTER" | "CHAR" | "NCHAR" | "BIT":
                return following.symbol == "VARYING"
            case "NATIONAL":
                return following.symbol in _CHARACTER
            case "TIME" | "TIMESTAMP":
                words = following.symbol, self.peek(2).symbol
                return words in (("WITH", "TIME"), ("WITHOUT", "TIME"))
        return False


_RULES: Mapping[str, Callable[[TypeParser, int], TypeReference]] = {
    "BIT": TypeParser._bit,
    "CHAR": TypeParser._character,
    "CHARACTER": TypeParser._character,
    "DEC": TypeParser._numeric,
    "DECIMAL": TypeParser._numeric,
    "DOUBLE": TypeParser._double,
    "FLOAT": TypeParser._float,
    "INTERVAL": TypeParser._interval,
    "NATIONAL": TypeParser._character,
    "NCHAR": TypeParser._character,
    "NUMERIC": TypeParser._numeric,
    "TIME": TypeParser._time,
    "TIMESTAMP": TypeParser._time,
    "VARCHAR": TypeParser._varchar,
}
STARTS_TYPE = frozenset({*_SIMPLE, *_RULES})
