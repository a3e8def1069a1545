"""Partitioned reads and queries."""

import pytest
from google.cloud.spanner_v1 import KeySet

from tests.conformance.raw import (
    ALL,
    FP,
    IA,
    NF,
    PDML,
    RO,
    RW,
    insert,
    key_range,
    keys,
    merged,
    on_both,
    params,
    refused,
    user,
)

QUERY = "SELECT Id FROM Users WHERE Id > 2"


@pytest.fixture
def filled(session):
    session.commit(None, user(*range(1, 11)))
    return session


@pytest.fixture
def begun(filled):
    return filled.begin(RO).id


def tokens(reply):
    return [one.partition_token for one in reply.partitions]


def read_all(session, begun, table, columns, key_set=ALL, **fields):
    """Return a read, partition by partition."""
    reply = session.partition_read(table, columns, key_set, transaction=begun, **fields)
    return [
        row
        for token in tokens(reply)
        for row in session.rows(
            table, columns, key_set, transaction=begun, partition_token=token, **fields
        )
    ]


def query_all(session, begun, sql, **fields):
    """Return a query, partition by partition."""
    reply = session.partition_query(sql, begun, **fields)
    return [
        row
        for token in tokens(reply)
        for row in session.select(sql, begun, partition_token=token, **fields)
    ]


# ------------------------------------------------------------------ the transaction


@on_both
def test_a_transaction_is_needed(filled):
    for selector in (None, {"single_use": RO}):
        with refused(IA):
            filled.partition_read("Users", "Id", transaction=selector)
        with refused(IA):
            filled.partition_query(QUERY, selector)


@on_both
@pytest.mark.parametrize("options", [RW, PDML], ids=["read-write", "partitioned"])
def test_the_transaction_of_partitions_must_be_read_only(filled, options):
    for selector in (lambda: filled.begin(options).id, lambda: {"begin": options}):
        with refused(IA, match="can only be performed in a read-only transaction"):
            filled.partition_read("Users", "Id", transaction=selector())
        with refused(IA, match="can only be performed in a read-only transaction"):
            filled.partition_query(QUERY, selector())


def test_partition_requests_can_begin_the_transaction(filled):
    for reply, run in (
        (
            filled.partition_read("Users", "Id", transaction={"begin": RO}),
            lambda begun, token: filled.rows(
                "Users", "Id", transaction=begun, partition_token=token
            ),
        ),
        (
            filled.partition_query("SELECT Id FROM Users", {"begin": RO}),
            lambda begun, token: filled.select(
                "SELECT Id FROM Users", begun, partition_token=token
            ),
        ),
    ):
        begun = reply.transaction.id
        assert begun
        rows = [row for token in tokens(reply) for row in run(begun, token)]
        assert len(rows) == 10


@on_both
def test_the_read_timestamp_is_returned_on_request(filled):
    options = {"read_only": {"strong": True, "return_read_timestamp": True}}
    reply = filled.partition_query(QUERY, {"begin": options})
    assert reply.transaction.read_timestamp.seconds > 0


# ------------------------------------------------------------------ the request


@on_both
@pytest.mark.parametrize("name", ["partition_size_bytes", "max_partitions"])
def test_negative_options(filled, begun, name):
    with refused(IA):
        filled.partition_read("Users", "Id", transaction=begun, partition_options={name: -1})
    with refused(IA):
        filled.partition_query(QUERY, begun, partition_options={name: -1})


@on_both
def test_options_are_hints(filled, begun):
    options = {"partition_size_bytes": 1, "max_partitions": 3}
    reply = filled.partition_read("Users", "Id", transaction=begun, partition_options=options)
    assert tokens(reply)


def test_partitioned_reads_are_validated_like_other_reads(filled, begun):
    for kind, table, columns, key_set, index in (
        (IA, "Users", "Id", None, ""),
        (IA, "", "Id", ALL, ""),
        (NF, "Nothing", "Id", ALL, ""),
        (NF, "Users", "Nothing", ALL, ""),
        (NF, "Users", "Id", ALL, "Nothing"),
        (FP, "Users", "Id", keys((1, 2)), ""),
    ):
        with refused(kind):
            filled.partition_read(table, columns, key_set, transaction=begun, index=index)


@on_both
def test_partitioned_queries_are_validated_like_other_queries(filled, begun):
    for sql in ("", "SELECT", "SELECT Nothing FROM Users", "SELECT Id FROM Nothing"):
        with refused(IA):
            filled.partition_query(sql, begun)


def test_dml_cannot_be_partitioned(filled, begun):
    with refused(IA):
        filled.partition_query("DELETE FROM Users WHERE true", begun)


@on_both
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM Users",
        "SELECT Id FROM Users ORDER BY Note",
        "SELECT Id FROM Users ORDER BY Id",
        "SELECT Id, Name FROM Users@{FORCE_INDEX=UsersByName} ORDER BY Name",
        "SELECT u.Id FROM Users AS u JOIN Pairs AS p ON u.Age = p.C",
        "SELECT Id FROM Users LIMIT 3",
        "SELECT DISTINCT Name FROM Users",
    ],
)
def test_queries_that_need_all_rows_at_once(filled, begun, sql):
    with refused(IA, match="not root partitionable|partitionable"):
        filled.partition_query(sql, begun)


def test_an_order_in_a_subquery_does_not_prevent_partitioning(filled, begun):
    sql = "SELECT u.Id, ARRAY(SELECT x FROM UNNEST([2, 1]) AS x ORDER BY x) FROM Users AS u"
    assert len(query_all(filled, begun, sql)) == 10


# Google's emulator answers FAILED_PRECONDITION (see `statements.errors.BadParameterValue`).
@pytest.mark.parametrize("type_code", ["INT64", "DATE", "BOOL", "BYTES"])
def test_a_parameter_that_does_not_fit_its_declared_type(filled, begun, type_code):
    sql = "SELECT Id FROM Users WHERE @p IS NULL"
    given = {"params": params(p="?"), "param_types": {"p": {"code": type_code}}}
    for ask in (
        lambda: filled.partition_query(sql, begun, **given),
        lambda: filled.sql(sql, **given),
        lambda: filled.sql(sql, query_mode="PLAN", **given),
        lambda: filled.stream_sql(sql, **given),
    ):
        with refused(IA, match="bind parameter p"):
            ask()


def test_a_search_cannot_be_partitioned(raw, filled, begun):
    raw.ddl(
        "CREATE TABLE Texts (Id INT64, Text STRING(MAX),"
        " Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN) PRIMARY KEY (Id)",
        "CREATE SEARCH INDEX TextsSearch ON Texts (Tokens)",
    )
    with refused(IA, match="not supported for partitioned queries"):
        filled.partition_query(
            "SELECT Id FROM Texts WHERE SEARCH(Tokens, 'hello')", filled.begin(RO).id
        )


WITHIN_A_FAMILY = [
    "SELECT u.Id, p.PostId FROM Users AS u JOIN Posts AS p ON u.Id = p.Id",
    "SELECT u.Id, p.PostId FROM Users AS u LEFT JOIN Posts AS p ON p.Id = u.Id",
    "SELECT u.Id, ARRAY(SELECT p.PostId FROM Posts AS p WHERE p.Id = u.Id) FROM Users AS u",
    "SELECT u.Id FROM Users AS u WHERE EXISTS (SELECT 1 FROM Posts AS p WHERE p.Id = u.Id)",
    "SELECT u.Id, x FROM Users AS u, UNNEST([1, 2]) AS x",
    "SELECT Id, COUNT(*) FROM Posts GROUP BY Id",
    "SELECT Note FROM Users WHERE Name = 'user 3'",
    "SELECT Note FROM Users WHERE Name = 'user 3' OR Age = 5",
]
BEYOND_A_FAMILY = [
    "SELECT u.Id FROM Users AS u JOIN Posts AS p ON u.Id = p.PostId",
    "SELECT u.Id FROM Users AS u JOIN Pairs AS p ON u.Id = p.A",
    "SELECT u.Id FROM Users AS u WHERE u.Id IN (SELECT p.PostId FROM Posts AS p)",
    "SELECT u.Id FROM Users AS u WHERE u.Age = (SELECT MAX(p.C) FROM Pairs AS p)",
    "SELECT PostId, COUNT(*) FROM Posts GROUP BY PostId",
    "SELECT Id FROM Users UNION ALL SELECT Id FROM Posts",
]


@pytest.mark.parametrize("sql", WITHIN_A_FAMILY)
def test_a_query_within_a_row_hierarchy_can_be_partitioned(filled, sql):
    posts = [(number, number) for number in range(1, 6)]
    filled.commit(None, insert("Posts", "Id PostId", *posts))
    rows = query_all(filled, filled.begin(RO).id, sql)
    assert sorted(rows, key=str) == sorted(filled.select(sql), key=str) != []


@on_both
@pytest.mark.parametrize("sql", BEYOND_A_FAMILY)
def test_a_query_across_row_hierarchies_cannot_be_partitioned(filled, begun, sql):
    with refused(IA, match="partitionable"):
        filled.partition_query(sql, begun)


def test_a_union_of_indexes_cannot_be_partitioned(filled, begun):
    hint = "@{INDEX_STRATEGY=FORCE_INDEX_UNION}"
    with refused(IA, match="partitionable"):
        filled.partition_query(f"SELECT Id FROM Users{hint} WHERE Name = 'a' OR Age = 5", begun)


# ------------------------------------------------------------------ running


@on_both
def test_the_partitions_of_a_read_have_every_row_once(filled, begun):
    rows = read_all(filled, begun, "Users", "Id Name")
    assert sorted(rows, key=lambda row: int(row[0])) == filled.rows("Users", "Id Name")


@on_both
def test_partitions_of_some_keys(filled, begun):
    wanted = {**keys(1, 99), **key_range(start_closed=[4], end_open=[7])}
    assert sorted(read_all(filled, begun, "Users", "Id", wanted)) == [["1"], ["4"], ["5"], ["6"]]


@on_both
def test_partitions_of_an_index(filled, begun):
    rows = read_all(filled, begun, "Users", "Name", index="UsersByName")
    assert sorted(rows) == filled.rows("Users", "Name", index="UsersByName")


@on_both
def test_the_partitions_of_a_query_have_every_row_once(filled, begun):
    assert len(query_all(filled, begun, QUERY)) == 8
    fields = {"params": params(low=8), "param_types": {"low": {"code": "INT64"}}}
    rows = query_all(filled, begun, "SELECT Id FROM Users WHERE Id > @low", **fields)
    assert sorted(rows, key=str) == [["10"], ["9"]]


@on_both
def test_a_query_without_a_table(filled, begun):
    assert query_all(filled, begun, "SELECT 1") == [["1"]]


def test_a_query_whose_check_is_switched_off(filled, begun):
    hint = "@{spanner_emulator.disable_query_partitionability_check=true} "
    assert query_all(filled, begun, hint + "SELECT COUNT(*) FROM Users") == [["10"]]


@on_both
def test_partitions_can_be_streamed(filled, begun):
    reply = filled.partition_read("Users", "Id", transaction=begun)
    values = []
    for token in tokens(reply):
        values += merged(
            filled.stream_read("Users", "Id", transaction=begun, partition_token=token)
        )
    assert len(values) == 10
    values = []
    for token in tokens(filled.partition_query(QUERY, begun)):
        values += merged(filled.stream_sql(QUERY, begun, partition_token=token))
    assert len(values) == 8


@on_both
def test_a_partition_sees_the_snapshot_of_its_transaction(filled, begun):
    reply = filled.partition_query("SELECT Id FROM Users", begun)
    filled.commit(None, user(11))
    rows = [
        row
        for token in tokens(reply)
        for row in filled.select("SELECT Id FROM Users", begun, partition_token=token)
    ]
    assert len(rows) == 10


@on_both
def test_a_partition_can_be_read_twice(filled, begun):
    (*_, token) = tokens(filled.partition_query(QUERY, begun))
    first, again = (filled.select(QUERY, begun, partition_token=token) for _ in range(2))
    assert first == again


def test_data_boost_is_accepted(filled, begun):
    for token in tokens(filled.partition_query(QUERY, begun)):
        filled.select(QUERY, begun, partition_token=token, data_boost_enabled=True)
    for token in tokens(filled.partition_read("Users", "Id", transaction=begun)):
        fields = {"transaction": begun, "partition_token": token, "data_boost_enabled": True}
        filled.rows("Users", "Id", **fields)


# ------------------------------------------------------------------ tokens out of place


@pytest.fixture
def token(filled, begun):
    return tokens(filled.partition_read("Users", "Id", transaction=begun))[-1]


@pytest.fixture
def query_token(filled, begun):
    return tokens(filled.partition_query(QUERY, begun))[-1]


@on_both
def test_a_token_of_another_session(raw, begun, token, query_token):
    other = raw.session()
    foreign = other.begin(RO).id
    with refused(IA, match="(?i)created for a different session"):
        other.read("Users", "Id", transaction=foreign, partition_token=token)
    with refused(IA, match="(?i)created for a different session"):
        other.sql(QUERY, foreign, partition_token=query_token)


@on_both
def test_a_token_of_another_transaction(filled, begun, token, query_token):
    other = filled.begin(RO).id
    with refused(IA, match="different transaction"):
        filled.read("Users", "Id", transaction=other, partition_token=token)
    with refused(IA, match="different transaction"):
        filled.sql(QUERY, other, partition_token=query_token)


@on_both
@pytest.mark.parametrize(
    "changed",
    [
        {"table": "Posts"},
        {"columns": "Id Name"},
        {"key_set": keys(1)},
        {"index": "UsersByName"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_token_of_another_read(filled, begun, token, changed):
    request = {"table": "Users", "columns": "Id", "key_set": ALL, **changed}
    with refused(IA, match="different read or sql parameters"):
        filled.read(**request, transaction=begun, partition_token=token)


@on_both
def test_a_token_of_another_query(filled, begun, query_token):
    typed = {"param_types": {"x": {"code": "INT64"}}}
    for sql, fields in (
        (QUERY, typed),
        ("SELECT Id FROM Users WHERE Id > 3", {}),
        (QUERY, {"params": params(x=1), **typed}),
    ):
        with refused(IA, match="different read or sql parameters"):
            filled.sql(sql, begun, partition_token=query_token, **fields)


@on_both
def test_a_token_of_the_other_kind(filled, begun, token, query_token):
    with refused(IA):
        filled.read("Users", "Id", transaction=begun, partition_token=query_token)
    with refused(IA):
        filled.sql(QUERY, begun, partition_token=token)


@on_both
def test_a_malformed_token_is_refused(filled, begun):
    with refused(IA, match="Invalid partition token"):
        filled.read("Users", "Id", transaction=begun, partition_token=b"garbage")
    with refused(IA, match="Invalid partition token"):
        filled.sql(QUERY, begun, partition_token=b"garbage")


@on_both
@pytest.mark.parametrize("mode", ["PLAN", "PROFILE"])
def test_a_token_and_a_query_mode(filled, begun, query_token, mode):
    with refused(IA):
        filled.sql(QUERY, begun, partition_token=query_token, query_mode=mode)


@on_both
@pytest.mark.parametrize("selector", [None, {"single_use": RO}, {"begin": RO}])
def test_a_token_without_its_transaction(filled, token, query_token, selector):
    with refused(IA):
        filled.read("Users", "Id", transaction=selector, partition_token=token)
    with refused(IA):
        filled.sql(QUERY, selector, partition_token=query_token)


def test_a_token_on_any_multiplexed_session(raw, shared):
    shared.commit(None, user(1, 2))
    begun = shared.begin(RO).id
    (*_, token) = tokens(shared.partition_query("SELECT Id FROM Users", begun))
    twin = raw.session(multiplexed=True)
    assert len(twin.select("SELECT Id FROM Users", begun, partition_token=token)) <= 2


def test_a_partition_token_requires_its_session(filled, begun, query_token):
    filled.delete()
    with refused(NF, match="Session not found"):
        filled.sql(QUERY, begun, partition_token=query_token)


def test_the_official_client_runs_partitions(raw):
    database = raw.home.client()
    with database.batch() as batch:
        batch.insert("Users", ["Id"], [(number,) for number in range(20)])
    snapshot = database.batch_snapshot()
    reads = snapshot.generate_read_batches("Users", ["Id"], KeySet(all_=True))
    queries = snapshot.generate_query_batches("SELECT Id FROM Users")
    assert sum(len(list(snapshot.process(one))) for one in reads) == 20
    assert sum(len(list(snapshot.process(one))) for one in queries) == 20
    snapshot.close()


@on_both
def test_partitions_of_interleaved_rows(filled):
    posts = [(number, number) for number in range(1, 11)]
    filled.commit(None, insert("Posts", "Id PostId", *posts))
    begun = filled.begin(RO).id
    assert len(read_all(filled, begun, "Posts", "Id PostId")) == 10
