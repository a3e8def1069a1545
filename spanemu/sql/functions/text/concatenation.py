"""CONCAT and `||` of STRING and BYTES values, limited while the result grows."""

from __future__ import annotations

from typing import AnyStr

from spanemu.sql.functions.value_size import bounded, check_size

_FEW = 4  # arguments: joined before their sizes are added up


def concat(*values: str) -> str:
    """CONCAT of STRINGs."""
    if len(values) > _FEW:
        check_size(sum(map(len, values)), "CONCAT")
    return bounded("".join(values), "CONCAT")


def concat_bytes(*values: bytes) -> bytes:
    """CONCAT of BYTES."""
    if len(values) > _FEW:
        check_size(sum(map(len, values)), "CONCAT")
    return bounded(b"".join(values), "CONCAT")


def concat_two(left: AnyStr, right: AnyStr) -> AnyStr:
    """`left || right`."""
    return checked(left + right)


def checked(joined: AnyStr) -> AnyStr:
    """Return a concatenation. Raises ValueTooLarge if it is too large."""
    return bounded(joined, "CONCAT")
