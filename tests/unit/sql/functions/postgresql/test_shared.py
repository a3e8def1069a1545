"""Functions of GoogleSQL as PostgreSQL databases name them: hashes and sequences."""

from __future__ import annotations

import hashlib

import pytest

from spanemu.sql.functions.numbers import mathematical
from spanemu.sql.functions.postgresql.numbers import FUNCTIONS as NUMBERS
from spanemu.sql.functions.postgresql.shared import FUNCTIONS, implementation
from spanemu.sql.functions.registry import Operation
from tests.unit.sql.functions.postgresql.calling import call


def test_an_implementation_is_known_by_its_signature() -> None:
    power = implementation(mathematical.FUNCTIONS, "POWER", "(FLOAT64, FLOAT64) -> FLOAT64")
    assert power(2.0, 3.0) == 8.0
    with pytest.raises(LookupError):
        implementation(mathematical.FUNCTIONS, "POWER", "(STRING) -> FLOAT64")


def test_operators_between_floats_have_their_operation() -> None:
    by_name = {function.name: function.operation for function in NUMBERS}
    assert by_name["float8pl"] is by_name["int8pl"] is Operation.ADD
    assert by_name["sin"] is None


def test_fingerprints() -> None:
    for type_, value in (("STRING", "abc"), ("BYTES", b"abc")):
        result = call(FUNCTIONS, "spanner.farm_fingerprint", type_, value)
        assert result == 2640714258260161385


def test_digests() -> None:
    assert call(FUNCTIONS, "sha256", "BYTES", b"abc") == hashlib.sha256(b"abc").digest()
    assert call(FUNCTIONS, "sha512", "BYTES", b"abc") == hashlib.sha512(b"abc").digest()


NAMES = {function.name: function for function in FUNCTIONS}


def test_nextval_is_the_operation_that_needs_a_read_write_transaction():
    assert NAMES["nextval"].operation is Operation.NEXT_SEQUENCE_VALUE
