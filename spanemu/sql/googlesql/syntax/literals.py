"""Decoding of literals. The inverse is `functions.text.sql_text.literal`."""

from __future__ import annotations

import re

from spanemu.base.patterns import lazy_pattern
from spanemu.sql.token_cursor import BadLiteral

_SIMPLE = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
_ESCAPE = lazy_pattern(
    r"""\\(?: ([abfnrtv\\?"'`]) | ([0-3][0-7]{2}) | [xX]([0-9a-fA-F]{2})
        | u([0-9a-fA-F]{4}) | U([0-9a-fA-F]{8}) | (.) )""",
    re.VERBOSE | re.DOTALL,
)
_OCTAL, _HEX, _SHORT_UNICODE, _LONG_UNICODE, _UNKNOWN = 2, 3, 4, 5, 6
_DIGITS_MAX = 1000  # far beyond any type; Python refuses to parse more than a few thousand
_LINE_END = lazy_pattern(r"\r\n?")


def decode_string(token: str) -> str:
    """Return the value of a string literal in any form of quoting."""
    body, start, raw = _unquote(token)
    if raw or "\\" not in body:
        return body
    return _unescape(body, start, of_bytes=False)


def decode_bytes(token: str) -> bytes:
    """Return the value of a bytes literal; characters beyond ASCII stand for their UTF-8."""
    body, start, raw = _unquote(token)
    if raw or "\\" not in body:
        return body.encode("utf-8", "surrogatepass")
    # An escape stands for one byte, a plain character for its UTF-8: plain parts are encoded apart.
    pieces: list[bytes] = []
    position = 0
    for match in _ESCAPE.finditer(body):
        pieces.append(body[position : match.start()].encode("utf-8", "surrogatepass"))
        pieces.append(_escaped(match, start, of_bytes=True).encode("latin-1"))
        position = match.end()
    pieces.append(body[position:].encode("utf-8", "surrogatepass"))
    return b"".join(pieces)


def decode_identifier(token: str) -> str:
    """Return the name that a word or a backquoted word stands for."""
    if not token.startswith("`"):
        return token
    body = token[1:-1]
    return _unescape(body, 1, of_bytes=False) if "\\" in body else body


def decode_integer(token: str) -> int:
    """Return the value of a decimal or hexadecimal literal, which may exceed INT64."""
    if len(token) > _DIGITS_MAX:
        raise BadLiteral(f"Invalid integer literal: {token}", 0)
    return int(token, 16) if token[:2] in ("0x", "0X") else int(token)


def decode_float(token: str) -> float:
    """Return the value of a floating point literal; infinity for a literal that is too large."""
    return float(token)


def _unquote(token: str) -> tuple[str, int, bool]:
    """Return the text between the quotes, its offset in the token, and whether it is raw."""
    start = min(at for at in (token.find("'"), token.find('"')) if at >= 0)
    prefix, quoted = token[:start].lower(), token[start:]
    width = 3 if len(quoted) >= 6 and quoted[:3] == quoted[0] * 3 else 1
    body = quoted[width:-width]
    if "\r" in body:
        body = _LINE_END.sub("\n", body)  # a line end inside triple quotes is one newline
    return body, start + width, "r" in prefix


def _unescape(body: str, start: int, *, of_bytes: bool) -> str:
    return _ESCAPE.sub(lambda match: _escaped(match, start, of_bytes=of_bytes), body)


def _escaped(match: re.Match[str], start: int, *, of_bytes: bool) -> str:
    """Return the character that an escape sequence stands for."""
    group, at = match.lastindex, start + match.start()
    assert group is not None
    digits = match[group]
    if group == _UNKNOWN:
        raise BadLiteral(_why_unknown(match, digits), at)
    if group == _OCTAL:
        return chr(int(digits, 8))
    if group == _HEX:
        return chr(int(digits, 16))
    if group in (_SHORT_UNICODE, _LONG_UNICODE):
        if of_bytes:
            kind = match[0][1]
            raise BadLiteral(f"Illegal escape sequence: Unicode escape sequence \\{kind} cannot be "
                            "used in bytes literals", at)  # fmt: skip
        return _unicode(int(digits, 16), match[0], at)
    return _SIMPLE[digits]


def _unicode(point: int, escape: str, at: int) -> str:
    if 0xD800 <= point <= 0xDFFF or point > 0x10FFFF:
        raise BadLiteral(f"Illegal escape sequence: Unicode value {escape} is invalid", at)
    return chr(point)


def _why_unknown(match: re.Match[str], letter: str) -> str:
    rules = {
        "x": "Hex escape must be followed by 2 hex digits",
        "u": "\\u must be followed by 4 hex digits",
        "U": "\\U must be followed by 8 hex digits",
    }
    key = "x" if letter == "X" else letter
    if key in rules:
        following = match.string[match.start() : match.end() + 8]
        return f"Illegal escape sequence: {rules[key]} but saw: {following}"
    if letter.isdigit():
        return "Illegal escape sequence: Octal escape must be followed by 3 octal digits"
    return f"Illegal escape sequence: \\{letter}"
