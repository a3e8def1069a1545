"""Empty arrays of structs, which Spanner has only inside of structs and from queries."""

import pytest

from tests.conformance.backends import UNIMPLEMENTED, refused, says

SENTENCE = (
    "Unsupported query shape: Spanner does not support array constructor syntax for an empty array "
    "where array elements are Structs."
)


@pytest.fixture
def db(create):
    """Return a database without tables."""
    return create()


@pytest.mark.parametrize(
    "expression",
    [
        "ARRAY<STRUCT<a INT64>>[]",
        "ARRAY<STRUCT<INT64, STRING>>[]",
        "ARRAY<STRUCT<>>[]",
        "ARRAY_LENGTH(ARRAY<STRUCT<a INT64>>[])",
        "ARRAY<STRUCT<a INT64>>[] IS NULL",
        "CAST([] AS ARRAY<STRUCT<a INT64>>)",
        "IF(TRUE, [], [STRUCT(1)])",
        "COALESCE([], [STRUCT(1 AS a)])",
        "ARRAY_CONCAT([], [STRUCT(1 AS a)])",
        "(SELECT COUNT(*) FROM UNNEST(ARRAY<STRUCT<a INT64>>[]))",
    ],
)
def test_an_empty_array_of_structs_is_refused(db, expression):
    with refused(UNIMPLEMENTED) as caught:
        db.rows(f"SELECT {expression}")
    assert says(caught) == SENTENCE


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("ARRAY<STRUCT<a INT64>>[STRUCT(1)]", [[1]]),
        ("ARRAY<STRUCT<a INT64>>[NULL]", [None]),
        ("STRUCT(ARRAY<STRUCT<b INT64>>[] AS a).a", []),
        ("STRUCT<a ARRAY<STRUCT<b INT64>>>([]).a", []),
        ("ARRAY(SELECT AS STRUCT 1 AS a FROM UNNEST([1]) AS x WHERE x > 1)", []),
        ("ARRAY<INT64>[]", []),
    ],
)
def test_other_arrays(db, expression, value):
    assert db.rows(f"SELECT {expression}") == [[value]]
