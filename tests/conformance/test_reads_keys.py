"""Keys, ranges, and the order of rows."""

import pytest

from tests.conformance.raw import (
    ALL,
    FP,
    IA,
    NF,
    insert,
    key_range,
    keys,
    on_both,
    refused,
    user,
)


@pytest.fixture
def grid(session):
    """Return pairs (A, B) with A rising and B falling, 1 to 3 each."""
    rows = [(a, b, 10 * a + b) for a in (1, 2, 3) for b in (1, 2, 3)]
    session.commit(None, insert("Pairs", "A B C", *rows))
    return session


def found(session, key_set, **fields):
    """Return rows as two-digit numbers."""
    return [int(row[0]) for row in session.rows("Pairs", "C", key_set, **fields)]


EVERYTHING = [13, 12, 11, 23, 22, 21, 33, 32, 31]

# ------------------------------------------------------------------ 3.2 Key sets


@on_both
def test_all(grid):
    assert found(grid, ALL) == EVERYTHING


@on_both
def test_rows_of_point_keys_are_returned_once_in_key_order(grid):
    assert found(grid, keys((3, 1), (1, 1), (3, 1), (1, 3))) == [13, 11, 31]


@on_both
def test_keys_that_do_not_exist_are_skipped(grid):
    assert found(grid, keys((9, 9), (1, 1), (1, 9))) == [11]


@on_both
def test_a_key_set_is_a_union(grid):
    both = {**keys((2, 2), (1, 1)), **key_range(start_closed=[2], end_closed=[2])}
    assert found(grid, both) == [11, 23, 22, 21]
    assert found(grid, {**both, **ALL}) == EVERYTHING


@on_both
def test_overlapping_ranges_return_a_row_once(grid):
    ranges = [
        *key_range(start_closed=[1], end_open=[3])["ranges"],
        *key_range(start_open=[1], end_closed=[2, 2])["ranges"],
    ]
    assert found(grid, {"ranges": ranges}) == [13, 12, 11, 23, 22, 21]


@on_both
@pytest.mark.parametrize("key", [(), (1,), (1, 1, 1)])
def test_a_key_has_all_its_parts(grid, key):
    with refused(FP, match="(?i)wrong number of key parts"):
        grid.read("Pairs", "C", keys(key))


@on_both
def test_a_range_may_have_fewer_parts_but_not_more(grid):
    with refused(FP, match="(?i)wrong number of key parts"):
        grid.read("Pairs", "C", key_range(start_closed=[1, 1, 1], end_closed=[2]))


@on_both
def test_an_index_key_has_the_declared_parts(grid):
    grid.commit(None, user(1))
    assert grid.rows("Users", "Id", keys("user 1"), index="UsersByName") == [["1"]]
    with refused(FP, match="(?i)wrong number of key parts"):
        grid.read("Users", "Id", keys(("user 1", 1)), index="UsersByName")


@on_both
def test_a_range_needs_both_ends(grid):
    with refused(IA, match="must contain either start_closed or start_open"):
        grid.read("Pairs", "C", key_range(end_closed=[1]))
    with refused(IA, match="must contain either end_closed or end_open"):
        grid.read("Pairs", "C", key_range(start_closed=[1]))
    with refused(IA):
        grid.read("Pairs", "C", {"ranges": [{}]})


@on_both
@pytest.mark.parametrize(
    ("endpoints", "expected"),
    [
        ({"start_closed": [], "end_closed": []}, EVERYTHING),
        ({"start_open": [], "end_closed": []}, []),
        ({"start_closed": [], "end_open": []}, []),
        ({"start_closed": [2], "end_closed": []}, EVERYTHING[3:]),
        ({"start_closed": [], "end_closed": [1]}, EVERYTHING[:3]),
        ({"start_closed": [2], "end_closed": [2]}, [23, 22, 21]),
        ({"start_closed": [1], "end_open": [2]}, [13, 12, 11]),
        ({"start_open": [1], "end_open": [3]}, [23, 22, 21]),
        ({"start_open": [1], "end_closed": [3]}, EVERYTHING[3:]),
        ({"start_closed": [2], "end_open": [2]}, []),
        ({"start_closed": [3], "end_closed": [1]}, []),
        ({"start_closed": [2, 2], "end_closed": [2, 1]}, [22, 21]),
        ({"start_open": [2, 3], "end_open": [2, 1]}, [22]),
        ({"start_closed": [2, 1], "end_closed": [2, 3]}, []),
        ({"start_closed": [1, 2], "end_closed": [2]}, [12, 11, 23, 22, 21]),
        ({"start_closed": [1], "end_closed": [2, 3]}, [13, 12, 11, 23]),
        ({"start_open": [1, 2], "end_open": [2, 2]}, [11, 23]),
        ({"start_closed": [1, 9], "end_open": [2, 9]}, [13, 12, 11]),
        ({"start_closed": [0], "end_closed": [9]}, EVERYTHING),
    ],
    ids=str,
)
def test_ranges(grid, endpoints, expected):
    assert found(grid, key_range(**endpoints)) == expected


@on_both
@pytest.mark.parametrize("value", ["text", True, 1.5, ["1"], ""])
def test_a_key_value_of_another_type(grid, value):
    for wanted in (keys((value, 1)), key_range(start_closed=[value], end_closed=[])):
        with refused(FP, match="Could not parse"):
            grid.read("Pairs", "C", wanted)


@on_both
def test_null_is_a_key_like_any_other(session):
    session.commit(None, insert("Pairs", "A B C", (None, 1, 1), (1, None, 2), (1, 5, 3)))
    assert found(session, keys((None, 1))) == [1]
    assert found(session, keys((1, None))) == [2]
    assert found(session, ALL) == [1, 3, 2]  # first where keys rise, last where they fall
    assert found(session, key_range(start_closed=[None], end_open=[1])) == [1]


@on_both
def test_null_in_a_not_null_key_part_matches_no_row(session):
    session.commit(None, user(1))
    assert session.rows("Users", "Id", keys(None)) == []


@on_both
def test_floating_point_keys(raw, session):
    raw.ddl("CREATE TABLE Floats (F FLOAT64, N INT64) PRIMARY KEY (F)")
    values = ["NaN", "-Infinity", -1.5, 0.0, 2.5, "Infinity"]
    session.commit(None, insert("Floats", "F N", *((f, n) for n, f in enumerate(values))))
    assert [int(row[0]) for row in session.rows("Floats", "N")] == [0, 1, 2, 3, 4, 5]
    assert session.rows("Floats", "N", keys(-0.0)) == [["3"]]
    assert session.rows("Floats", "N", keys("NaN")) == [["0"]]
    above = key_range(start_closed=["-Infinity"], end_open=[2.5])
    assert [int(row[0]) for row in session.rows("Floats", "N", above)] == [1, 2, 3]


def test_the_commit_timestamp_placeholder_cannot_be_read_as_a_key(raw, session):
    raw.ddl(
        "CREATE TABLE Stamps (Time TIMESTAMP OPTIONS (allow_commit_timestamp = true))"
        " PRIMARY KEY (Time)"
    )
    with refused((FP, IA)):
        session.read("Stamps", "Time", keys("spanner.commit_timestamp()"))


# ------------------------------------------------------------------ 3.3 Order

ORDERS = {
    "BOOL": [None, False, True],
    "INT64": [None, "-9223372036854775808", "-1", "0", "1", "9223372036854775807"],
    "FLOAT64": [None, "NaN", "-Infinity", -1.0, 0.0, 1.0, "Infinity"],
    "FLOAT32": [None, "NaN", "-Infinity", -1.0, 0.0, 1.0, "Infinity"],
    "STRING(MAX)": [None, "", "A", "AB", "B", "a", "é", "￿", "😀"],
    "BYTES(MAX)": [None, "", "AA==", "AAE=", "AQ==", "fw==", "gA==", "/w=="],
    "DATE": [None, "0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"],
    "TIMESTAMP": [
        None,
        "0001-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999999Z",
        "1970-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999999Z",
    ],
    "NUMERIC": [None, "-99999999999999999999999999999", "-0.000000001", "0", "0.1", "10", "9e28"],
    "UUID": [
        None,
        "00000000-0000-0000-0000-000000000000",
        "7fffffff-0000-0000-0000-000000000000",
        "80000000-0000-0000-0000-000000000000",
    ],
}
NEW_TYPES = {"FLOAT32", "UUID"}  # younger than some releases of Google's emulator


@on_both
@pytest.mark.parametrize("kind", ORDERS)
@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_rows_come_in_the_order_of_keys(raw, session, kind, direction):
    if raw.home is None and kind in NEW_TYPES:
        pytest.skip("younger than some releases of Google's emulator")
    raw.ddl(f"CREATE TABLE Ordered (K {kind}, N INT64) PRIMARY KEY (K {direction})")
    rows = [(value, number) for number, value in enumerate(ORDERS[kind])]
    session.commit(None, insert("Ordered", "K N", *reversed(rows)))
    numbers = list(range(len(rows)))
    if direction == "DESC":
        numbers.reverse()
    assert [int(row[0]) for row in session.rows("Ordered", "N")] == numbers
    for value, number in rows:
        assert session.rows("Ordered", "N", keys(value)) == [[str(number)]]


@on_both
def test_rows_of_an_index_come_in_its_order_then_by_key(session):
    rows = [(1, "b", 5), (2, "a", 9), (3, None, 7), (4, "a", None), (5, "c", 9)]
    session.commit(None, insert("Users", "Id Name Age", *rows))
    by_name = session.rows("Users", "Id", index="UsersByName")
    assert [int(row[0]) for row in by_name] == [3, 2, 4, 1, 5]
    by_age = session.rows("Users", "Id", index="UsersByAge")
    assert [int(row[0]) for row in by_age] == [2, 5, 3, 1]


@on_both
def test_a_limit_counts_after_ordering(grid):
    assert found(grid, keys((3, 1), (2, 2), (1, 1)), limit=2) == [11, 22]
    assert found(grid, ALL, limit=4) == EVERYTHING[:4]


@on_both
def test_interleaved_rows_are_in_the_order_of_their_own_table(session):
    session.commit(None, user(1, 2))
    posts = [(1, 1), (2, 5), (1, 9), (2, 1)]
    session.commit(None, insert("Posts", "Id PostId", *posts))
    assert session.rows("Posts", "Id PostId") == [
        ["1", "9"],
        ["1", "1"],
        ["2", "5"],
        ["2", "1"],
    ]
    assert session.rows("Posts", "PostId", key_range(start_closed=[2], end_closed=[2])) == [
        ["5"],
        ["1"],
    ]
    with refused(NF):
        session.read("Posts", "Nothing")
