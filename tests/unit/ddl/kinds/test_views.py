"""CREATE VIEW refuses views that no query can read."""

import pytest

from spanemu.ddl.errors.objects import ViewInvalid
from tests.unit.ddl.world import World

TABLES = (
    "CREATE TABLE T (K INT64 NOT NULL, U INT64, V INT64) PRIMARY KEY (K)",
    "CREATE NULL_FILTERED INDEX NF ON T (U)",
    "CREATE TABLE Other (K INT64) PRIMARY KEY (K)",
)


def create(query: str, verb: str = "CREATE") -> World:
    world = World(*TABLES)
    world.ddl(f"{verb} VIEW V SQL SECURITY INVOKER AS {query}")
    return world


@pytest.mark.parametrize(
    "query",
    [
        "SELECT T.K FROM T@{FORCE_INDEX=NF}",
        "SELECT T.K FROM T@{force_index=nf} WHERE T.V IS NOT NULL",
        "SELECT Other.K FROM Other, (SELECT T.K FROM T@{FORCE_INDEX=NF}) AS x",
        "SELECT T.K, T.U FROM T@{FORCE_INDEX=NF} LIMIT 3",
    ],
)
@pytest.mark.parametrize("verb", ["CREATE", "CREATE OR REPLACE"])
def test_a_view_is_refused_that_forces_an_index_without_the_rows(query: str, verb: str) -> None:
    with pytest.raises(ViewInvalid) as caught:
        create(query, verb)
    assert caught.value.view == "V"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT T.K FROM T@{FORCE_INDEX=NF} WHERE T.U IS NOT NULL",
        "SELECT T.K FROM T@{FORCE_INDEX=NF} WHERE T.U = 5",
        "SELECT T.K FROM T@{FORCE_INDEX=_BASE_TABLE}",
        "SELECT T.K, 'force_index' AS Note FROM T",
    ],
)
def test_a_view_may_force_an_index_that_has_the_rows(query: str) -> None:
    assert create(query).rows("SELECT * FROM V") == []


def test_a_view_may_rely_on_its_queries_to_exclude_null() -> None:
    world = create("SELECT T.K, T.U FROM T@{FORCE_INDEX=NF}")
    assert world.rows("SELECT K FROM V WHERE U > 1") == []
