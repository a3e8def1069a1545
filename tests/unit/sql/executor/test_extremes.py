"""MIN and MAX that read one row return what reading all rows would return."""

from __future__ import annotations

import pytest

from tests.unit.sql.world import ROWS, MemoryReader, ask

STATEMENTS = [
    "SELECT {}(SingerId) FROM Singers",
    "SELECT {}(LastName) FROM Singers",
    "SELECT {}(Name) FROM Songs",
    "SELECT {}(Budget) FROM Albums",
    "SELECT {}(AlbumId) FROM Albums WHERE SingerId = 2",
    "SELECT {}(Duration) FROM Songs WHERE Genre = 'pop'",
    "SELECT {}(Duration) FROM Songs WHERE Genre = 'none'",
    "SELECT {}(Duration) FROM Songs WHERE Genre = 'pop' AND Name > 'b'",
    "SELECT {}(Moment) FROM Visits WHERE Page = 'home'",
    "SELECT {}(Rating) FROM Singers",
    "SELECT {}(DISTINCT Page) FROM Visits",
]


@pytest.mark.parametrize("function", ["MIN", "MAX"])
@pytest.mark.parametrize("sql", STATEMENTS)
def test_reading_one_row_and_reading_all_rows_agree(sql, function):
    whole = sql.format(function)
    plain = whole.replace(" FROM", ", COUNT(*) FROM")  # A second aggregate needs every row.
    assert repr(ask(whole)[0][0]) == repr(ask(plain)[0][0])


@pytest.mark.parametrize("sql", STATEMENTS[:2])
def test_min_and_max_of_a_key_visit_one_row(sql):
    reader = MemoryReader(ROWS)
    ask(sql.format("MAX"), reader)
    assert reader.visited == 1
