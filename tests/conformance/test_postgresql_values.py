"""Values of PostgreSQL databases through the official client: NaN, NUMERIC, JSONB, parameters."""

from decimal import Decimal
from math import inf, isnan, nan

import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import KeyRange, KeySet, TypeAnnotationCode, param_types

import spanemu

SCHEMA = """
CREATE TABLE t (id bigint PRIMARY KEY, f float8, r real, n numeric, j jsonb, a float8[], m numeric[]);
CREATE INDEX by_f ON t (f);
"""
COLUMNS = ["id", "f", "r", "n", "j", "a", "m"]
ROWS = [
    [1, nan, nan, "1e2", '{"bb":1, "a":1.10, "a":2}', [1.0, nan, None], ["1.50", "NaN", None]],
    [2, 1.5, 0.5, "NaN", "null", None, None],
    [3, inf, None, "-0.00", "[1e2]", [], []],
    [4, None, None, None, None, None, None],
    [5, -0.0, 0.0, "1.50", None, None, None],
    [6, nan, None, " 1.5 ", None, None, None],
]
EVERY = KeySet(all_=True)


@pytest.fixture(scope="module")
def database():
    """Yield a PostgreSQL database with some rows, as the official client's object."""
    with spanemu.Emulator() as emulator:
        emulator.create_instance()
        client = emulator.create_database("values", SCHEMA, dialect="postgresql").client()
        with client.batch() as batch:
            batch.insert("t", COLUMNS, ROWS)
        yield client


def rows(database, sql, params=None, types=None, **options):
    """Return the rows of a query, with "NaN" for each NaN."""
    with database.snapshot() as snapshot:
        result = snapshot.execute_sql(sql, params=params, param_types=types, **options)
        return [["NaN" if is_nan(cell) else cell for cell in row] for row in result]


def is_nan(cell):
    """Return whether a cell is a NaN of any type."""
    return isinstance(cell, float | Decimal) and isnan(cell)


def ids(database, condition):
    """Return the ids of the rows for which a condition is true."""
    return [row[0] for row in rows(database, f"SELECT id FROM t WHERE {condition} ORDER BY id")]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("f = 'NaN'", [1, 6]),
        ("f > 'Infinity'", [1, 6]),
        ("f < 'NaN'", [2, 3, 5]),
        ("f >= 1.5::float8", [1, 2, 3, 6]),
        ("f <> 'NaN'", [2, 3, 5]),
        ("NOT f > 1e300", [2, 5]),
        ("f IN ('NaN', 1.5)", [1, 2, 6]),
        ("f NOT IN ('NaN', 1.5)", [3, 5]),
        ("f = 0", [5]),
        ("f BETWEEN 2 AND 'NaN'", [1, 3, 6]),
        ("f IN (SELECT f FROM t WHERE id = 1)", [1, 6]),
        ("f NOT IN (SELECT f FROM t WHERE id = 1)", [2, 3, 5]),
        ("f = ANY(ARRAY['NaN'::float8])", [1, 6]),
        ("f IS NOT DISTINCT FROM 'NaN'", [1, 6]),
        ("r = 'NaN'::real", [1]),
        ("n = 'NaN'", [2]),
        ("n > 1e100", [2]),
        ("n = 1.500", [5, 6]),
        ("f >= NULL::float8", []),
        ("f > CASE WHEN id > 1 THEN 0::float8 END", [2, 3, 6]),
        ("f BETWEEN NULL AND 'NaN'", []),
        ("n >= NULL::numeric", []),
    ],
)
def test_nan_is_equal_to_itself_and_above_every_number(database, condition, expected):
    assert ids(database, condition) == expected


# docs/how-to/postgresql.md lists these as what differs from PostgreSQL.
DIFFERENT = [
    ("concat(NULL, 'a')", None),
    ("array_to_string(ARRAY['a', NULL], ',', NULL)", None),
    ("NULL::bigint[] || ARRAY[1]", None),
    ("1e-200::float8 * 1e-200::float8", 0.0),
    ("'[1]'::jsonb -> -1", None),
    ("('2024-01-03 00:00Z'::timestamptz - '2024-01-01 00:00Z'::timestamptz)::text", "PT48H"),
    ("1 << 2::bigint", 4),
    ("round(2.5::float8)", 3.0),
    ("(2.5::float8)::bigint", 3),
    ("substr('abc', -2)", "bc"),
    ("sin('Infinity'::float8)", "NaN"),
    ("to_jsonb('2024-01-01 00:00-08'::timestamptz)::text", '"2024-01-01T08:00:00+00:00"'),
    ("'\\x616263'::bytea::text", "abc"),
    ("upper('été')", "ÉTÉ"),
]
REFUSED = {
    "'0001-01-01 BC'::date": "INVALID_ARGUMENT",
    "'now'::timestamptz": "INVALID_ARGUMENT",
    "'10001 years'::interval": "INVALID_ARGUMENT",
    "'Infinity'::float8::numeric": "INVALID_ARGUMENT",
    "lpad('a', -1)": "OUT_OF_RANGE",
    "repeat('a', -1)": "OUT_OF_RANGE",
    "'\\xff'::bytea::text": "OUT_OF_RANGE",
    "+1::bigint": "UNIMPLEMENTED",
    "m::text[]": "UNIMPLEMENTED",
    "1 = ANY('{1}'::bigint[])": "INVALID_ARGUMENT",
}


def test_expressions_differ_from_postgresql_as_documented(database):
    found = rows(database, f"SELECT {', '.join(each for each, _ in DIFFERENT)}")
    assert found == [[expected for _, expected in DIFFERENT]]


@pytest.mark.parametrize("expression", REFUSED)
def test_an_expression_of_postgresql_is_refused_as_documented(database, expression):
    with pytest.raises(exceptions.GoogleAPICallError) as refused:
        rows(database, f"SELECT {expression} FROM t")
    assert refused.value.grpc_status_code.name == REFUSED[expression]


@pytest.mark.parametrize("method", ["hash_join", "apply_join", "merge_join"])
def test_every_join_finds_nan(database, method):
    sql = f"SELECT a.id, b.id FROM t a JOIN /*@ JOIN_METHOD = {method} */ t b ON a.f = b.f"
    pairs = rows(database, f"{sql} ORDER BY 1, 2")
    assert pairs == [[1, 1], [1, 6], [2, 2], [3, 3], [5, 5], [6, 1], [6, 6]]


def test_groups_and_extremes_with_nan(database):
    assert rows(database, "SELECT f, count(*) FROM t GROUP BY f ORDER BY f") == [
        [0.0, 1], [1.5, 1], [inf, 1], ["NaN", 2], [None, 1],
    ]  # fmt: skip
    assert rows(database, "SELECT DISTINCT n FROM t ORDER BY n DESC") == [
        [None], ["NaN"], [Decimal(100)], [Decimal("1.5")], [Decimal(0)],
    ]  # fmt: skip
    sql = "SELECT max(f), min(f), max(n), min(n), count(DISTINCT f) FROM t"
    assert rows(database, sql) == [["NaN", 0.0, "NaN", Decimal(0), 4]]
    assert rows(database, "SELECT greatest(f, 1), nullif(f, 'NaN') FROM t WHERE id = 1") == [
        ["NaN", None]
    ]


def test_an_index_holds_nan_above_every_number(database):
    with database.snapshot(multi_use=True) as snapshot:
        every = [row[0] for row in snapshot.read("t", ["id"], EVERY, index="by_f")]
        point = [row[0] for row in snapshot.read("t", ["id"], KeySet([[nan]]), index="by_f")]
        above = KeySet(ranges=[KeyRange(start_open=[1.5], end_closed=[nan])])
        high = [row[0] for row in snapshot.read("t", ["id"], above, index="by_f")]
    assert (every, point, high) == ([5, 2, 3, 1, 6, 4], [1, 6], [3, 1, 6])
    assert ids(database, "f = 'NaN' AND id > 1") == [6]
    hinted = "SELECT id FROM t /*@ FORCE_INDEX = by_f */ WHERE f >= 'Infinity' ORDER BY id"
    assert rows(database, hinted) == [[1], [3], [6]]


def test_values_are_stored_in_normal_form(database):
    sql = "SELECT n::text, j::text FROM t ORDER BY id"
    assert rows(database, sql) == [
        ["100", '{"a": 2, "bb": 1}'],
        ["NaN", "null"],
        ["0.00", "[100]"],
        [None, None],
        ["1.50", None],
        ["1.5", None],
    ]
    with database.snapshot() as snapshot:
        result = snapshot.execute_sql("SELECT m, a, j, n FROM t WHERE id = 1")
        (row,) = result
        annotations = [
            TypeAnnotationCode(field.type_.type_annotation).name for field in result.fields
        ]
    assert str(row[0]) == "[Decimal('1.50'), Decimal('NaN'), None]"
    assert annotations[2:] == ["PG_JSONB", "PG_NUMERIC"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("n", "x"),
        ("n", "Infinity"),
        ("n", "1e131072"),
        ("n", "1e-16384"),
        ("j", "{bad"),
        ("j", r'"\u0000"'),
        ("j", "1e5000"),
    ],
)
def test_an_invalid_value_of_a_type_fails(database, column, value):
    with pytest.raises(exceptions.FailedPrecondition), database.batch() as batch:
        batch.insert("t", ["id", column], [[99, value]])
    assert ids(database, "id = 99") == []


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (Decimal("1.50"), param_types.PG_NUMERIC, Decimal("1.50")),
        (["1.50", None], param_types.Array(param_types.PG_NUMERIC), [Decimal("1.50"), None]),
        ("5", param_types.PG_OID, 5),
        (nan, param_types.FLOAT64, "NaN"),
    ],
)
def test_a_parameter_of_the_dialect(database, value, type_, expected):
    assert rows(database, "SELECT $1", {"p1": value}, {"p1": type_}) == [[expected]]


def test_a_parameter_that_is_nan_equals_nan(database):
    sql = "SELECT id FROM t WHERE f = $1 ORDER BY id"
    assert rows(database, sql, {"p1": nan}, {"p1": param_types.FLOAT64}) == [[1], [6]]


@pytest.mark.parametrize("type_", [param_types.NUMERIC, param_types.JSON])
def test_a_type_of_the_other_dialect_is_unimplemented(database, type_):
    with pytest.raises(exceptions.MethodNotImplemented):
        rows(database, "SELECT $1", {"p1": "1"}, {"p1": type_})
