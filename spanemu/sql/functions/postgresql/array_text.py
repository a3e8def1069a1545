"""The text form of PostgreSQL's arrays: {1,NULL,"a b"}.

An element is quoted if it is empty, is the word NULL, or holds a brace, a comma, a quote, a
backslash or a blank. Spanner has arrays of one dimension, counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spanemu.base.deadline_checks import interruptible_stream
from spanemu.sql.functions.postgresql.errors import BadArrayText, BadFunctionArgument

_BLANKS = " \t\n\r\v\f"
_BLANK = r"[ \t\n\r\v\f]*"
_BOUNDS = re.compile(rf"{_BLANK}((?:\[[^\]]*\]{_BLANK})+)=", re.ASCII)
_ONE_BASED = re.compile(r"\[\s*(?:1\s*:)?\s*(\d+)\s*\]\s*", re.ASCII)
_ELEMENT = re.compile(
    rf'{_BLANK}(?:"((?:[^"\\]++|\\.)*+)"|((?:[^"\\{{}},]++|\\.)*+)){_BLANK}([,}}]|$)',
    re.ASCII | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_array(text: str) -> list[str | None]:
    """Return the texts of the elements, None for NULL; raise BadArrayText for any other text."""
    bounds = _BOUNDS.match(text)
    body = (text[bounds.end() :] if bounds else text).strip(_BLANKS)
    if not body.startswith("{"):
        raise BadArrayText(text, 'Array value must start with "{" or dimension information.')
    if body[1:].strip(_BLANKS) == "}":
        return []
    items = list(interruptible_stream(_elements(body, text)))
    if bounds:
        _check_bounds(bounds[1], len(items), text)
    return items


def _elements(body: str, text: str) -> Iterable[str | None]:
    at, separator = 1, ","
    while separator == ",":
        match = _ELEMENT.match(body, at)
        if match is None or not match[3]:
            if re.match(rf"{_BLANK}\{{", body[at:]):
                raise BadFunctionArgument("Multi-dimensional arrays are not supported")
            raise BadArrayText(text, "Unexpected array element.")
        quoted, bare, separator = match.groups()
        yield _ESCAPE.sub(r"\1", quoted) if quoted is not None else _bare(bare, text)
        at = match.end()
    if at != len(body):
        raise BadArrayText(text, "Junk after closing right brace.")


def _bare(word: str, text: str) -> str | None:
    stripped = word.rstrip(_BLANKS)
    slashes = len(stripped) - len(stripped.rstrip("\\"))
    if slashes % 2:  # the last of them escapes a blank
        stripped = word[: len(stripped) + 1]
    word = stripped
    if not word:
        raise BadArrayText(text, 'Unexpected "," or "}" character.')
    return None if word.upper() == "NULL" else _ESCAPE.sub(r"\1", word)


def _check_bounds(bounds: str, count: int, text: str) -> None:
    dimension = _ONE_BASED.fullmatch(bounds)
    if dimension is None:
        raise BadFunctionArgument("Arrays with lower bounds other than 1 are not supported")
    if int(dimension[1]) != count:
        raise BadArrayText(text, "Specified array dimensions do not match array contents.")
