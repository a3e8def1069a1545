"""Names that Spanner makes up: for constraints without one, and for what foreign keys need.

The hexadecimal part depends on nothing but the rest of the name, so that the same statements give
the same names in every database.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from itertools import count

from spanemu.base.limits import IDENTIFIER_LENGTH_MAX
from spanemu.schema.names import constraint_full_name
from spanemu.schema.schema import Schema

_HEX_DIGITS = 16


def foreign_key_name(schema: Schema, table: str, referenced: str) -> str:
    """FK_<referencing>_<referenced>_<hex>_<n>."""
    return _numbered(schema, table, f"FK_{_flat(table)}_{_flat(referenced)}")


def check_name(schema: Schema, table: str) -> str:
    """CK_<table>_<hex>_<n>."""
    return _numbered(schema, table, f"CK_{_flat(table)}")


def managed_index_name(schema: Schema, table: str, columns: Sequence[str], kind: str) -> str:
    """IDX_<table>_<columns>_<kind>_<hex>, in the schema of the table.

    Another hex where the name is taken: by the index of a table that had this name before, say.
    """
    home, _, name = table.rpartition(".")
    text = "_".join(["IDX", name, *columns, *([kind] if kind else [])])
    short = _cut(text, len(home) + 1 if home else 0)
    hashed = (f"{table}.{text}" + (f".{n}" if n else "") for n in count())
    names = (constraint_full_name(table, f"{short}_{_fingerprint(each)}") for each in hashed)
    return next(name for name in names if not schema.has_name(name))


def identity_sequence_name(id_: int) -> str:
    """A name that no user can give."""
    return f"_identity_seq_{id_:0{_HEX_DIGITS}x}"


def _numbered(schema: Schema, table: str, text: str) -> str:
    base = f"{_cut(text, 4)}_{_fingerprint(text)}"
    names = (f"{base}_{n}" for n in count(1))
    return next(name for name in names if not schema.has_name(constraint_full_name(table, name)))


def _flat(name: str) -> str:
    return name.replace(".", "_")


def _cut(text: str, taken: int) -> str:
    """As much of `text` as leaves room for the fingerprint and `taken` more characters."""
    return text[: IDENTIFIER_LENGTH_MAX - _HEX_DIGITS - 1 - taken]


def _fingerprint(text: str) -> str:
    return blake2b(text.encode(), digest_size=_HEX_DIGITS // 2).hexdigest().upper()
