"""Look-up of GoogleSQL's implementations."""

from __future__ import annotations

import pytest

from spanemu.sql.functions.numbers import mathematical
from spanemu.sql.functions.postgresql.numbers import FUNCTIONS
from spanemu.sql.functions.postgresql.shared import implementation, with_operations
from spanemu.sql.functions.registry import Operation


def test_an_implementation_is_known_by_its_signature() -> None:
    power = implementation(mathematical.FUNCTIONS, "POWER", "(FLOAT64, FLOAT64) -> FLOAT64")
    assert power(2.0, 3.0) == 8.0
    with pytest.raises(LookupError):
        implementation(mathematical.FUNCTIONS, "POWER", "(STRING) -> FLOAT64")


def test_operations_are_given_by_name() -> None:
    functions = list(with_operations(FUNCTIONS, {"sin": Operation.ADD}))
    by_name = {function.name: function.operation for function in functions}
    assert by_name["sin"] is Operation.ADD
    assert by_name["cos"] is None
