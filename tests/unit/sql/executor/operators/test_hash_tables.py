from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.executor.memory import MemoryAccount
from spanemu.sql.executor.operators.hash_tables import build_hash_table
from spanemu.sql.executor.run import Run
from tests.unit.sql.world import MemoryReader, ask

ROWS = st.lists(st.tuples(st.none() | st.integers(0, 400), st.integers()), max_size=600)

HOLDING = MemoryAccount("Hash Join", 0, 1 << 30)
READER = MemoryReader({})


@given(rows=ROWS)
def test_a_hash_table_keeps_the_rows_of_a_key_in_order(rows):
    table = build_hash_table(rows, lambda batch, _: [row[0] for row in batch], HOLDING, Run(READER))
    expected: dict[int, list[object]] = {}
    for row in rows:
        if row[0] is not None:
            expected.setdefault(row[0], []).append(row)
    assert {key: list(table.of(key)) for key in table.rows} == expected
    assert table.is_unique == all(len(found) == 1 for found in expected.values())
    assert table.longest == max(map(len, expected.values()), default=1)
    assert table.of(None) == ()
    assert table.of(-1) == ()


def test_a_key_with_more_partners_than_one_part_holds():
    songs = [(1, 1, number, None, number % 2, None) for number in range(5_000)]
    reader = MemoryReader({"Songs": songs, "Singers": [(0, *[None] * 4), (7, *[None] * 4)]})
    count = "SELECT COUNT(*), COUNT(x.TrackId) FROM Singers s {} Songs x ON {}"
    same = "x.Duration * 0 = s.SingerId"
    assert ask(count.format("JOIN", same), reader) == [(5_000, 5_000)]
    assert ask(count.format("LEFT JOIN", same), reader) == [(5_001, 5_000)]
    assert ask(count.format("FULL JOIN", same), reader) == [(5_001, 5_000)]
    narrow = f"{same} AND x.TrackId < s.SingerId + 3"
    assert ask(count.format("JOIN", narrow), reader) == [(3, 3)]
    assert ask(count.format("LEFT JOIN", narrow), reader) == [(4, 3)]
    assert ask(count.format("FULL JOIN", narrow), reader) == [(5_001, 5_000)]
    tested = "SELECT SingerId FROM Singers s WHERE {} EXISTS (SELECT 1 FROM Songs x WHERE {})"
    assert ask(tested.format("", narrow), reader) == [(0,)]
    assert ask(tested.format("NOT", narrow), reader) == [(7,)]
