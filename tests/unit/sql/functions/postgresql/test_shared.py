"""Functions of GoogleSQL as PostgreSQL databases name them: hashes, sequences, tokenizers."""

from __future__ import annotations

import hashlib

import pytest

from spanemu.sql.functions.numbers import mathematical
from spanemu.sql.functions.postgresql.numbers import FUNCTIONS as NUMBERS
from spanemu.sql.functions.postgresql.shared import FUNCTIONS, implementation
from spanemu.sql.functions.registry import Operation
from spanemu.values.types import JSON, NUMERIC, PG_JSONB
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


def test_tokenizers_take_the_types_of_the_dialect():
    patterns = {
        parameter.pattern
        for function in FUNCTIONS
        for overload in function.overloads
        for parameter in overload.parameters
    }
    assert PG_JSONB in patterns
    assert not {JSON, NUMERIC} & patterns


def test_arguments_of_tokenizers_may_be_passed_by_position():
    (overload, *_) = NAMES["spanner.tokenize_fulltext"].overloads
    assert not any(parameter.named_only for parameter in overload.parameters)
