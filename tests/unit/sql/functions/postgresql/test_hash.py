"""Hash functions under their names in PostgreSQL databases."""

from __future__ import annotations

import hashlib

from spanemu.sql.functions.postgresql.hash import FUNCTIONS
from tests.unit.sql.functions.postgresql.calling import call


def test_fingerprints() -> None:
    for type_, value in (("STRING", "abc"), ("BYTES", b"abc")):
        result = call(FUNCTIONS, "spanner.farm_fingerprint", type_, value)
        assert result == 2640714258260161385


def test_digests() -> None:
    assert call(FUNCTIONS, "sha256", "BYTES", b"abc") == hashlib.sha256(b"abc").digest()
    assert call(FUNCTIONS, "sha512", "BYTES", b"abc") == hashlib.sha512(b"abc").digest()
