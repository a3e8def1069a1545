"""Tests of the tokenizers and of sequences as PostgreSQL databases name them."""

from __future__ import annotations

from spanemu.sql.functions.postgresql.utility import FUNCTIONS
from spanemu.sql.functions.registry import Operation
from spanemu.values.types import JSON, NUMERIC, PG_JSONB

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
