"""Functions of GoogleSQL under the names that PostgreSQL databases have for them.

`implementation` finds what evaluates a function of GoogleSQL. The chapters here have no other
implementations: hashes, sequences and UUIDs. A sequence is named by a text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spanemu.sql.functions import utility
from spanemu.sql.functions.hash import FUNCTIONS as HASHES
from spanemu.sql.functions.notation import chapter, function, overload, signature
from spanemu.sql.functions.registry import Function, Operation, Overload


def implementation(functions: Iterable[Function], name: str, text: str) -> Callable[..., Any]:
    """Return what evaluates the overload of GoogleSQL's function `name` with a signature."""
    declared = signature(text)
    for candidate in functions:
        if name == candidate.name or name in candidate.aliases:
            for overload in candidate.overloads:
                if (overload.parameters, overload.result) == declared:
                    return overload.evaluate
    raise LookupError(f"{name}{text}")


def _of_bytea(name: str) -> tuple[Overload]:
    text = "(BYTES) -> BYTES"
    return (overload(text, implementation(HASHES, name, text)),)


def _fingerprint(type_: str) -> Overload:
    text = f"({type_}) -> INT64"
    return overload(text, implementation(HASHES, "FARM_FINGERPRINT", text))


_HASHES = chapter(
    "hash",
    {
        "sha256": _of_bytea("SHA256"),
        "sha512": _of_bytea("SHA512"),
        "spanner.farm_fingerprint": (_fingerprint("STRING"), _fingerprint("BYTES")),
    },
    safe_allowed=False,
)

_UTILITY = chapter(
    "utility",
    {
        "spanner.generate_uuid": (
            overload("() -> STRING", utility.generate_uuid, context=True, volatile=True),
        ),
        "gen_random_uuid": (overload("() -> UUID", utility.new_uuid, context=True, volatile=True),),
        "nextval": function(
            (
                overload(
                    "(STRING) -> INT64",
                    utility.get_next_sequence_value,
                    context=True,
                    volatile=True,
                ),
            ),
            operation=Operation.NEXT_SEQUENCE_VALUE,
        ),
        "spanner.get_internal_sequence_state": (
            overload(
                "(STRING) -> INT64",
                utility.get_internal_sequence_state,
                context=True,
                volatile=True,
            ),
        ),
        "spanner.get_table_column_identity_state": (
            overload(
                "(STRING) -> INT64",
                utility.get_table_column_identity_state,
                context=True,
                volatile=True,
            ),
        ),
    },
    safe_allowed=False,
)


FUNCTIONS = (
    *_HASHES,
    *_UTILITY,
)
