"""The values that a check lists for a column: those of `Status IN ('OPEN', 'SENT')`, or of
`Status = 'OPEN' OR Status = 'SENT'`.

A hint for the factory and no more: whether a row satisfies its checks the server is asked.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterable
from typing import Any

_LITERAL = r"""(?:'[^'\\]*'|"[^"\\]*"|-?\d+)"""
_LITERALS = re.compile(_LITERAL)


def allowed_values(column: str, checks: Iterable[str]) -> tuple[Any, ...]:
    """Texts and numbers that the checks of a table name for a column, none where they do not."""
    listed = re.compile(
        rf"(?<!\.)\b{re.escape(column)}\b`?\s*"
        rf"(?:IN\s*\(((?:\s*{_LITERAL}\s*,?)+)\)|=\s*({_LITERAL}))",
        re.IGNORECASE,
    )
    found = [
        literal_eval(literal)
        for check in checks
        for group in listed.findall(check)
        for literal in _LITERALS.findall("".join(group))
    ]
    return tuple(dict.fromkeys(found))
