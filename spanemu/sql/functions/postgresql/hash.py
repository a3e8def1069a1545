"""Hash functions of PostgreSQL databases, which are GoogleSQL's."""

from __future__ import annotations

from spanemu.sql.functions.hash import FUNCTIONS as GOOGLESQL
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.postgresql.shared import implementation
from spanemu.sql.functions.registry import Overload


def _of_bytea(name: str) -> tuple[Overload]:
    text = "(BYTES) -> BYTES"
    return (overload(text, implementation(GOOGLESQL, name, text)),)


def _fingerprint(type_: str) -> Overload:
    text = f"({type_}) -> INT64"
    return overload(text, implementation(GOOGLESQL, "FARM_FINGERPRINT", text))


FUNCTIONS = chapter(
    "hash",
    {
        "sha256": _of_bytea("SHA256"),
        "sha512": _of_bytea("SHA512"),
        "spanner.farm_fingerprint": (_fingerprint("STRING"), _fingerprint("BYTES")),
    },
    safe_allowed=False,
)
