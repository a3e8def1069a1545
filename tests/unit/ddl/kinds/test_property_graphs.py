"""The description of a property graph, whose expressions clients compare with column names."""

import pytest

from spanemu.ddl.kinds.property_graphs import graph_metadata
from tests.unit.ddl.world import World

TABLE = """CREATE TABLE T (
  k INT64 NOT NULL, name STRING(MAX), `Order` INT64, `current_date` DATE, `extract` INT64,
) PRIMARY KEY (k)"""


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("`name`", "name"),
        ("name", "name"),
        ("`name` AS `title`", "name"),
        ("UPPER(`name`) AS loud", "UPPER(name)"),
        ("CONCAT('`name`', `name`) AS both", "CONCAT('`name`', name)"),
        ("`k` + `Order` AS total", "k + `Order`"),
        ("`current_date` AS today", "current_date"),
        ("`extract` AS taken", "extract"),
        ("`Order` AS place", "Order"),
        ("`extract` + 1 AS more", "`extract` + 1"),
    ],
)
def test_a_value_expression_has_no_needless_backticks(written: str, shown: str) -> None:
    world = World(TABLE)
    world.ddl(f"CREATE PROPERTY GRAPH G NODE TABLES (T PROPERTIES ({written}))")
    (node,) = graph_metadata(world.schema.graphs["g"])["nodeTables"]
    (definition,) = node["propertyDefinitions"]
    assert definition["valueExpressionSql"] == shown
