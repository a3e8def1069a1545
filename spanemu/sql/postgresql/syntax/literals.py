"""Decoding of literals and names: quotes, escapes, folding and truncation."""

from __future__ import annotations

import re

from spanemu.sql.token_cursor import BadLiteral

NAME_BYTES_MAX = 63


# ------------------------------------------------------------------------------ names


def decode_identifier(token: str) -> str:
    """Return the name that a word or a quoted name stands for."""
    if token[0] == '"':
        name = token[1:-1].replace('""', '"')
    elif token[:2] in ("U&", "u&"):
        name = _decode_unicode(token, '"')
    elif token.isascii():
        name = token.lower()
    else:
        name = token.translate(_LOWER)
    if not name:
        raise BadLiteral('zero-length delimited identifier at or near """"')
    return name if len(name) * 4 <= NAME_BYTES_MAX else truncated(name)


_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def truncated(name: str) -> str:
    """Return a name cut after the last character that fits in 63 bytes."""
    encoded = name.encode("utf-8", "surrogatepass")
    return encoded[:NAME_BYTES_MAX].decode("utf-8", "ignore")


# ------------------------------------------------------------------------------ strings


def decode_string(token: str) -> str:
    """Return the value of a string literal in any form of quoting."""
    first = token[0]
    if first == "'":
        body = token[1:-1]
        return _joined(token) if "'" in body else body
    if first == "$":
        tag = token.index("$", 1) + 1
        return token[tag:-tag]
    if first in "eE":
        return _unescape(_joined(token, _ESCAPED_PART))
    return _decode_unicode(token, "'")


_PART = re.compile(r"--[^\n\r]*+ | '((?: [^']++ | '' )*+)'", re.VERBOSE)
_ESCAPED_PART = re.compile(r"--[^\n\r]*+ | '((?: [^'\\]++ | '' | \\. )*+)'", re.VERBOSE | re.DOTALL)


def _joined(token: str, part: re.Pattern[str] = _PART) -> str:
    """Return the text between the quotes of a literal that may be continued on other lines."""
    parts = [match[1] for match in part.finditer(token) if match[1] is not None]
    return "".join(parts).replace("''", "'")


_SIMPLE = {"b": b"\b", "f": b"\f", "n": b"\n", "r": b"\r", "t": b"\t"}
_ESCAPE = re.compile(
    r"""\\(?: ([0-7]{1,3}) | x([0-9a-fA-F]{1,2}) | u([0-9a-fA-F]{4}) | U([0-9a-fA-F]{8})
        | ([uU]) | (.) )""",
    re.VERBOSE | re.DOTALL,
)


def _unescape(body: str) -> str:
    """Return the text of E'...': octal and hexadecimal escapes stand for bytes of UTF-8."""
    if "\\" not in body:
        return body
    pieces: list[bytes] = []
    position, high = 0, 0
    for match in _ESCAPE.finditer(body):
        if high and match.start() > position:
            raise BadLiteral("invalid Unicode surrogate pair")
        pieces.append(body[position : match.start()].encode("utf-8", "surrogatepass"))
        position = match.end()
        octal, byte, short, long, unfinished, character = match.groups()
        if unfinished:
            raise BadLiteral("invalid Unicode escape")
        if short or long:
            high = _append_character(pieces, high, int(short or long, 16))
            continue
        if high:
            raise BadLiteral("invalid Unicode surrogate pair")
        if octal:
            pieces.append(bytes([int(octal, 8) & 0xFF]))
        elif byte:
            pieces.append(bytes([int(byte, 16)]))
        else:
            pieces.append(_SIMPLE.get(character, character.encode("utf-8", "surrogatepass")))
    if high:
        raise BadLiteral("invalid Unicode surrogate pair")
    pieces.append(body[position:].encode("utf-8", "surrogatepass"))
    return _text(b"".join(pieces))


def _append_character(pieces: list[bytes], high: int, code: int) -> int:
    """Append the character of an escape behind the surrogate `high`, which is 0 if there is none.

    Return the first half of a surrogate pair, or 0.
    """
    if high:
        if not 0xDC00 <= code < 0xE000:
            raise BadLiteral("invalid Unicode surrogate pair")
        code = 0x10000 + ((high & 0x3FF) << 10) + (code & 0x3FF)
    elif 0xD800 <= code < 0xDC00:
        return code
    elif 0xDC00 <= code < 0xE000:
        raise BadLiteral("invalid Unicode surrogate pair")
    if not 0 < code <= 0x10FFFF:
        raise BadLiteral("invalid Unicode escape value")
    pieces.append(chr(code).encode())
    return 0


def _text(encoded: bytes) -> str:
    try:
        text = encoded.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLiteral(_invalid_bytes(encoded[error.start : error.end])) from None
    if "\0" in text:
        raise BadLiteral(_invalid_bytes(b"\0"))
    return text


def _invalid_bytes(wrong: bytes) -> str:
    shown = " ".join(f"0x{byte:02x}" for byte in wrong)
    return f'invalid byte sequence for encoding "UTF8": {shown}'


# ------------------------------------------------------------------------------ U&

_UNICODE_PART = re.compile(
    r"""--[^\n\r]*+ | (?i:(uescape)) | '((?: [^']++ | '' )*+)' | "((?: [^"]++ | "" )*+)\"""",
    re.VERBOSE,
)


def _decode_unicode(token: str, quote: str) -> str:
    """Return the text of U&'...' or U&"...", with or without UESCAPE."""
    parts: list[str] = []
    escape = ""
    for match in _UNICODE_PART.finditer(token, 2):
        word, string, name = match.groups()
        if word:
            escape = "next"
        elif escape == "next":
            escape = string
        elif string is not None or name is not None:
            parts.append(name if string is None else string)
    escape = _checked_escape(escape or "\\")
    body = "".join(parts).replace(quote * 2, quote)
    return _unescape_unicode(body, escape) if escape in body else body


def _checked_escape(escape: str) -> str:
    if len(escape) != 1 or escape in "0123456789abcdefABCDEF+'\" \t\n\r\f":
        raise BadLiteral("invalid Unicode escape character")
    return escape


def _unescape_unicode(body: str, escape: str) -> str:
    mark = re.escape(escape)
    pieces: list[bytes] = []
    position, high = 0, 0
    for match in re.finditer(rf"{mark}(?:({mark})|([0-9a-fA-F]{{4}})|\+([0-9a-fA-F]{{6}})|)", body):
        itself, short, long = match.groups()
        if high and (match.start() > position or itself):
            raise BadLiteral("invalid Unicode surrogate pair")
        pieces.append(body[position : match.start()].encode("utf-8", "surrogatepass"))
        position = match.end()
        if itself:
            pieces.append(escape.encode("utf-8", "surrogatepass"))
        elif short or long:
            high = _append_character(pieces, high, int(short or long, 16))
        else:
            raise BadLiteral("invalid Unicode escape")
    if high:
        raise BadLiteral("invalid Unicode surrogate pair")
    pieces.append(body[position:].encode("utf-8", "surrogatepass"))
    return _text(b"".join(pieces))


def quote_literal(text: str) -> str:
    """Return the string literal that denotes `text`."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
