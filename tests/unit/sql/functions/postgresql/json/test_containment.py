"""Functions on JSONB: containment."""

from __future__ import annotations

import pytest

from tests.unit.sql.functions.postgresql.json.jsonb import result_of


@pytest.mark.parametrize(
    ("document", "wanted", "contained"),
    [
        ('{"a": [1, 2], "b": 3}', '{"a": [2]}', True),
        ("[1, [2, 3]]", "[[3], 1, 1]", True),
        ('[1, "x"]', '"x"', True),
        ('"x"', '["x"]', False),
        ("[1]", "[1.00]", True),
        ("[true]", "[1]", False),
        ("[[1]]", "[1]", False),
        ('{"a": 1}', "{}", True),
        ("{}", "[]", False),
        ('{"a": null}', '{"a": null}', True),
    ],
)
def test_containment(document: str, wanted: str, contained: bool) -> None:
    assert result_of("jsonb_contains", document, "PG_JSONB", wanted) is contained
    assert result_of("jsonb_contained", wanted, "PG_JSONB", document) is contained
