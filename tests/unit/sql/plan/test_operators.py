from __future__ import annotations

from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.sql.plan import operators


def test_the_operators_that_planning_recognises_exist():
    names = {
        value
        for name, value in vars(operators).items()
        if name.isupper() and isinstance(value, str)
    }
    assert names | operators.NEVER_FAILING <= set(CATALOG.scalars)
