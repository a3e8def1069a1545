"""The features of a schema that need an edition."""

import pytest

from spanemu.ddl.api import schema_of
from spanemu.schema.editions import (
    COLUMNAR_ENGINE,
    GEO_PARTITIONING,
    TOKENIZATION,
    VECTOR_SEARCH,
    Edition,
    features_of,
    may_compute_distances,
)

TABLE = "CREATE TABLE T (Id INT64, S STRING(MAX), V ARRAY<FLOAT64>{0}) PRIMARY KEY (Id){1}"


def features(columns="", options=""):
    return list(features_of(schema_of(TABLE.format(columns, options))))


def test_each_edition_has_the_features_of_those_below():
    for edition in Edition:
        for least in Edition:
            has = edition is Edition.UNSPECIFIED or edition.value >= least.value
            assert edition.has(least) is has


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ("", "", []),
        (", D FLOAT64 AS (COSINE_DISTANCE(V, V))", "", [VECTOR_SEARCH]),
        (", D FLOAT64 DEFAULT (dot_product ([1.0], [1.0]))", "", [VECTOR_SEARCH]),
        (", cosine_distance FLOAT64", "", []),
        (", D STRING(MAX) DEFAULT ('dot_product')", "", []),
        (", K TOKENLIST AS (TOKEN(S)) HIDDEN", "", [TOKENIZATION]),
        (", P STRING(9) NOT NULL PLACEMENT KEY", "", [GEO_PARTITIONING]),
        ("", ", OPTIONS (columnar_policy = 'enabled')", [COLUMNAR_ENGINE]),
    ],
)
def test_features_of_a_table(columns, options, expected):
    assert features(columns, options) == expected


def test_distance_functions_are_recognized_in_texts():
    assert may_compute_distances("SELECT Euclidean_Distance(a, b)")
    assert not may_compute_distances("SELECT distance FROM T")
