"""CONCAT and `||` of STRING and BYTES values, limited while the result grows."""

from __future__ import annotations

from typing import AnyStr

from spanemu.sql.functions.value_size import bounded, check_size

_FEW = 4  # arguments that are joined before the check of their size


def concat(*values: str) -> str:
    """Return `CONCAT(string, ...)`."""
    if len(values) > _FEW:
        check_size(sum(map(len, values)), "CONCAT")
    return bounded("".join(values), "CONCAT")


def concat_bytes(*values: bytes) -> bytes:
    """Return `CONCAT(bytes, ...)`."""
    if len(values) > _FEW:
        check_size(sum(map(len, values)), "CONCAT")
    return bounded(b"".join(values), "CONCAT")


def concat_two(left: AnyStr, right: AnyStr) -> AnyStr:
    """Return `left || right`."""
    return bounded_concatenation(left + right)


def bounded_concatenation(joined: AnyStr) -> AnyStr:
    """Return a concatenation. Raise ValueTooLarge if it exceeds the limit."""
    return bounded(joined, "CONCAT")
