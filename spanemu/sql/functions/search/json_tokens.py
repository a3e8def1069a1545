"""TOKENIZE_JSON: a token for each path of a document, and one for each scalar at its path.

    {"a": [{"b": 1}, {"b": 2}]}        $."a"   $."a"."b"   $."a"."b"=1   $."a"."b"=2

Elements of an array have the path of the array. A document that contains another, by JSON_CONTAINS
or PostgreSQL's @>, therefore has all tokens of the other: that is what an index may look up. Equal
numbers have equal tokens, whatever their form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

_ROOT = "$"


def json_tokens(value: Any) -> list[bytes]:
    """Return the distinct tokens of a document, in its order."""
    return [token.encode() for token in dict.fromkeys(_tokens(value, _ROOT))]


def path_token(keys: tuple[str, ...]) -> bytes:
    """Return the token of a path."""
    return "".join((_ROOT, *map(_step, keys))).encode()


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
    if isinstance(value, float | Decimal) and value == int(value):
        return str(int(value))
    if isinstance(value, Decimal):
        return repr(float(value))
    return json.dumps(value, ensure_ascii=False)
