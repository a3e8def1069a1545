"""Hash functions, by the chapter of that name. A STRING is hashed as its UTF-8 bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from spanemu.sql.functions.farm_hash import fingerprint64
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.registry import Overload


def farm_fingerprint(value: bytes | str) -> int:
    """Return `FARM_FINGERPRINT(value)`: FarmHash's Fingerprint64 as a signed integer."""
    hashed = fingerprint64(value)
    return hashed if hashed < 1 << 63 else hashed - (1 << 64)


def _digest(algorithm: Callable[[bytes], hashlib._Hash]) -> tuple[Overload, ...]:
    def of_string(text: str) -> bytes:
        return algorithm(text.encode()).digest()

    def of_bytes(data: bytes) -> bytes:
        return algorithm(data).digest()

    return (
        overload("(BYTES) -> BYTES", of_bytes),
        overload("(STRING) -> BYTES", of_string),
    )


FUNCTIONS = chapter(
    "hash",
    {
        "FARM_FINGERPRINT": (
            overload("(BYTES) -> INT64", farm_fingerprint),
            overload("(STRING) -> INT64", farm_fingerprint),
        ),
        "MD5": _digest(hashlib.md5),
        "SHA1": _digest(hashlib.sha1),
        "SHA256": _digest(hashlib.sha256),
        "SHA512": _digest(hashlib.sha512),
    },
)
