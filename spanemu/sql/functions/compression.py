"""ZSTD_COMPRESS and its inverses, by the chapter "Compression functions".

The package `zstandard`, which the extra `functions` requires, does the work. It is imported at the
first call; without the package a call raises ExtraMissing.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Any

from spanemu.base.errors import ExtraMissing
from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.value_size import check_size

_LEVEL_MIN, _LEVEL_MAX, _LEVEL = -5, 22, 3
_SIZE_LIMIT = 1 << 30


def compress(data: bytes, level: int = _LEVEL) -> bytes:
    """Return `ZSTD_COMPRESS(bytes [, level])`."""
    if not _LEVEL_MIN <= level <= _LEVEL_MAX:
        raise BadArgument(
            f"ZSTD compression level must be between {_LEVEL_MIN} and {_LEVEL_MAX}; got {level}"
        )
    compressed: bytes = _zstandard().ZstdCompressor(level=level).compress(data)
    return compressed


def compress_string(text: str, level: int = _LEVEL) -> bytes:
    """Return `ZSTD_COMPRESS(string [, level])`."""
    return compress(text.encode(), level)


def decompress(data: bytes, size_limit: int = _SIZE_LIMIT) -> bytes:
    """Return `ZSTD_DECOMPRESS_TO_BYTES(bytes [, size_limit])`: empty for empty input."""
    if size_limit <= 0:
        raise BadArgument(f"ZSTD size limit must be positive, but was {size_limit}")
    if not data:
        return b""
    library = _zstandard()
    try:
        size = library.frame_content_size(data)  # -1 if the frame does not state its size
        if size > size_limit:
            raise BadArgument(
                f"ZSTD output is too large: ({size} bytes) > limit ({size_limit} bytes)"
            )
        check_size(size, "ZSTD_DECOMPRESS", CELL_BYTES_MAX)
        limit = 0 if size >= 0 else min(size_limit, CELL_BYTES_MAX)
        plain: bytes = library.ZstdDecompressor().decompress(data, max_output_size=limit)
    except library.ZstdError as failure:
        raise BadArgument(f"ZSTD decompression failed: {failure}") from None
    return plain


def decompress_to_string(data: bytes, size_limit: int = _SIZE_LIMIT) -> str:
    """Return `ZSTD_DECOMPRESS_TO_STRING(bytes [, size_limit])`."""
    try:
        return decompress(data, size_limit).decode()
    except UnicodeDecodeError:
        raise BadArgument("ZSTD_DECOMPRESS_TO_STRING: the output is not valid UTF-8") from None


@lru_cache(maxsize=1)
def _zstandard() -> Any:
    try:
        return import_module("zstandard")
    except ImportError:
        raise ExtraMissing("ZSTD compression", "functions") from None


FUNCTIONS = chapter(
    "compression",
    {
        "ZSTD_COMPRESS": (
            overload("(STRING, [*level=>INT64]) -> BYTES", compress_string),
            overload("(BYTES, [*level=>INT64]) -> BYTES", compress),
        ),
        "ZSTD_DECOMPRESS_TO_BYTES": (
            overload("(BYTES, [*size_limit=>INT64]) -> BYTES", decompress),
        ),
        "ZSTD_DECOMPRESS_TO_STRING": (
            overload("(BYTES, [*size_limit=>INT64]) -> STRING", decompress_to_string),
        ),
    },
)
