"""How values of each type travel in a mutation, and which do not get in."""

import math
from base64 import b64decode

import grpc
import pytest
from google.cloud.spanner_v1 import types
from google.protobuf.struct_pb2 import NULL_VALUE

from tests.conformance.backends import (
    FP,
    IA,
    insert,
    insert_or_update,
    refused,
    replace,
    spanemu_only,
    update,
)

TYPES = """CREATE TABLE Types (
    Id INT64 NOT NULL, Bool BOOL, Int INT64, Double FLOAT64, Float FLOAT32, Text STRING(MAX),
    Bytes BYTES(MAX), Day DATE, Time TIMESTAMP, Number NUMERIC, Json JSON{more},
) PRIMARY KEY (Id)"""
ARRAYS = """CREATE TABLE Arrays (
    Id INT64 NOT NULL, Bool ARRAY<BOOL>, Int ARRAY<INT64>, Double ARRAY<FLOAT64>,
    Float ARRAY<FLOAT32>, Text ARRAY<STRING(MAX)>, Bytes ARRAY<BYTES(MAX)>, Day ARRAY<DATE>,
    Time ARRAY<TIMESTAMP>, Number ARRAY<NUMERIC>, Json ARRAY<JSON>,
) PRIMARY KEY (Id)"""
UUIDS = "CREATE TABLE Uuids (Id UUID NOT NULL, V UUID, A ARRAY<UUID>) PRIMARY KEY (Id)"

FLOAT64_MAX = 1.7976931348623157e308
FLOAT32_MAX = 3.4028234663852886e38
NINES_29 = "9" * 29 + "." + "9" * 9

# column, what is sent, and what comes back if that is something else
ACCEPTED = [
    ("Bool", True),
    ("Bool", False),
    ("Int", "0"),
    ("Int", "9223372036854775807"),
    ("Int", "-9223372036854775808"),
    ("Double", 0.1),
    ("Double", -2.5),
    ("Double", FLOAT64_MAX),
    ("Double", 5e-324),
    ("Double", "NaN"),
    ("Double", "Infinity"),
    ("Double", "-Infinity"),
    ("Float", 0.5),
    ("Float", FLOAT32_MAX),
    ("Float", "NaN"),
    ("Float", "Infinity"),
    ("Float", "-Infinity"),
    ("Text", ""),
    ("Text", "héllo wörld 😀\n\x00"),
    ("Bytes", ""),
    ("Bytes", "AP/+"),
    ("Bytes", "AA=="),
    ("Day", "0001-01-01"),
    ("Day", "9999-12-31"),
    ("Day", "2024-02-29"),
    ("Day", "2024-2-9", "2024-02-09"),
    ("Time", "0001-01-01T00:00:00Z"),
    ("Time", "9999-12-31T23:59:59.999999999Z"),
    ("Time", "2024-02-29T12:34:56.789Z"),
    ("Time", "2024-02-29T12:34:56.120000000Z", "2024-02-29T12:34:56.12Z"),
    ("Number", "0"),
    ("Number", NINES_29),
    ("Number", f"-{NINES_29}"),
    ("Number", "0.000000001"),
    ("Number", "1.500", "1.5"),
    ("Number", "+7", "7"),
    ("Number", "1e3", "1000"),
    ("Json", "null"),
    ("Json", '{"b": 1, "a": [true, null, 1.5]}', '{"a":[true,null,1.5],"b":1}'),
    ("Json", '"text"'),
    ("Json", "12"),
    ("Json", "[ ]", "[]"),
    ("Json", '{"a": 1, "a": 2}', '{"a":1}'),
]

REFUSED = [
    ("Bool", "true"),
    ("Bool", 1.0),
    ("Int", 1.0),
    ("Int", "1.0"),
    ("Int", "9223372036854775808"),
    ("Int", "-9223372036854775809"),
    ("Int", "0x1F"),
    ("Int", ""),
    ("Double", "1.5"),
    ("Double", "nan"),
    ("Double", "inf"),
    ("Double", "infinity"),
    ("Double", True),
    ("Float", "1.5"),
    ("Float", 1e39),
    ("Float", -1e39),
    ("Text", 1.0),
    ("Text", True),
    ("Bytes", "not base64!"),
    ("Day", "2024-02-30"),
    ("Day", "2024-13-01"),
    ("Day", "2024/02/01"),
    ("Day", "2024-02-01T00:00:00Z"),
    ("Time", "2024-02-29T12:34:56+01:00"),
    ("Time", "2024-02-29T12:34:56+00:00"),
    ("Time", "2024-02-29T12:34:56z"),
    ("Time", "2024-02-29 12:34:56"),
    ("Time", "2024-02-29"),
    ("Time", "2024-02-30T12:34:56Z"),
    ("Number", "1" * 30),
    ("Number", "0.0000000001"),
    ("Number", "NaN"),
    ("Number", "one"),
    ("Number", ""),
    ("Number", 1.0),
    ("Json", "{a: 1}"),
    ("Json", ""),
    ("Json", "{"),
    ("Json", 1.0),
]


@pytest.fixture
def db(create):
    """Return a column of every scalar type, and one of an array of each."""
    return create(TYPES.format(more=""), ARRAYS)


def put(db, table, column, value):
    """Insert a row with that value as it goes over the wire."""
    write = {"table": table, "columns": ["Id", column], "values": [["1", value]]}
    return db.commit_raw({"insert_or_update": write})


def got(db, table, column):
    """Return the value of the only row, as it comes over the wire."""
    session = db.official.session()
    session.create()
    request = {
        "session": session.name,
        "table": table,
        "columns": [column],
        "key_set": {"all_": True},
    }
    result = db.official.spanner_api.read(request=request)
    return type(result).pb(result).rows[0].values[0]


def plain(message):
    """Return a Value as Python data."""
    kind = message.WhichOneof("kind")
    if kind == "list_value":
        return [plain(one) for one in message.list_value.values]
    return None if kind == "null_value" else getattr(message, kind)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: f"{case[0]}-{str(case[1])[:20]!r}")
def test_values_are_returned_in_canonical_form(db, case):
    column, sent, *other = case
    put(db, "Types", column, sent)
    back = plain(got(db, "Types", column))
    assert back == (other[0] if other else sent)
    assert type(back) is type(sent)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: f"{case[0]}-{str(case[1])[:20]!r}")
def test_an_array_holds_values_and_nulls_of_the_same_form(db, case):
    column, sent, *other = case
    put(db, "Arrays", column, [sent, None, sent])
    back = other[0] if other else sent
    assert plain(got(db, "Arrays", column)) == [back, None, back]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case[0]}-{str(case[1])[:20]!r}")
def test_a_value_that_does_not_fit_its_column(db, case):
    column, sent = case
    with refused(FP):
        put(db, "Types", column, sent)
    with refused(FP):
        put(db, "Arrays", column, [sent])
    assert db.read("Types", "Id") == []


def test_a_date_after_year_9999(db):
    with refused((FP, IA)):
        put(db, "Types", "Day", "10000-01-01")


@pytest.mark.parametrize("column", ["Bool", "Int", "Double", "Float", "Text", "Bytes", "Day",
                                    "Time", "Number", "Json"])  # fmt: skip
def test_null_fits_every_column(db, column):
    for table in ("Types", "Arrays"):
        put(db, table, column, None)
        assert got(db, table, column).null_value == NULL_VALUE
    put(db, "Arrays", column, [])
    assert plain(got(db, "Arrays", column)) == []
    put(db, "Arrays", column, [None])
    assert plain(got(db, "Arrays", column)) == [None]


@pytest.mark.parametrize("sent", ["1", {"a": "1"}, [["1"]], ["1", True]])
def test_an_array_needs_a_list_of_fitting_values(db, sent):
    with refused((FP, IA)):
        put(db, "Arrays", "Int", sent)


def test_floats_round_to_the_column(db):
    put(db, "Types", "Float", 0.1)
    assert math.isclose(plain(got(db, "Types", "Float")), 0.1, rel_tol=1e-6)
    put(db, "Types", "Double", 1.0)
    assert plain(got(db, "Types", "Double")) == 1.0


def test_nan_and_zeros_as_keys(create):
    db = create("CREATE TABLE F (K FLOAT64) PRIMARY KEY (K)")
    db.commit(insert("F", "K", (math.nan,), (math.inf,), (-math.inf,), (0.0,), (None,)))
    keys = [row[0] for row in db.read("F", "K")]
    assert keys[0] is None
    assert math.isnan(keys[1])
    assert keys[2:] == [-math.inf, 0.0, math.inf]
    assert len(db.read("F", "K", (math.nan,))) == 1
    assert len(db.read("F", "K", (-0.0,))) == 1


@pytest.mark.parametrize("type_", ["INTERVAL", "ARRAY<INTERVAL>"])
def test_no_column_holds_intervals(create, type_):
    with refused((FP, IA)):
        create(f"CREATE TABLE T (Id INT64 NOT NULL, V {type_}) PRIMARY KEY (Id)")


@spanemu_only
def test_no_column_holds_structs(create):
    with refused((FP, IA)):
        create("CREATE TABLE T (Id INT64 NOT NULL, V STRUCT<A INT64>) PRIMARY KEY (Id)")


UUID = "123e4567-e89b-12d3-a456-426614174000"


@spanemu_only
def test_uuid_is_canonical_and_lower_case(create):
    db = create(UUIDS)
    row = [UUID.upper(), UUID, [UUID.upper(), None]]
    write = {"table": "Uuids", "columns": ["Id", "V", "A"], "values": [row]}
    db.commit_raw({"insert": write})
    assert plain(got(db, "Uuids", "Id")) == UUID
    assert plain(got(db, "Uuids", "V")) == UUID
    assert plain(got(db, "Uuids", "A")) == [UUID, None]


@spanemu_only
@pytest.mark.parametrize("sent", ["", UUID[:-1], UUID + "0", UUID.replace("e", "g"), 1.0])
def test_malformed_uuids_are_refused(create, sent):
    db = create(UUIDS)
    with refused(FP):
        db.commit_raw({"insert": {"table": "Uuids", "columns": ["Id"], "values": [[sent]]}})


@spanemu_only
def test_json_of_more_than_80_levels(db):
    put(db, "Types", "Json", "[" * 80 + "]" * 80)
    with refused(FP):
        put(db, "Types", "Json", "[" * 81 + "]" * 81)


@spanemu_only
@pytest.mark.parametrize(
    ("sent", "back"),
    [
        ("P1Y2M3DT4H5M6.5S", "P1Y2M3DT4H5M6.500S"),
        ("P1Y2M-3DT-4H5M6S", "P1Y2M-3DT-3H-54M-54S"),
        ("P0Y", "P0Y"),
    ],
)
def test_intervals_are_encoded_in_iso_8601(db, sent, back):
    with db.official.snapshot() as snapshot:
        result = snapshot.execute_sql(
            "SELECT @i, @i = @same",
            params={"i": sent, "same": back},
            param_types={name: types.Type(code="INTERVAL") for name in ("i", "same")},
        )
        (row,) = list(result)
    assert row[1] is True
    assert str(row[0]) == back


@spanemu_only
def test_text_that_is_not_utf_8_is_refused(db):
    # The client's own classes hold no such text, so the request is put together by hand.
    session = db.official.session()
    session.create()
    request = types.CommitRequest(
        session=session.name,
        single_use_transaction={"read_write": {}},
        mutations=[{"insert": {"table": "Types", "columns": ["Id"], "values": [["x!!!x"]]}}],
    )
    data = types.CommitRequest.serialize(request).replace(b"x!!!x", b"x\xff\xfe!x")
    with grpc.insecure_channel(db.official._instance._client._emulator_host) as channel:
        commit = channel.unary_unary("/google.spanner.v1.Spanner/Commit")
        with pytest.raises(grpc.RpcError) as caught:
            commit(data, timeout=10)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


PLACED = (
    "CREATE PLACEMENT europe OPTIONS (instance_partition = 'europe')",
    "CREATE PLACEMENT asia OPTIONS (instance_partition = 'asia')",
    "CREATE TABLE Placed (Id INT64 NOT NULL, Where_ STRING(MAX) NOT NULL PLACEMENT KEY, V INT64) "
    "PRIMARY KEY (Id)",
)


@spanemu_only
@pytest.mark.parametrize("operation", [insert, insert_or_update, replace])
def test_a_placement_key_names_a_placement(create, operation):
    db = create(*PLACED)
    db.commit(operation("Placed", "Id Where_ V", (1, "europe", 1), (2, "default", 1)))
    with refused(IA, match="nowhere"):
        db.commit(operation("Placed", "Id Where_ V", (3, "nowhere", 1)))
    with refused(IA, match="nowhere"):
        db.dml("UPDATE Placed SET Where_ = 'nowhere' WHERE Id = 1")
    assert db.read("Placed", "Id Where_") == [[1, "europe"], [2, "default"]]


@spanemu_only
def test_a_row_moves_when_its_placement_key_changes(create):
    db = create(*PLACED)
    db.commit(insert("Placed", "Id Where_ V", (1, "europe", 7)))
    db.commit(update("Placed", "Id Where_", (1, "asia")))
    assert db.read("Placed", "Id Where_ V") == [[1, "asia", 7]]


@spanemu_only
def test_token_lists_are_encoded_in_base64(create):
    db = create(
        "CREATE TABLE Texts (Id INT64 NOT NULL, Text STRING(MAX), "
        "Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN) PRIMARY KEY (Id)"
    )
    db.commit(insert("Texts", "Id Text", (1, "hello world"), (2, None)))
    assert b64decode(plain(got(db, "Texts", "Tokens")), validate=True)
    with refused(FP, match="Cannot write into generated column"):
        db.commit(insert("Texts", "Id Tokens", (3, "AA==")))
    with refused((FP, IA)):
        db.ddl("CREATE INDEX ByTokens ON Texts (Tokens)")
