"""Hash functions, by the documented examples."""

from __future__ import annotations

from base64 import b64decode

import pytest

from spanemu.values.types import STRING
from tests.unit.sql.functions.calling import call, typed


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1footrue", -1541654101129638711),
        ("2applefalse", 2794438866806483259),
        ("3true", -4880158226897771312),
        (b"3true", -4880158226897771312),
        ("", -7286425919675154353),
    ],
)
def test_farm_fingerprint(value: str | bytes, expected: int) -> None:
    assert call("FARM_FINGERPRINT", value) == expected


def test_digests() -> None:
    assert call("SHA1", "Hello World") == b64decode("Ck1VqNd45QIvq3AZd8XYQLvEhtA=")
    assert call("MD5", b"Hello World").hex() == "b10a8db164e0754105b7a99be72e3fe5"
    assert len(call("SHA256", "é")) == 32
    assert call("SHA512", "é") == call("SHA512", "é".encode())
    assert call("SHA1", typed(None, STRING)) is None
