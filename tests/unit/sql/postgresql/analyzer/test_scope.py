"""Columns behind the name of a table, with and without its schema."""

from __future__ import annotations

import pytest

from spanemu.sql.postgresql.analyzer.errors import MissingFromEntry
from tests.unit.sql.postgresql.analyzer.shop import analyzed


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ns.things.id, things.id FROM ns.things WHERE ns.things.id = 1",
        "SELECT ns.things.* FROM ns.things",
        "SELECT public.singers.id FROM singers",
        "SELECT s.id FROM singers AS s, ns.things WHERE ns.things.id = s.id",
        "SELECT (SELECT ns.things.id FROM singers AS things) FROM ns.things",
        "INSERT INTO ns.things (id) VALUES (1) RETURNING ns.things.id",
        "UPDATE singers SET first = public.singers.last WHERE public.singers.id = 1",
        "DELETE FROM ns.things WHERE ns.things.id = 1 RETURNING ns.things.id",
    ],
)
def test_a_column_is_found_by_the_table_and_its_schema(sql: str) -> None:
    analyzed(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT public.things.id FROM ns.things",
        "SELECT ns.singers.id FROM singers",
        "SELECT ns.things.id FROM ns.things AS x",
        "SELECT ns.things.id FROM ns.things AS things",
        "SELECT ns.things.id FROM (SELECT 1 AS id) AS things",
        "DELETE FROM ns.things AS t WHERE ns.things.id = 1",
    ],
)
def test_an_alias_hides_the_name_of_the_table(sql: str) -> None:
    with pytest.raises(MissingFromEntry):
        analyzed(sql)
