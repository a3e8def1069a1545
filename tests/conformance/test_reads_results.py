"""Results on the wire, whole and in chunks."""

import pytest
from google.cloud.spanner_v1 import TypeCode

from spanemu.frontend.convert import chunks
from tests.conformance.raw import (
    FP,
    IA,
    RO,
    RW,
    insert,
    keys,
    merged,
    on_both,
    params,
    refused,
    user,
)

MEBIBYTE = 1024 * 1024


def fields(result):
    """Return names and types of a result's columns."""
    return [(one.name, TypeCode(one.type_.code).name) for one in result.metadata.row_type.fields]


@pytest.fixture
def large(session):
    """Return thirty users with notes of 200 kB."""
    for start in range(0, 30, 10):
        rows = [(start + number, f"{number}" * 200_000) for number in range(10)]
        session.commit(None, insert("Users", "Id Note", *rows))
    return session


# ------------------------------------------------------------------ shape


@on_both
def test_names_and_types_of_a_read(session):
    result = session.read("Users", "Id Name Age")
    assert fields(result) == [("Id", "INT64"), ("Name", "STRING"), ("Age", "INT64")]
    assert len(result.rows) == 0


@on_both
def test_an_index_read_has_the_tables_types(session):
    result = session.read("Users", "Name Age Id", index="UsersByName")
    assert fields(result) == [("Name", "STRING"), ("Age", "INT64"), ("Id", "INT64")]


@on_both
def test_names_and_types_of_a_query(session):
    result = session.sql("SELECT 1 AS a, 'x', [1.5] AS c, TRUE AS a")
    assert fields(result) == [("a", "INT64"), ("", "STRING"), ("c", "ARRAY"), ("a", "BOOL")]


@on_both
def test_an_empty_stream_has_one_message(session):
    for replies in (session.stream_read("Users", "Id"), session.stream_sql("SELECT 1 LIMIT 0")):
        assert len(replies) == 1
        assert len(replies[0].metadata.row_type.fields) == 1
        assert len(replies[0].values) == 0


@on_both
def test_rows_are_flattened_into_values(session):
    session.commit(None, user(1, 2))
    (reply,) = session.stream_read("Users", "Id Name")
    assert merged([reply]) == ["1", "user 1", "2", "user 2"]


@on_both
def test_statistics_of_dml_are_in_the_last_message(session):
    begun = session.begin().id
    sql = "INSERT INTO Users (Id) VALUES (1), (2) THEN RETURN Id"
    replies = session.stream_sql(sql, begun, seqno=1)
    assert replies[-1].stats.row_count_exact == 2
    assert merged(replies) == ["1", "2"]
    result = session.dml("UPDATE Users SET Age = 1 WHERE true", begun, seqno=2)
    assert result.stats.row_count_exact == 2
    assert len(result.rows) == 0


def test_statistics_of_a_profile_are_in_the_last_message(large):
    replies = large.stream_sql("SELECT Note FROM Users", query_mode="PROFILE")
    assert len(replies) > 1
    assert all(not reply.HasField("stats") for reply in replies[:-1])
    assert replies[-1].stats.query_stats.fields["rows_returned"].string_value == "30"


@on_both
def test_a_plain_query_has_no_statistics(session):
    assert not session.sql("SELECT 1").HasField("stats")


# ------------------------------------------------------------------ size


def test_an_unstreamed_result_is_limited_to_ten_mebibytes(session):
    fits = "SELECT REPEAT('x', 1000000) FROM UNNEST(GENERATE_ARRAY(1, 10))"
    assert len(session.select(fits)) == 10
    with refused(FP):
        session.sql("SELECT REPEAT('x', 1000000) FROM UNNEST(GENERATE_ARRAY(1, 11))")


def test_an_unstreamed_read_is_limited_to_ten_mebibytes(session):
    for number in range(5):
        session.commit(None, insert("Users", "Id Note", (number, "x" * 2_600_000)))
    assert len(session.rows("Users", "Id Note", keys(0, 1, 2))) == 3
    with refused(FP):
        session.read("Users", "Id Note")
    assert len(merged(session.stream_read("Users", "Id Note"))) == 10


@on_both
def test_only_the_first_message_has_metadata(large):
    replies = large.stream_read("Users", "Id Note")
    assert len(replies) > 1
    assert replies[0].HasField("metadata")
    assert not any(reply.HasField("metadata") for reply in replies[1:])


@on_both
def test_messages_have_about_one_mebibyte(large):
    replies = large.stream_read("Users", "Id Note", transaction={"id": large.begin().id})
    assert all(reply.ByteSize() < 1.1 * MEBIBYTE for reply in replies)
    assert len(replies) < 12


@on_both
def test_messages_of_a_stream_that_can_be_resumed_have_a_mebibyte_at_most(large):
    replies = large.stream_read("Users", "Id Note")
    assert all(reply.ByteSize() < 1.1 * MEBIBYTE for reply in replies)
    assert len(replies) <= 31


@on_both
def test_chunks_join_to_the_same_values(large):
    whole = [[str(number), f"{number % 10}" * 200_000] for number in range(30)]
    assert merged(large.stream_read("Users", "Id Note")) == [cell for row in whole for cell in row]


STRING = {"code": "STRING"}
LARGE = {
    "text": (STRING, "é" * 2_000_000),
    "emoji": (STRING, "😀" * 800_000),
    "a full message": (STRING, "x" * MEBIBYTE),
    "texts": (["STRING"], ["a" * 1_500_000, "b" * 1_500_000, None, "", "c"]),
    "text after text": (["STRING"], ["a" * MEBIBYTE, "b" * MEBIBYTE]),
    "numbers": (["INT64"], [str(10**15 + number) for number in range(70_000)]),
    "nulls": (["INT64"], [None if number % 3 else str(number) for number in range(100_000)]),
    "floats": (["FLOAT64"], [number / 2 for number in range(100_000)]),
    "booleans": (["BOOL"], [number % 3 == 0 for number in range(100_000)]),
}


@on_both
@pytest.mark.parametrize("which", LARGE)
def test_large_values_are_cut_and_join_again(session, which):
    kind, value = LARGE[which]
    if isinstance(kind, list):
        kind = {"code": "ARRAY", "array_element_type": {"code": kind[0]}}
    replies = session.stream_sql(
        "SELECT 1, @value, NULL", params=params(value=value), param_types={"value": kind}
    )
    assert all(reply.ByteSize() < 3 * MEBIBYTE for reply in replies)
    assert merged(replies) == ["1", value, None]


@on_both
def test_chunked_values_are_marked(session):
    kind, value = LARGE["text"]
    replies = session.stream_sql(
        "SELECT @value", params=params(value=value), param_types={"value": kind}
    )
    assert [reply.chunked_value for reply in replies[:-1]] == [True] * (len(replies) - 1)
    assert not replies[-1].chunked_value
    assert len(replies) > 3


def test_arrays_of_structs_are_cut_and_join_again(session):
    structs = "ARRAY(SELECT AS STRUCT n, REPEAT('s', 400000) FROM UNNEST([{}, {}]) AS n)"
    replies = session.stream_sql(f"SELECT {structs.format(1, 2)}, {structs.format(3, 4)}")
    assert len(replies) > 1
    assert merged(replies) == [
        [[str(number), "s" * 400_000] for number in numbers] for numbers in ((1, 2), (3, 4))
    ]


@on_both
def test_a_large_cell_of_a_table_joins_again(session):
    session.commit(None, insert("Users", "Id Note", (1, "é" * 1_300_000), (2, "x")))
    values = merged(session.stream_read("Users", "Id Note"))
    assert values == ["1", "é" * 1_300_000, "2", "x"]


def test_a_row_is_limited_to_a_hundred_mebibytes(session, monkeypatch):
    monkeypatch.setattr(chunks, "ROW_BYTES_MAX", 3_000_000)
    with refused(FP):
        session.stream_sql(f"SELECT {cells(4, 1_000_000)} UNION ALL SELECT {cells(4, 0)}")
    assert sum(map(len, merged(session.stream_sql(f"SELECT {cells(2, 1_000_000)}")))) == 2_000_000


def cells(count, length):
    """Return a select list of that many strings, each of that length."""
    return ", ".join([f"REPEAT('x', {length})"] * count)


# ------------------------------------------------------------------ resuming


def resumed(session, replies, **fields):
    """Return what is left of a read after each token, with the replies up to it."""

    def again(token):
        return session.stream_read("Users", "Id Note", resume_token=token, **fields)

    return rejoined(replies, again)


def rejoined(replies, again):
    """Return what `again` gives for each token, after the replies up to it."""
    return [
        merged([*replies[: place + 1], *again(reply.resume_token)])
        for place, reply in enumerate(replies)
        if reply.resume_token
    ]


def test_a_read_can_be_resumed(large):
    replies = large.stream_read("Users", "Id Note")
    whole = merged(replies)
    joined = resumed(large, replies)
    assert len(joined) > 2
    assert all(one == whole for one in joined)


@pytest.mark.parametrize("selector", ["single use", "begin", "id"])
def test_a_resumed_stream_reads_at_the_same_timestamp(large, selector):
    chosen = {"single use": {"single_use": RO}, "begin": {"begin": RO}}.get(selector)
    chosen = chosen or large.begin(RO).id
    replies = large.stream_read("Users", "Id Note", transaction=chosen)
    whole = merged(replies)
    large.commit(None, insert("Users", "Id", (-5,), (50,)))
    assert all(one == whole for one in resumed(large, replies, transaction=chosen))


def test_a_token_of_another_request(large):
    token = large.stream_read("Users", "Id Note")[0].resume_token
    assert token
    with refused(IA):
        large.stream_read("Users", "Note Id", resume_token=token)
    with refused(IA):
        large.stream_read("Users", "Id Note", resume_token=b"nonsense")


def test_streams_that_cannot_be_repeated_have_no_resume_tokens(large):
    replies = large.stream_read("Users", "Id Note", transaction={"begin": RW})
    assert len(replies) > 1
    assert not any(reply.resume_token for reply in replies)
    replies = large.stream_sql("SELECT Id, Note FROM Users", {"begin": RW})
    assert not any(reply.resume_token for reply in replies)


QUERIES = [
    "SELECT Id, Note FROM Users",
    "SELECT Id, Note FROM Users WHERE Id > 3 ORDER BY Note DESC",
    "SELECT u.Id, v.Note FROM Users AS u JOIN Users AS v ON u.Id = v.Id",
    "SELECT SUBSTR(Note, 1, 1), STRING_AGG(Note) FROM Users GROUP BY 1",
    "SELECT x, REPEAT('y', 300000) FROM UNNEST(GENERATE_ARRAY(1, 30)) AS x",
]


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("selector", ["none", "single use", "begin", "id"])
def test_a_query_can_be_resumed(large, sql, selector):
    chosen = {"none": None, "single use": {"single_use": RO}, "begin": {"begin": RO}}
    transaction = chosen[selector] if selector in chosen else large.begin(RO).id
    replies = large.stream_sql(sql, transaction)
    whole = merged(replies)
    large.commit(None, insert("Users", "Id Note", (-5, "9"), (50, "0")))

    def again(token):
        return large.stream_sql(sql, transaction, resume_token=token)

    joined = rejoined(replies, again)
    assert len(joined) > 2
    assert all(one == whole for one in joined)


def test_a_token_of_another_query(large):
    token = large.stream_sql(QUERIES[0])[0].resume_token
    assert token
    for sql, found in ((QUERIES[1], token), (QUERIES[0], b"nonsense")):
        with refused(IA):
            large.stream_sql(sql, resume_token=found)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT Note, CURRENT_TIMESTAMP() FROM Users",
        "SELECT Note, GENERATE_UUID() FROM Users",
        "SELECT Note FROM Users TABLESAMPLE RESERVOIR (20 ROWS)",
    ],
)
def test_queries_that_cannot_be_repeated_have_no_resume_tokens(large, sql):
    replies = large.stream_sql(sql)
    assert len(replies) > 1
    assert not any(reply.resume_token for reply in replies)


def test_the_last_message_is_marked(large):
    replies = large.stream_read("Users", "Id Note")
    if "last" not in replies[0].DESCRIPTOR.fields_by_name:
        pytest.skip("this release of the client library does not know the field")
    assert [reply.last for reply in replies] == [False] * (len(replies) - 1) + [True]


@on_both
def test_dml_is_answered_in_one_message(session):
    begun = session.begin().id
    replies = session.stream_sql("INSERT INTO Users (Id) VALUES (1)", begun, seqno=1)
    assert len(replies) == 1
