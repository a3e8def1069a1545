"""Identifiers of SQL and of schemas."""

from __future__ import annotations

import re

IDENTIFIER_CHARS_MAX = 128

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def fold(identifier: str) -> str:
    """What identifiers that differ only in case share."""
    return identifier.lower()


def is_identifier(text: str) -> bool:
    """Whether `text` may be written as an identifier without backticks, keywords aside."""
    return len(text) <= IDENTIFIER_CHARS_MAX and _IDENTIFIER.fullmatch(text) is not None
