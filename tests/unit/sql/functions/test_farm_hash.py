"""FarmHash's fingerprint in Python, against values of Google's library and the package cityhash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.farm_hash import fingerprint64

BYTES = bytes(range(256)) * 8


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, 0x9AE16A3B2F90404F),
        (1, 0xBE6056EDF5E94B54),
        (3, 0x94A13D22E9EBA49A),
        (4, 0x82BFFD898958E540),
        (7, 0xA2E0BFF20DB0A6A1),
        (8, 0xAD5A13E1E8E93B98),
        (16, 0x0EFD25A0A34156D4),
        (17, 0xBBB6A6F8F20D1F1C),
        (32, 0x1A9D8199972CDF49),
        (33, 0xE8756EC1CB75524E),
        (64, 0xF58504BB53DECC4B),
        (65, 0xC6A3282C3E793DBE),
        (128, 0x1C484C95F0EA5DD3),
        (129, 0xCE8BA3741121083E),
        (1000, 0x6F7979ADC223BCE4),
        (2048, 0x1A069B4E3082949D),
    ],
)
def test_each_length_class_has_its_fingerprint(size: int, expected: int) -> None:
    assert fingerprint64(BYTES[:size]) == expected


def test_text_is_hashed_as_utf_8() -> None:
    assert fingerprint64("é") == fingerprint64("é".encode())


@given(st.binary(max_size=300))
def test_the_package_agrees(data: bytes) -> None:
    farmhash = pytest.importorskip("farmhash")
    assert fingerprint64(data) == farmhash.Fingerprint64(data)
