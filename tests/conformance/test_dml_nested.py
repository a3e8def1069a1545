"""GoogleSQL data manipulation language, nested updates: the elements of an array as rows."""

import pytest

from tests.conformance.backends import IA, OOR, insert, refused

BOXES = """CREATE TABLE Boxes (
    Id INT64 NOT NULL, Name STRING(MAX), Tags ARRAY<STRING(MAX)>, Sizes ARRAY<FLOAT64>,
    Days ARRAY<DATE>, Count INT64 AS (ARRAY_LENGTH(Tags)) STORED,
) PRIMARY KEY (Id)"""


@pytest.fixture
def boxes(create):
    """Return three boxes: with two tags, without any, and with none known."""
    db = create(BOXES)
    rows = [(1, "one", ["a", "b"]), (2, "two", []), (3, "three", None)]
    db.commit(insert("Boxes", "Id Name Tags", *rows))
    return db


def tags(db, where="Id = 1"):
    return db.rows(f"SELECT Tags FROM Boxes WHERE {where} ORDER BY Id")


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("(DELETE b.Tags t WHERE t = 'a')", ["b"]),
        ("(DELETE FROM b.Tags AS t WHERE t = 'a' OR NULL)", ["b"]),
        ("(DELETE b.Tags WHERE Tags = 'b')", ["a"]),
        ("(DELETE b.Tags t WHERE t = 'a'), (DELETE b.Tags t WHERE t = 'b')", []),
        ("(UPDATE b.Tags t SET t = CONCAT(t, '!') WHERE t > 'a')", ["a", "b!"]),
        ("(UPDATE b.Tags t SET t = DEFAULT WHERE t = 'a')", [None, "b"]),
        ("(UPDATE Tags SET Tags = 'x' WHERE TRUE)", ["x", "x"]),
        (
            "(UPDATE b.Tags t SET t = 'x' WHERE t = 'a'), "
            "(UPDATE b.Tags u SET u = 'y' WHERE u = 'b')",
            ["x", "y"],
        ),
        ("(INSERT b.Tags VALUES ('c'), (NULL), (DEFAULT))", ["a", "b", "c", None, None]),
        ("(INSERT INTO b.Tags (t) VALUES ('c')), (INSERT Tags VALUES ('d'))", ["a", "b", "c", "d"]),
        ("(INSERT b.Tags SELECT x FROM UNNEST(['c', 'd']) AS x)", ["a", "b", "c", "d"]),
        (
            "(DELETE b.Tags t WHERE t = 'a'), (UPDATE b.Tags t SET t = 'x' WHERE t = 'b'), "
            "(INSERT b.Tags VALUES ('a')), Name = 'new'",
            ["x", "a"],
        ),
    ],
)
def test_statements_change_the_elements_of_an_array(boxes, items, expected):
    assert boxes.dml(f"UPDATE Boxes b SET {items} WHERE b.Id = 1") == [1]
    assert tags(boxes) == [[expected]]


def test_each_row_has_its_own_array(boxes):
    boxes.dml("UPDATE Boxes SET (INSERT Tags VALUES ('z')) WHERE Id < 3")
    assert tags(boxes, "TRUE") == [[["a", "b", "z"]], [["z"]], [None]]
    assert boxes.rows("SELECT Count FROM Boxes ORDER BY Id") == [[3], [1], [None]]


def test_elements_take_the_type_of_the_column(boxes):
    boxes.dml("UPDATE Boxes SET Sizes = [], Days = [] WHERE TRUE")
    boxes.dml(
        "UPDATE Boxes SET (INSERT Sizes VALUES (1)), (INSERT Days VALUES ('2024-02-29')) WHERE Id = 1"
    )
    assert boxes.rows(
        "SELECT Sizes[OFFSET(0)], CAST(Days[OFFSET(0)] AS STRING) FROM Boxes WHERE Id = 1"
    ) == [[1.0, "2024-02-29"]]


def test_then_return_gives_the_changed_array(boxes):
    with_return = "UPDATE Boxes SET (DELETE Tags t WHERE t = 'a') WHERE Id = 1 THEN RETURN Tags"
    assert boxes.in_transaction(lambda txn: list(txn.execute_sql(with_return))) == [[["b"]]]


@pytest.mark.parametrize(
    "item",
    [
        "(INSERT Tags VALUES ('x'))",
        "(UPDATE Tags t SET t = 'x' WHERE TRUE)",
        "(DELETE Tags t WHERE TRUE)",
    ],
)
def test_an_array_that_is_null_has_no_elements_to_change(boxes, item):
    refused(OOR, boxes.dml, f"UPDATE Boxes SET {item} WHERE Id = 3")
    assert tags(boxes, "Id = 3") == [[None]]


def test_an_element_is_updated_once(boxes):
    twice = "(UPDATE Tags t SET t = 'x' WHERE t = 'a'), (UPDATE Tags t SET t = 'y' WHERE TRUE)"
    refused(OOR, boxes.dml, f"UPDATE Boxes SET {twice} WHERE Id = 1")
    assert tags(boxes) == [[["a", "b"]]]


@pytest.mark.parametrize(
    "items",
    [
        "(INSERT Tags VALUES ('n')), (DELETE Tags t WHERE t = 'a')",
        "(UPDATE Tags t SET t = 'x' WHERE TRUE), (DELETE Tags t WHERE t = 'a')",
        "(DELETE Tags t WHERE t = 'a'), Tags = []",
        "Tags = [], (DELETE Tags t WHERE t = 'a')",
        "(DELETE Name t WHERE TRUE)",
        "(DELETE Nope t WHERE TRUE)",
        "(DELETE Tags t)",
        "(DELETE Tags t WITH OFFSET o WHERE o = 1)",
        "(DELETE Tags t WHERE t = Name)",
        "(UPDATE Tags t SET Name = 'x' WHERE TRUE)",
        "(UPDATE Tags t SET t = 5 WHERE TRUE)",
        "(INSERT Tags VALUES (5))",
        "(INSERT Tags VALUES ('a', 'b'))",
        "(INSERT Tags VALUES (Name))",
        "(INSERT Tags SELECT 5)",
        "(INSERT OR IGNORE Tags VALUES ('a'))",
        "Tags[OFFSET(0)] = 'x'",
    ],
)
def test_invalid_nested_statements_are_refused(boxes, items):
    refused(IA, boxes.dml, f"UPDATE Boxes SET {items} WHERE Id = 1")
    assert tags(boxes) == [[["a", "b"]]]


# What a statement modifies: elements that no DELETE before it took.
ASSERTED = [
    ("(DELETE Tags t WHERE t = 'a' {})", 1),
    ("(DELETE Tags t WHERE TRUE), (DELETE Tags t WHERE t = 'a' {})", 0),
    ("(DELETE Tags t WHERE t = 'a'), (UPDATE Tags t SET t = 'x' WHERE TRUE {})", 1),
    ("(UPDATE Tags t SET t = 'x' WHERE TRUE {})", 2),
    ("(INSERT Tags VALUES ('n'), ('m') {})", 2),
    ("(INSERT Tags SELECT x FROM UNNEST(['n', 'm', 'o']) AS x {})", 3),
]


@pytest.mark.parametrize(("items", "count"), ASSERTED)
def test_a_nested_statement_asserts_how_many_elements_it_modifies(boxes, items, count):
    said = items.format(f"ASSERT_ROWS_MODIFIED {count}")
    assert boxes.dml(f"UPDATE Boxes SET {said} WHERE Id = 1") == [1]


@pytest.mark.parametrize(("items", "count"), ASSERTED)
def test_another_number_of_elements_changes_nothing(boxes, items, count):
    said = items.format(f"ASSERT_ROWS_MODIFIED {count + 4}")
    refused(OOR, boxes.dml, f"UPDATE Boxes SET {said} WHERE Id = 1")
    assert tags(boxes) == [[["a", "b"]]]


@pytest.mark.parametrize("count", ["-1", "NULL", "'x'", "1 + 1"])
def test_nested_statements_with_other_row_counts_are_refused(boxes, count):
    item = f"(DELETE Tags t WHERE TRUE ASSERT_ROWS_MODIFIED {count})"
    refused(IA, boxes.dml, f"UPDATE Boxes SET {item} WHERE Id = 1")
    assert tags(boxes) == [[["a", "b"]]]
