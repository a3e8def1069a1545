"""JSON texts, read whole; a large one in a way that leaves the interpreter to others in between.

The standard library reads a text in one go, during which no other thread runs. `_Reader`, which is
slower, is for texts of which that would take long. It reads bytes, because a text of which a single
character is an emoji takes four bytes for each character, and it counts the values, because a text
of a few bytes for each may take much memory.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from spanemu.rest.errors import InvalidPayload

LARGE_BYTES = 1024 * 1024
VALUES_MAX = 4_000_000  # of a large text
# Of a string of a large text: more than the largest value takes with an escape for each character.
STRING_BYTES_MAX = 64 * 1024 * 1024

# Each expression matches a bounded part, since no other thread runs meanwhile.
_SPACES = re.compile(rb"[ \t\n\r]{1,65536}")
_PLAIN = re.compile(rb'"([^"\\\x00-\x1f]{0,65536})"')
_PART = re.compile(rb'(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f]){1,65536}')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]{0,9999})(\.[0-9]{1,9999})?([eE][-+]?[0-9]{1,9999})?")
_WORD = re.compile(rb"true|false|null|NaN|-?Infinity")
_WORDS = {b"true": True, b"false": False, b"null": None}


def parsed(body: bytes) -> Any:
    """Return the value of a JSON text; an empty text is an empty object. Raises InvalidPayload."""
    if not body or body.isspace():
        return {}
    try:
        if len(body) > LARGE_BYTES:
            return _Reader(body).whole()
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        problem = "The text is not valid UTF-8."
    except RecursionError:
        problem = "Message too deep."
    except json.JSONDecodeError as error:
        problem = f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}."
    except ValueError as error:
        problem = f"{error}."
    raise InvalidPayload("", f"Invalid JSON payload received. {problem}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} must be written as text")


class _Reader:
    """The reader of a text. Its methods raise ValueError, and RecursionError for a deep text."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._position = 0
        self._values = 0

    def whole(self) -> Any:
        """Return the value of the text."""
        value = self._value()
        if self._next():
            self._fail("Extra data")
        return value

    def _next(self) -> bytes:
        """Skip spaces; return the next character without skipping it, b"" at the end."""
        body, position = self._body, self._position
        character = body[position : position + 1]
        while character <= b" " and (spaces := _SPACES.match(body, position)) is not None:
            self._position = position = spaces.end()
            character = body[position : position + 1]
        return character

    def _takes(self, character: bytes) -> bool:
        """Skip the next character and return True if it is this one."""
        if self._next() != character:
            return False
        self._position += 1
        return True

    def _value(self) -> Any:
        self._values += 1
        if self._values > VALUES_MAX:
            raise ValueError(f"The text has more than {VALUES_MAX} values")
        character = self._next()
        if character == b'"':
            return self._string()
        if character == b"{":
            return self._object()
        if character == b"[":
            return self._array()
        return self._scalar()

    def _array(self) -> list[Any]:
        self._position += 1
        values: list[Any] = []
        if self._takes(b"]"):
            return values
        while True:
            values.append(self._value())
            if self._takes(b"]"):
                return values
            if not self._takes(b","):
                self._fail("Expecting ',' delimiter")

    def _object(self) -> dict[str, Any]:
        self._position += 1
        values: dict[str, Any] = {}
        if self._takes(b"}"):
            return values
        while True:
            if self._next() != b'"':
                self._fail("Expecting property name enclosed in double quotes")
            name = self._string()
            if not self._takes(b":"):
                self._fail("Expecting ':' delimiter")
            values[name] = self._value()
            if self._takes(b"}"):
                return values
            if not self._takes(b","):
                self._fail("Expecting ',' delimiter")

    def _string(self) -> str:
        body, begin = self._body, self._position
        plain = _PLAIN.match(body, begin)
        if plain is not None:
            self._position = plain.end()
            return plain[1].decode()
        position = begin + 1
        while (part := _PART.match(body, position)) is not None:
            position = part.end()
            if position - begin > STRING_BYTES_MAX:
                raise ValueError(f"A string has more than {STRING_BYTES_MAX} bytes")
        self._position = position
        if position >= len(body):
            self._position = begin
            self._fail("Unterminated string starting")
        if body[position : position + 1] != b'"':
            self._fail("Invalid control character")
        self._position = position + 1
        if body.find(b"\\", begin, position) < 0:
            return body[begin + 1 : position].decode()
        try:
            text: str = json.loads(body[begin : self._position].decode())
        except json.JSONDecodeError as error:
            self._position = begin + error.pos
            self._fail(error.msg)
        return text

    def _scalar(self) -> Any:
        body, begin = self._body, self._position
        number = _NUMBER.match(body, begin)
        if number is not None:
            self._position = number.end()
            text = number[0].decode()
            return int(text) if number[1] is number[2] is None else float(text)
        word = _WORD.match(body, begin)
        if word is None:
            self._fail("Expecting value")
        if word[0] not in _WORDS:
            _refuse_constant(word[0].decode())
        self._position = word.end()
        return _WORDS[word[0]]

    def _fail(self, problem: str) -> NoReturn:
        """Raise ValueError for what stands at the position, with its line and column."""
        body, position = self._body, self._position
        line = body.count(b"\n", 0, position) + 1
        column = len(body[body.rfind(b"\n", 0, position) + 1 : position].decode()) + 1
        raise ValueError(f"{problem} at line {line}, column {column}")
