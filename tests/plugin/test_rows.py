"""The factories, through the official client against a database here."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

import spanemu
from pytest_spanemu.rows.factory import SpannerFactory
from pytest_spanemu.sql import SpannerSql

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as emulator:
        yield emulator


@pytest.fixture
def database(emulator, request):
    def create(schema, dialect="googlesql"):
        handle = emulator.create_database(
            f"d-{abs(hash(request.node.name)) % 10**9}", schema=schema, dialect=dialect
        )
        request.addfinalizer(handle.drop)
        return handle.client()

    return create


def test_a_row_has_a_value_for_every_required_column(database):
    orders = database(FIXTURES / "orders.sql")
    line = SpannerFactory(orders).OrderLines(Quantity=2)
    sql = SpannerSql(orders)
    assert line["Quantity"] == 2
    assert sql("SELECT COUNT(*) n FROM Orders")[0]["n"] == 1
    assert sql("SELECT COUNT(*) n FROM Products WHERE Price >= 0")[0]["n"] == 1
    (customer,) = sql("SELECT c.* FROM Customers c JOIN Orders o USING (CustomerId)")
    assert "@" in customer["Email"]


def test_rows_are_returned_with_the_values_of_the_server(database):
    factory = SpannerFactory(database(FIXTURES / "orders.sql"))
    customer = factory.Customers(Name="Ada")
    assert len(customer["CustomerId"]) == 36  # DEFAULT (GENERATE_UUID())
    order = factory.Orders(parent=customer)
    assert order["CustomerId"] == customer["CustomerId"]
    assert order["Status"] == "OPEN"
    assert order["ChangedAt"] is not None  # the commit timestamp


def test_commit_timestamps_in_keys_and_beside_keys_that_the_server_makes(database):
    result = database(
        """
        CREATE TABLE Logs (Noted TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
          Text STRING(MAX)) PRIMARY KEY (Noted DESC);
        CREATE TABLE Visits (Id STRING(36) NOT NULL DEFAULT (GENERATE_UUID()),
          Noted TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
          N INT64 NOT NULL, CONSTRAINT Small CHECK (N < 500)) PRIMARY KEY (Id)
        """
    )
    factory, sql = SpannerFactory(result), SpannerSql(result)
    logs = factory.Logs.many(3)
    assert len({log["Noted"] for log in logs}) == 3
    assert all(log["Text"] for log in logs)
    assert sql("SELECT Text FROM Logs WHERE Noted = @at", at=logs[1]["Noted"]) == [
        {"Text": logs[1]["Text"]}
    ]
    visits = factory.Visits.many(20)
    assert all(visit["Noted"] >= logs[-1]["Noted"] and visit["N"] < 500 for visit in visits)


def test_children_take_their_parents_key_and_count_on(database):
    music = database(FIXTURES / "music.sql")
    factory = SpannerFactory(music)
    marc = factory.Singers(SingerId=7, FirstName="Marc")
    albums = factory.Albums.many(3, parent=marc)
    assert [album["SingerId"] for album in albums] == [7, 7, 7]
    assert len({album["AlbumId"] for album in albums}) == 3
    songs = factory.Songs.many(6, parent=albums)
    assert {song["AlbumId"] for song in songs} == {album["AlbumId"] for album in albums}


def test_graphs(database):
    factory = SpannerFactory(database(FIXTURES / "music.sql"))
    created = factory.graph({"Singers": 4, "Singers.Albums": (1, 3), "Singers.Albums.Songs": 2})
    assert len(created["Singers"]) == 4
    assert 4 <= len(created["Singers.Albums"]) <= 12
    assert len(created["Singers.Albums.Songs"]) == 2 * len(created["Singers.Albums"])
    with pytest.raises(ValueError, match=r"needs 'Singers\.Albums'"):
        factory.graph({"Singers": 1, "Singers.Albums.Songs": 1})


def test_one_seed_makes_the_same_rows(database):
    music = database(FIXTURES / "music.sql")
    first = SpannerFactory(music, seed=5).Singers.many(3)
    sql = SpannerSql(music)
    sql("DELETE FROM Singers WHERE true")
    assert SpannerFactory(music, seed=5).Singers.many(3) == first
    sql("DELETE FROM Singers WHERE true")
    assert SpannerFactory(music, seed=6).Singers.many(3) != first


def test_a_provider_of_a_column_comes_before_its_default(database):
    parcels = database(
        "CREATE TABLE Parcels (Id INT64 NOT NULL, Status STRING(9) NOT NULL DEFAULT ('OPEN'), "
        "Upper STRING(9) AS (UPPER(Status)) STORED) PRIMARY KEY (Id)"
    )
    factory = SpannerFactory(parcels)
    factory.provider("STRING", lambda faker: "text")
    assert factory.Parcels()["Status"] == "OPEN"
    factory.provider("Parcels.Status", lambda faker: "sent")
    assert factory.Parcels()["Upper"] == "SENT"


def test_values_that_a_check_lists(database):
    result = database(
        "CREATE TABLE Parcels (Id INT64 NOT NULL, Kind STRING(9) NOT NULL, Size INT64 NOT NULL, "
        "State STRING(9) NOT NULL, CONSTRAINT K CHECK (Kind IN ('box', \"bag\")), "
        "CHECK (Size IN (1, 2, 30) AND Kind NOT IN ('bag')), "
        "CHECK (State = 'sent' OR State = 'here')) PRIMARY KEY (Id)"
    )
    parcels = SpannerFactory(result).Parcels.many(30)
    assert {parcel["Kind"] for parcel in parcels} == {"box"}
    assert {parcel["Size"] for parcel in parcels} == {1, 2, 30}
    assert {parcel["State"] for parcel in parcels} == {"sent", "here"}


@pytest.mark.parametrize(
    ("type_", "check", "values"),
    [
        ("STRING(9)", r"""V IN ('it\'s', "o'pen", r'a\b')""", {"it's", "o'pen", r"a\b"}),
        ("STRING(9)", "v IN UNNEST(['a', 'b'])", {"a", "b"}),
        ("STRING(9)", "'a' = V OR `V` = 'b'", {"a", "b"}),
        ("STRING(9)", "UPPER(V) IN ('A', -- the first\n 'B')", {"A", "B"}),
        ("STRING(9)", "V IN ('a') AND V NOT IN ('b')", {"a"}),
        ("INT64", "V IN (0x10, -3)", {16, -3}),
        ("FLOAT64", "V IN (-0.5, 2)", {-0.5, 2.0}),
        ("NUMERIC", "V IN (0.5, NUMERIC '1.25')", {Decimal("0.5"), Decimal("1.25")}),
        ("DATE", "V IN (DATE '2024-01-01', '2024-01-02')", {date(2024, 1, 1), date(2024, 1, 2)}),
        ("BYTES(9)", "V IN (b'x', b'y')", {b"eA==", b"eQ=="}),
        ("BOOL", "V IN (TRUE)", {True}),
    ],
)
def test_a_check_lists_values_of_any_type_in_any_form(database, type_, check, values):
    found = database(
        f"CREATE TABLE T (Id INT64 NOT NULL, V {type_} NOT NULL, CHECK ({check})) PRIMARY KEY (Id)"
    )
    assert {row["V"] for row in SpannerFactory(found).T.many(30)} == values


def test_unique_indexes_and_checks_are_honoured(database):
    result = database(
        "CREATE TABLE T (Id INT64 NOT NULL, Code STRING(1) NOT NULL, N INT64 NOT NULL, "
        "CONSTRAINT Small CHECK (N BETWEEN 1 AND 300)) PRIMARY KEY (Id);"
        "CREATE UNIQUE INDEX ByCode ON T (Code)"
    )
    factory = SpannerFactory(result)
    factory.provider("T.Code", lambda faker: faker.random_element("abcde"))
    rows = factory.T.many(5)
    assert sorted(row["Code"] for row in rows) == list("abcde")
    assert all(1 <= row["N"] <= 300 for row in rows)
    with pytest.raises(ValueError, match=r"no row of T .* provider"):
        factory.T()


def test_unique_indexes_of_postgresql_take_many_nulls(database):
    result = database(
        "CREATE TABLE t (id bigint PRIMARY KEY, code varchar(1)); CREATE UNIQUE INDEX c ON t (code)",
        "postgresql",
    )
    factory = SpannerFactory(result)
    assert len(factory.t.many(3, code=None)) == 3
    factory.t(code="a")
    with pytest.raises(ValueError, match="no row of t"):
        factory.t(code="a")


def test_references_and_self_references(database):
    result = database(
        "CREATE TABLE Staff (Id INT64 NOT NULL, Boss INT64, Peer INT64 NOT NULL, "
        "FOREIGN KEY (Boss) REFERENCES Staff (Id), FOREIGN KEY (Peer) REFERENCES Staff (Id)) "
        "PRIMARY KEY (Id);"
        "CREATE TABLE Desk (Id INT64 NOT NULL, Owner INT64 NOT NULL, "
        "FOREIGN KEY (Owner) REFERENCES Staff (Id)) PRIMARY KEY (Id)"
    )
    factory = SpannerFactory(result)
    boss = factory.Staff()
    assert boss["Boss"] is None
    assert boss["Peer"] == boss["Id"]
    assert factory.Staff(Boss=boss["Id"])["Boss"] == boss["Id"]
    desk = factory.Desk(Owner=factory.ref("Staff"))
    assert factory.Desk.many(2, parent=boss)[1]["Owner"] == boss["Id"]
    assert desk["Owner"] not in (None, boss["Id"])


def test_every_type_and_keys_made_by_the_server(database):
    result = database(
        "CREATE SEQUENCE S OPTIONS (sequence_kind = 'bit_reversed_positive');"
        "CREATE TABLE T (Id INT64 NOT NULL DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE S)), "
        "b BOOL NOT NULL, f FLOAT64 NOT NULL, g FLOAT32 NOT NULL, n NUMERIC NOT NULL, "
        "s STRING(3) NOT NULL, y BYTES(4) NOT NULL, d DATE NOT NULL, t TIMESTAMP NOT NULL, "
        "j JSON NOT NULL, a ARRAY<STRING(2)> NOT NULL, Up STRING(MAX) AS (UPPER(s)) STORED) "
        "PRIMARY KEY (Id)"
    )
    rows = SpannerFactory(result).T.many(2)
    assert rows[0]["Id"] != rows[1]["Id"]
    for row in rows:
        assert len(row["s"]) <= 3
        assert row["Up"] == row["s"].upper()
        assert all(len(item) <= 2 for item in row["a"])


def test_unknown_names_are_refused_with_a_suggestion(database):
    factory = SpannerFactory(database(FIXTURES / "music.sql"))
    with pytest.raises(AttributeError, match=r"no table 'Sinners'.*Singers"):
        factory.Sinners()
    with pytest.raises(TypeError, match="has no column 'Nom'"):
        factory.Singers(Nom="x")
    with pytest.raises(TypeError, match="is not interleaved"):
        factory.Singers(parent={"x": 1})


@pytest.mark.parametrize(
    ("use", "kind", "words"),
    [
        (lambda factory: factory.T.many("3"), TypeError, "a number of rows, not '3'"),
        (lambda factory: factory.T.many(-1), TypeError, "a number of rows, not -1"),
        (lambda factory: factory.C(parent=5), TypeError, "parent=5 is no row"),
        (lambda factory: factory.C.many(2, parent=[]), TypeError, r"parent=\[\] is no row"),
        (lambda factory: factory.C.many(2, parent=[5]), TypeError, r"parent=\[5\] is no row"),
        (lambda factory: factory.provider("T.Cod", str), TypeError, "no column 'Cod'; it has Id"),
        (lambda factory: factory.provider("S.Id", str), KeyError, "no table 'S'"),
    ],
)
def test_wrong_arguments_are_refused(database, use, kind, words):
    result = database(
        "CREATE TABLE T (Id INT64) PRIMARY KEY (Id);"
        "CREATE TABLE C (Id INT64, N INT64) PRIMARY KEY (Id, N), INTERLEAVE IN PARENT T"
    )
    with pytest.raises(kind, match=words):
        use(SpannerFactory(result))


def test_a_provider_of_a_project_may_be_of_another_database(database):
    found = database("CREATE TABLE T (Id INT64) PRIMARY KEY (Id)")
    factory = SpannerFactory(found)
    factory.register("Elsewhere.Code", str)
    assert len(factory.T.many(2)) == 2


def test_skewed_parents(database):
    factory = SpannerFactory(database(FIXTURES / "music.sql"))
    singers = factory.Singers.many(10)
    albums = factory.Albums.many(200, parent=singers, skew="zipf")
    per_singer = [sum(a["SingerId"] == s["SingerId"] for a in albums) for s in singers]
    assert per_singer[0] > 2 * per_singer[9]


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_rows_have_values_for_the_sources_of_token_lists(database, dialect):
    schema = {
        "googlesql": [
            "CREATE TABLE Posts (PostId STRING(36) NOT NULL, Title STRING(100), Tags ARRAY<STRING(20)>, "
            "TitleTokens TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) STORED HIDDEN, "
            "TagTokens TOKENLIST AS (TOKEN(Tags)) HIDDEN) PRIMARY KEY (PostId);",
            "CREATE SEARCH INDEX PostsByTitle ON Posts(TitleTokens, TagTokens);",
        ],
        "postgresql": [
            "CREATE TABLE posts (postid varchar(36) NOT NULL, title varchar(100), "
            "titletokens spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(title))"
            " VIRTUAL HIDDEN, PRIMARY KEY (postid));",
            "CREATE SEARCH INDEX postsbytitle ON posts(titletokens);",
        ],
    }[dialect]
    search = {
        "googlesql": "SELECT PostId AS id FROM Posts WHERE SEARCH(TitleTokens, @title)",
        "postgresql": "SELECT postid AS id FROM posts WHERE spanner.search(titletokens, $1)",
    }[dialect]
    posts = database(schema, dialect)
    row = getattr(SpannerFactory(posts), "Posts" if dialect == "googlesql" else "posts")()
    key, title = list(row.values())[:2]
    name = "title" if dialect == "googlesql" else "p1"
    with posts.snapshot() as snapshot:
        rows = snapshot.execute_sql(search, {name: title}, {name: {"code": "STRING"}})
        assert list(rows) == [[key]]


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_rows_have_vectors_of_the_declared_length_and_no_token_lists(database, dialect):
    columns = {
        "googlesql": "Body STRING(20) NOT NULL, V ARRAY<FLOAT32>(vector_length=>3) NOT NULL, "
        "W ARRAY<FLOAT64>(vector_length=>5) NOT NULL, "
        "Tok TOKENLIST AS (TOKENIZE_FULLTEXT(Body)) STORED HIDDEN) PRIMARY KEY (Id)",
        "postgresql": "body varchar(20) NOT NULL, v float4[] VECTOR LENGTH 3 NOT NULL, "
        "w float8[] VECTOR LENGTH 5 NOT NULL, tok spanner.tokenlist GENERATED ALWAYS AS "
        "(spanner.tokenize_fulltext(body)) VIRTUAL HIDDEN, PRIMARY KEY (id))",
    }[dialect]
    keys = {"googlesql": ("Plain", "Made"), "postgresql": ("plain", "made")}[dialect]
    identity = {
        "googlesql": "Id STRING(36) DEFAULT (GENERATE_UUID())",
        "postgresql": "id varchar(36) DEFAULT spanner.generate_uuid()",
    }[dialect]
    plain = {"googlesql": "Id INT64 NOT NULL", "postgresql": "id bigint NOT NULL"}[dialect]
    schema = [
        f"CREATE TABLE {keys[0]} ({plain}, {columns};",
        f"CREATE TABLE {keys[1]} ({identity}, {columns};",
    ]
    factory = SpannerFactory(database(schema, dialect))
    for table in keys:  # one is read back, one is returned by the insert
        row = {name.lower(): value for name, value in getattr(factory, table)().items()}
        assert list(row) == ["id", "body", "v", "w"]
        assert (len(row["v"]), len(row["w"])) == (3, 5)
