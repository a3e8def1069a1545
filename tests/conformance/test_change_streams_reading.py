"""Queries of change streams: their form, their arguments, and rows that appear over time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1.services.spanner import SpannerClient
from google.cloud.spanner_v1.services.spanner.transports import SpannerGrpcTransport

import spanemu
from spanemu.base.clock import NANOS_PER_MINUTE, NANOS_PER_SECOND, monotonic
from spanemu.values.timestamp import format_utc, parse_utc
from tests.conformance.change_streams import Record, Stream, records_in
from tests.conformance.raw import (
    IA,
    NF,
    OOR,
    PD,
    RW,
    SCHEMA,
    UNIMPLEMENTED,
    Raw,
    insert,
    params,
    read_only,
    refused,
)

AB = exceptions.Aborted
RE = exceptions.ResourceExhausted
CHANGES = "CREATE CHANGE STREAM Changes FOR Pairs"
SECONDS = 60.0  # against waiting for ever
NOW = "TIMESTAMP '2024-01-01T00:00:00Z'"


@pytest.fixture
def stream(raw: Raw) -> Stream:
    raw.ddl(CHANGES)
    return Stream(raw, "Changes")


def write(stream: Stream, *keys: int) -> str:
    """Commit rows of the watched table; return the commit timestamp."""
    reply = stream.session.commit(None, insert("Pairs", "A B C", *[(key, 0, key) for key in keys]))
    stamp = reply.commit_timestamp
    return format_utc(stamp.seconds * NANOS_PER_SECOND + stamp.nanos)


def kinds(records: list[Record]) -> list[str]:
    return [record.kind for record in records]


class Reading:
    """A query that waits for records, read on a thread of its own."""

    def __init__(self, replies: Any) -> None:
        self._replies = replies
        self._changed = threading.Condition()
        self.got: list[Record] = []
        self.began = False
        self.failure: Exception | None = None
        self.ended = False
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        self._wait(lambda: self.began)

    def _read(self) -> None:
        try:
            for reply in self._replies:
                with self._changed:
                    self.began = True
                    self.got += records_in([reply])
                    self._changed.notify_all()
        except Exception as failure:
            self.failure = failure
        with self._changed:
            self.ended = self.began = True
            self._changed.notify_all()

    def wait(self, count: int) -> list[Record]:
        """Wait for that many records."""
        self._wait(lambda: len(self.got) >= count or self.ended)
        return self.got

    def end(self) -> Exception | None:
        """Wait for the end; return its failure."""
        self._wait(lambda: self.ended)
        return self.failure

    def _wait(self, seen: Any) -> None:
        with self._changed:
            assert self._changed.wait_for(seen, SECONDS), "it did not happen in time"

    def cancel(self) -> None:
        self._replies.cancel()


@pytest.fixture
def follow(stream: Stream) -> Iterator[Any]:
    """Follow partitions of a stream until the test ends."""
    readings: list[Reading] = []

    def start(*arguments: Any, **fields: Any) -> Reading:
        readings.append(Reading(stream.query(*arguments, **fields)))
        return readings[-1]

    yield start
    for reading in readings:
        reading.cancel()


# ------------------------------------------------------------------ the protocol


def test_the_initial_query_names_the_partitions_and_ends(stream: Stream) -> None:
    now = stream.now()
    for end in (None, now):
        (record,) = stream.read(now, end)
        assert (record.kind, record.timestamp) == ("children", now)
        assert record.content[2] == [[record.tokens[0], []]]


def test_a_window_of_the_past_ends_at_once_and_includes_its_end(stream: Stream) -> None:
    start = stream.now()
    first, second, third = write(stream, 1), write(stream, 2, 3), write(stream, 4)
    (token,) = stream.tokens(start)
    records = stream.read(first, second, token)
    assert [(record.timestamp, len(record.keys)) for record in records] == [(first, 1), (second, 2)]
    assert [record.timestamp for record in stream.read(third, third, token)] == [third]


def test_a_window_without_records_ends_with_a_heartbeat(stream: Stream) -> None:
    start, end = stream.now(), stream.now()
    (token,) = stream.tokens(start)
    (record,) = stream.read(start, end, token)
    assert (record.kind, record.timestamp) == ("heartbeat", end)


def test_a_partition_ends_with_its_children(stream: Stream) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    before = write(stream, 1)
    children = stream.database.change_streams.split("Changes")
    after = write(stream, 2)
    data, born = stream.read(start, None, token)
    assert (data.timestamp, born.kind) == (before, "children")
    assert born.content[2] == [[child.token, [token]] for child in children]
    assert before < born.timestamp < after
    both = [stream.read(born.timestamp, after, child) for child in born.tokens]
    assert sorted(record.timestamp for records in both for record in records) == [after, after]
    assert sorted(kinds(both[0]) + kinds(both[1])) == ["data", "heartbeat"]
    merged = stream.database.change_streams.merge("Changes")
    for child in born.tokens:
        *_, last = stream.read(born.timestamp, None, child)
        assert last.content[2] == [[merged[0].token, born.tokens]]


def test_a_window_before_a_split_does_not_name_the_children(stream: Stream) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    end = write(stream, 1)
    stream.database.change_streams.churn("Changes")
    assert kinds(stream.read(start, end, token)) == ["data"]


def test_records_go_to_the_partition_of_their_key(stream: Stream) -> None:
    stream.raw.home.split_at("Pairs", (10, 0))
    start = stream.now()
    low, high = stream.tokens(start)
    end = write(stream, 1, 20, 5)
    result = [record for token in (low, high) for record in stream.read(start, end, token)]
    assert [[key["A"] for key in record.keys] for record in result] == [["1", "5"], ["20"]]
    assert [record.content[10] for record in result] == ["2", "2"]


# ------------------------------------------------------------------ waiting


def test_a_waiting_query_returns_records_as_they_are_committed(stream: Stream, follow: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    reading = follow(start, None, token)
    first = write(stream, 1)
    assert reading.wait(1)[0].timestamp == first
    second = write(stream, 2)
    assert reading.wait(2)[1].timestamp == second
    stream.database.change_streams.churn("Changes")
    assert reading.end() is None
    assert kinds(reading.got) == ["data", "data", "children"]


def test_a_dropped_stream_ends_its_queries(stream: Stream, follow: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    reading = follow(start, None, token)
    stream.raw.ddl("DROP CHANGE STREAM Changes", CHANGES)
    assert isinstance(reading.end(), NF)


def test_a_dropped_database_ends_its_queries(stream: Stream, follow: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    reading = follow(start, None, token)
    stream.database.close()
    assert isinstance(reading.end(), NF)


def test_a_restored_database_ends_its_queries(stream: Stream, follow: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    snapshot = stream.database.snapshot()
    reading = follow(start, None, token)
    write(stream, 1)
    reading.wait(1)
    stream.database.restore(snapshot)
    assert isinstance(reading.end(), AB)
    again = follow(start, None, token)
    write(stream, 2)
    assert [record.keys[0]["A"] for record in again.wait(1)] == ["2"]


def test_a_deleted_session_ends_its_queries(stream: Stream, follow: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    reading = follow(start, None, token)
    stream.session.delete()
    assert isinstance(reading.end(), NF)


def test_cancelling_and_the_deadline_end_a_query(stream: Stream, follow: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    reading = follow(start, None, token)
    reading.cancel()
    assert isinstance(reading.end(), exceptions.Cancelled)
    late = follow(start, None, token, timeout=0.05)
    assert isinstance(late.end(), exceptions.DeadlineExceeded)
    end = monotonic() + SECONDS
    while len(stream.database._core.readers):  # The server may notice after the client.
        assert monotonic() < end, "a reader stays"
        threading.Event().wait(0.002)


def test_a_partition_has_at_most_twenty_readers(stream: Stream, follow: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    readings = [follow(start, None, token) for _ in range(20)]
    with refused(RE, match="20"):
        stream.read(start, None, token)
    write(stream, 1)
    for reading in readings:
        reading.wait(1)
    readings[0].cancel()
    readings[0].end()
    follow(start, None, token).wait(1)


# ------------------------------------------------------------------ time


@pytest.fixture
def frozen(stream: Stream) -> Iterator[Any]:
    clock = stream.raw.home._emulator.clock
    clock.freeze()
    yield clock
    clock.thaw()


def test_advancing_the_clock_sends_heartbeats(stream: Stream, follow: Any, frozen: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    reading = follow(start, None, token, 1_000)
    frozen.advance(seconds=1)
    (first,) = reading.wait(1)
    written = write(stream, 1)
    assert reading.wait(2)[1].timestamp == written
    frozen.advance(seconds=2)
    *_, last = reading.wait(3)
    assert kinds(reading.got) == ["heartbeat", "data", "heartbeat"]
    times = (start, first.timestamp, written, last.timestamp)
    assert list(times) == sorted(times, key=parse_utc)


def test_a_window_ends_when_the_clock_reaches_its_end(
    stream: Stream, follow: Any, frozen: Any
) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    end = format_utc(stream.raw.clock.peek() + NANOS_PER_MINUTE)
    reading = follow(start, end, token)
    written = write(stream, 1)
    reading.wait(1)
    assert not reading.ended
    frozen.advance(seconds=61)
    assert reading.end() is None
    assert [record.timestamp for record in reading.got] == [written]


def test_a_query_may_begin_in_the_future(stream: Stream, follow: Any, frozen: Any) -> None:
    now = stream.raw.clock.peek()
    (token,) = stream.tokens(stream.now())
    start = format_utc(now + 9 * NANOS_PER_MINUTE)
    initial, partition = follow(start), follow(start, None, token)
    write(stream, 1)
    frozen.advance(minutes=9, seconds=1)
    assert initial.end() is None
    assert [record.timestamp for record in initial.got] == [start]
    written = write(stream, 2)
    assert [record.timestamp for record in partition.wait(1)] == [written]
    with refused(OOR, match="too far in the future"):
        stream.read(format_utc(stream.raw.clock.peek() + 11 * NANOS_PER_MINUTE))


def test_setting_the_clock_back_ends_queries() -> None:
    with spanemu.Emulator(start_time="2026-01-01T00:00Z") as emulator:
        emulator.clock.freeze("2026-01-02T00:00Z")
        database = emulator.create_database("changes", schema=[*SCHEMA, CHANGES])
        api = SpannerClient(
            transport=SpannerGrpcTransport(channel=grpc.insecure_channel(emulator.uri))
        )
        stream = Stream(Raw(api, None, database.name, database), "Changes")
        emulator.clock.advance(days=1)
        start = stream.now()
        (token,) = stream.tokens(start)
        reading = Reading(stream.query(start, None, token))
        emulator.clock.freeze("2026-01-02T12:00Z")
        assert isinstance(reading.end(), AB)


def test_records_expire(stream: Stream, frozen: Any) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    stream.database.change_streams.churn("Changes")
    frozen.advance(days=6, hours=23)
    assert kinds(stream.read(start, stream.now(), token)) == ["children"]
    frozen.advance(hours=1, minutes=1)
    with refused(OOR, match="too far in the past"):
        stream.read(start, None, token)
    with refused(OOR, match="no longer valid"):
        stream.read(stream.now(), None, token)


# ------------------------------------------------------------------ resumption


def test_a_broken_query_continues_after_its_last_record(stream: Stream) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    write(stream, 1)
    first = stream.query(start, None, token)
    reply = next(first)
    first.cancel()
    end = write(stream, 2)
    assert [record.keys[0]["A"] for record in records_in([reply])] == ["1"]
    resumed = stream.query(start, None, token, resume_token=reply.resume_token)
    assert [record.timestamp for record in records_in([next(resumed)])] == [end]
    resumed.cancel()


def test_every_message_has_a_resume_token(stream: Stream) -> None:
    start = stream.now()
    (token,) = stream.tokens(start)
    end = write(stream, 1)
    for reply in stream.query(start, end, token):
        assert reply.resume_token or reply.last
    with refused(IA, match="resume token"):
        stream.read(start, end, token, resume_token=b"\x03nonsense")


# ------------------------------------------------------------------ the form of a query


def test_names_of_functions_and_parameters_ignore_case(stream: Stream) -> None:
    now = stream.now()
    sql = "select * from read_CHANGES(@start, @end, @token, HEARTBEAT_milliseconds => @heartbeat)"
    assert kinds(stream.read(now, sql=sql)) == ["children"]
    options = "SELECT changerecord FROM READ_Changes(@start, @end, @token, @heartbeat, NULL)"
    assert kinds(stream.read(now, sql=options)) == ["children"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ChangeRecord FROM {call} WHERE TRUE",
        "SELECT ChangeRecord FROM {call} ORDER BY 1",
        "SELECT ChangeRecord FROM {call} LIMIT 1",
        "SELECT ChangeRecord AS c FROM {call}",
        "SELECT ChangeRecord FROM {call} AS c",
        "SELECT DISTINCT * FROM {call}",
        "SELECT 1 FROM {call}",
        "SELECT c.* FROM {call} AS c",
        "SELECT ChangeRecord FROM {call}, Pairs",
        "SELECT ChangeRecord FROM (SELECT * FROM {call})",
        "SELECT * FROM {call} UNION ALL SELECT * FROM {call}",
        "WITH c AS (SELECT 1) SELECT ChangeRecord FROM {call}",
        "FROM {call} |> SELECT ChangeRecord",
        "INSERT INTO Pairs (A, B) SELECT 1, 2 FROM {call}",
    ],
)
def test_the_query_may_contain_only_the_call(stream: Stream, sql: str) -> None:
    call = f"READ_Changes({NOW}, {NOW}, NULL, 10000)"
    with refused(UNIMPLEMENTED, match="must not be combined"):
        stream.read(None, sql=sql.format(call=call), transaction=None)


def test_views_do_not_read_streams(stream: Stream) -> None:
    with refused(IA, match="must not be combined"):
        stream.raw.ddl(
            "CREATE VIEW V SQL SECURITY INVOKER AS "
            f"SELECT r.ChangeRecord FROM READ_Changes({NOW}, {NOW}, NULL, 10000) AS r"
        )


@pytest.mark.parametrize(
    "arguments",
    [
        "CURRENT_TIMESTAMP(), NULL, NULL, 10000",
        f"{NOW}, NULL, NULL, 5000 + 5000",
        f"{NOW}, NULL, CONCAT('a', 'b'), 10000",
        f"{NOW}, NULL, NULL, '10000'",
    ],
)
def test_arguments_are_literals_or_parameters(stream: Stream, arguments: str) -> None:
    sql = f"SELECT ChangeRecord FROM READ_Changes({arguments})"
    with refused(IA, match="not a literal or parameter"):
        stream.read(None, sql=sql)


@pytest.mark.parametrize(
    "arguments",
    ["", f"{NOW}, NULL, NULL", f"{NOW}, NULL, NULL, 1000, NULL, 6", f"{NOW}, begin => NULL"],
)
def test_wrong_parameters(stream: Stream, arguments: str) -> None:
    with refused(IA, match="No matching signature"):
        stream.read(None, sql=f"SELECT ChangeRecord FROM READ_Changes({arguments})")


def test_an_unknown_stream(stream: Stream) -> None:
    with refused(IA, match="Table-valued function not found: READ_Nothing"):
        stream.read(stream.now(), sql=f"SELECT * FROM READ_Nothing({NOW}, NULL, NULL, 10000)")


@pytest.mark.parametrize(
    ("transaction", "words"),
    [
        ({"begin": RW}, "single use"),
        ({"begin": {"read_only": {"strong": True}}}, "multi use"),
        ({"single_use": {"read_only": {"exact_staleness": {"seconds": 1}}}}, "strong reads"),
    ],
)
def test_the_function_requires_a_strong_single_use_read(
    stream: Stream, transaction: Any, words: str
) -> None:
    with refused(IA, match=words) as caught:
        stream.read(stream.now(), transaction=transaction)
    assert "ExecuteStreamingSql API" in str(caught.value)


def test_other_requests_refuse_change_stream_queries(stream: Stream) -> None:
    bad = "SELECT ChangeRecord FROM READ_Changes(NULL, NULL, NULL, 1 + 1)"
    with refused(IA, match="not supported for the ExecuteSql API"):
        stream.session.sql(bad)
    transaction = stream.session.begin(read_only(strong=True)).id
    with refused(IA, match="single use transactions using the ExecuteStreamingSql API"):
        stream.session.partition_query(bad, transaction)
    reply = stream.session.batch(stream.session.begin().id, bad)
    assert reply.status.code == 3


def test_plan_mode_returns_the_row_type_without_reading(stream: Stream) -> None:
    (reply,) = stream.query(None, None, None, None, query_mode="PLAN")
    (field,) = reply.metadata.row_type.fields
    assert field.name == "ChangeRecord"
    names = [each.name for each in field.type_.array_element_type.struct_type.fields]
    assert names == ["data_change_record", "heartbeat_record", "child_partitions_record"]


def test_the_read_timestamp_is_a_marker(stream: Stream) -> None:
    options = {"single_use": read_only(strong=True, return_read_timestamp=True)}
    first, *_ = stream.query(stream.now(), transaction=options)
    stamp = first.metadata.transaction.read_timestamp
    assert stamp.seconds * NANOS_PER_SECOND + stamp.nanos == 2**63 - 2


# ------------------------------------------------------------------ arguments


def test_arguments_are_checked_in_order(stream: Stream) -> None:
    now, earlier = stream.now(), "2024-01-01T00:00:00Z"
    cases = [
        ((None, earlier, "x", None), IA, "start_timestamp must not be null"),
        ((earlier, "2023-01-01T00:00:00Z", "x", None), OOR, "too far in the past"),
        (("2124-01-01T00:00:00Z", earlier, "x", None), OOR, "too far in the future"),
        ((now, earlier, "x", None), IA, "start_timestamp must be <= end_timestamp"),
        ((now, None, "x", None), IA, "heartbeat_milliseconds must not be null"),
        ((now, None, "x", 99), OOR, "min 100 and max 300000"),
        ((now, None, "x", 300_001), OOR, "min 100 and max 300000"),
        ((now, None, "x", 100), IA, "partition_token is invalid"),
    ]
    for arguments, kind, words in cases:
        with refused(kind, match=words):
            stream.read(*arguments)
    options = "SELECT * FROM READ_Changes(@start, @end, @token, @heartbeat, @options)"
    values = params(start=now, end=None, token="x", heartbeat=1_000, options=["x"])
    with refused(UNIMPLEMENTED, match="read_options must be null"):
        stream.read(now, sql=options, params=values)


@pytest.mark.parametrize("limited", [{"heartbeat_millis_min": 1_000}], indirect=True)
def test_heartbeats_below_a_second_are_refused_by_a_strict_emulator(limited: Raw) -> None:
    limited.ddl(CHANGES)
    stream = Stream(limited, "Changes")
    with refused(OOR, match="min 1000 and max 300000"):
        stream.read(stream.now(), None, "x", 999)
    with refused(IA, match="partition_token is invalid"):
        stream.read(stream.now(), None, "x", 1_000)


def test_a_heartbeat_of_100_milliseconds_is_sent(stream: Stream, follow: Any) -> None:
    (token,) = stream.tokens(stream.now())
    assert kinds(follow(stream.now(), None, token, 100).wait(2)) == ["heartbeat", "heartbeat"]


@pytest.mark.parametrize(("dialect", "clause"), [("googlesql", "OPTIONS"), ("postgresql", "WITH")])
def test_records_are_kept_for_at_most_30_days(dialect: str, clause: str) -> None:
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("shop", dialect=dialect)
        for period in ("1d", "7d", "720h", "30d"):
            database.apply_schema(
                f"CREATE CHANGE STREAM s {clause} (retention_period = '{period}')"
            )
            assert f"'{period}'" in database.ddl()[-1]
            database.apply_schema("DROP CHANGE STREAM s")
        for period in ("23h", "31d", "721h"):
            statement = f"CREATE CHANGE STREAM s {clause} (retention_period = '{period}')"
            with pytest.raises(spanemu.SchemaRejected, match="from '1d' to '30d'"):
                database.apply_schema(statement)


def test_a_start_before_the_stream(raw: Raw) -> None:
    before = format_utc(raw.clock.now())
    raw.ddl(CHANGES)
    with refused(OOR, match="too far in the past"):
        Stream(raw, "Changes").read(before)


def test_a_start_outside_the_life_of_a_partition(stream: Stream) -> None:
    start = stream.now()
    (old,) = stream.tokens(start)
    (child,) = stream.database.change_streams.churn("Changes")
    for token in (old, child.token):
        at = stream.now() if token == old else start
        with refused(OOR, match="invalid for the partition"):
            stream.read(at, None, token)


def test_a_token_of_another_stream(stream: Stream) -> None:
    stream.raw.ddl("CREATE CHANGE STREAM Others FOR ALL")
    (token,) = Stream(stream.raw, "Others").tokens(stream.now())[:1]
    with refused(IA, match="does not belong to the Change Stream"):
        stream.read(stream.now(), None, token)


def test_a_missing_or_mistyped_parameter(stream: Stream) -> None:
    sql = "SELECT * FROM READ_Changes(@start, @end, @absent, @heartbeat)"
    with refused(IA, match="absent"):
        stream.read(stream.now(), sql=sql)
    with refused(IA, match="not a literal or parameter"):
        stream.read(stream.now(), param_types={"start": {"code": "STRING"}})


# ------------------------------------------------------------------ roles


def test_a_role_needs_the_stream_and_its_function(stream: Stream) -> None:
    stream.raw.ddl("CREATE ROLE reader")
    start = stream.now()
    grants = (
        "GRANT SELECT ON CHANGE STREAM Changes TO ROLE reader",
        "GRANT EXECUTE ON TABLE FUNCTION READ_Changes TO ROLE reader",
    )
    mine = Stream(stream.raw, "Changes", stream.raw.session(creator_role="reader"))
    for grant in grants:
        with refused(PD):
            mine.read(start)
        stream.raw.ddl(grant)
    assert kinds(mine.read(start)) == ["children"]
    stream.raw.ddl("REVOKE SELECT ON CHANGE STREAM Changes FROM ROLE reader")
    with refused(PD):
        mine.read(start)
