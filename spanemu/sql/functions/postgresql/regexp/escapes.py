r"""Escapes of advanced regular expressions that stand for a character: \n, \x41, \101."""

from __future__ import annotations

import re

from spanemu.sql.functions.postgresql.regexp.errors import BAD_ESCAPE, BadRegexp

_SIMPLE = {
    "a": "\a", "b": "\b", "B": "\\", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_HEX = {
    "u": re.compile(r"[0-9a-fA-F]{4}"),
    "U": re.compile(r"[0-9a-fA-F]{8}"),
    "x": re.compile(r"[0-9a-fA-F]{1,255}"),
}
_OCTAL = re.compile(r"[0-7]{1,3}")
_CODE_MAX = 0x10FFFF
_OCTAL_MAX = 0xFF


def read_escape(text: str, at: int) -> tuple[str, int]:
    """Return the character of the escape whose letter is at a position, and the escape's end."""
    letter = text[at]
    if not (letter.isascii() and letter.isalnum()):
        return letter, at + 1
    if letter in _SIMPLE:
        return _SIMPLE[letter], at + 1
    if letter == "c" and at + 1 < len(text):
        return chr(ord(text[at + 1]) & 0x1F), at + 2
    if letter in _HEX:
        return _hexadecimal(_HEX[letter], text, at + 1)
    octal = _OCTAL.match(text, at)
    if octal is None:
        raise BadRegexp(BAD_ESCAPE)
    digits = octal[0] if int(octal[0], 8) <= _OCTAL_MAX else octal[0][:2]
    return chr(int(digits, 8)), at + len(digits)


def _hexadecimal(pattern: re.Pattern[str], text: str, at: int) -> tuple[str, int]:
    match = pattern.match(text, at)
    if match is None or int(match[0], 16) > _CODE_MAX:
        raise BadRegexp(BAD_ESCAPE)
    return chr(int(match[0], 16)), match.end()
