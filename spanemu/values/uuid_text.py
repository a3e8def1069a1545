"""UUID: `uuid.UUID` and its canonical text."""

from __future__ import annotations

from uuid import UUID

from spanemu.base.deferred import lazy_pattern
from spanemu.values.types import BadValue

_CANONICAL = lazy_pattern(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LOOSE = lazy_pattern(r"[0-9a-fA-F](?:-?[0-9a-fA-F]){31}")


def parse(text: str) -> UUID:
    """Parse a UUID of 8-4-4-4-12 hexadecimal digits in either case."""
    if not _CANONICAL.fullmatch(text):
        raise BadValue(text, "UUID")
    return UUID(int=int(text.replace("-", ""), 16))


def format(value: UUID) -> str:  # noqa: A001
    """Return a UUID as 8-4-4-4-12 lower-case hexadecimal digits."""
    digits = f"{value.int:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def parse_sql(text: str) -> UUID:
    """Parse a UUID as CAST does: 32 digits, single hyphens between digits, optional braces."""
    inner = text[1:-1] if text[:1] == "{" and text[-1:] == "}" else text
    if not _LOOSE.fullmatch(inner):
        raise BadValue(text, "UUID")
    return UUID(int=int(inner.replace("-", ""), 16))
