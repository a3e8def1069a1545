from __future__ import annotations

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded
from tests.unit.sql.world import MemoryReader, ask

SONGS = {"Songs": [(1, 1, n, f"{n}", n % 7, None) for n in range(600)]}

STATEMENTS = [
    "SELECT Name FROM Songs WHERE Duration > 100",
    "SELECT COUNT(*) FROM Songs",
    "SELECT Duration, COUNT(*) FROM Songs GROUP BY Duration",
    "SELECT Name FROM Songs ORDER BY Duration LIMIT 2",
    "SELECT a.Name FROM Songs a JOIN Songs b ON a.Duration = b.Duration AND a.TrackId < b.TrackId",
    "SELECT a.Name FROM Songs a, Songs b WHERE a.TrackId < b.TrackId - 598",
    "SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 2000)) x, UNNEST(GENERATE_ARRAY(1, 2000)) y",
    "SELECT Name FROM Songs EXCEPT DISTINCT SELECT Genre FROM Songs",
    "DELETE FROM Songs WHERE Duration > 100",
]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_passed_deadline_ends_the_statement(sql):
    with Call(deadline=0.0), pytest.raises(DeadlineExceeded):
        ask(sql, MemoryReader(SONGS))


def test_cancelling_ends_the_statement():
    call = Call()
    call.cancel()
    with call, pytest.raises(Cancelled):
        ask(STATEMENTS[0], MemoryReader(SONGS))
