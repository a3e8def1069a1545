"""TOKENIZE_JSON: a token for each path of a document, and one for each scalar at its path.

    {"a": [{"b": 1}, {"b": 2}]}        $."a"   $."a"."b"   $."a"."b"=1   $."a"."b"=2

Elements of an array have the path of the array. A document that contains another, by JSON_CONTAINS
or PostgreSQL's @>, therefore has all tokens of the other: that is what an index may look up. Equal
numbers have equal tokens, whatever their form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

_ROOT = "$"
_PLAIN = 10**18  # Smaller integers are written as such.
_ROUNDED = Context(prec=28, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def json_tokens(value: Any, keys: Sequence[str] = ()) -> list[bytes]:
    """Return the distinct tokens of a document, or of the part of one at `keys`, in its order."""
    return [token.encode() for token in dict.fromkeys(_tokens(value, _path(keys)))]


def path_token(keys: Sequence[str]) -> bytes:
    """Return the token of a path."""
    return _path(keys).encode()


def text_token(keys: Sequence[str], text: str) -> bytes:
    """Return the token of a string at a path."""
    return f"{_path(keys)}={_scalar(text)}".encode()


def _path(keys: Sequence[str]) -> str:
    return "".join((_ROOT, *map(_step, keys)))


def _tokens(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in value.items():
            inner = path + _step(key)
            yield inner
            yield from _tokens(member, inner)
    elif isinstance(value, list):
        for element in value:
            yield from _tokens(element, path)
    else:
        yield f"{path}={_scalar(value)}"


def _step(key: str) -> str:
    return "." + json.dumps(key, ensure_ascii=False)


def _scalar(value: Any) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: float | Decimal) -> str:
    if -_PLAIN < value < _PLAIN:
        whole = int(value)
        return str(whole) if whole == value else repr(float(value))
    return str(_ROUNDED.create_decimal(Decimal(value)).normalize(_ROUNDED))
