"""Change streams in both dialects and partition modes, read with the official client."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from google.api_core import exceptions
from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.cloud.spanner_v1 import (
    ExecuteSqlRequest,
    KeySet,
    TypeAnnotationCode,
    TypeCode,
    param_types,
)
from google.cloud.spanner_v1.types import ChangeStreamRecord
from google.protobuf.json_format import MessageToDict

import spanemu

GOOGLESQL = """
CREATE TABLE Songs (Id INT64, Title STRING(MAX), Tags ARRAY<STRING(MAX)>) PRIMARY KEY (Id);
CREATE CHANGE STREAM Changes FOR ALL OPTIONS (partition_mode = '{}');
"""
POSTGRESQL = """
CREATE TABLE songs (id bigint PRIMARY KEY, title text, tags text[]);
CREATE CHANGE STREAM changes FOR ALL WITH (partition_mode = '{}');
"""
IMMUTABLE, MUTABLE = "IMMUTABLE_KEY_RANGE", "MUTABLE_KEY_RANGE"
IA = exceptions.InvalidArgument
NF = exceptions.NotFound
OOR = exceptions.OutOfRange
PD = exceptions.PermissionDenied
UNIMPLEMENTED = exceptions.MethodNotImplemented
SECONDS = 60.0
_keys = count(1)

refused = pytest.raises


@dataclass
class Format:
    """A database with the change stream `changes`, and its records as JSON-like objects."""

    handle: Any
    is_postgresql: bool
    is_mutable: bool

    def __post_init__(self) -> None:
        self.client = self.handle.client()

    @property
    def function(self) -> str:
        """The function that reads the stream."""
        if not self.is_postgresql:
            return "READ_Changes"
        kind = "read_proto_bytes" if self.is_mutable else "read_json"
        return f'spanner."{kind}_changes"'

    def now(self) -> Any:
        """Return a time after every commit."""
        return self.insert()[1]

    def insert(self, **cells: Any) -> tuple[int, Any]:
        """Commit a new row; return its key and the commit timestamp."""
        key = next(_keys)
        with self.client.batch() as batch:
            batch.insert("songs", ["id", *cells], [[key, *cells.values()]])
        return key, batch.committed

    def rows(self, start: Any, end: Any, token: Any, heartbeat: Any = 1_000) -> Sequence[Any]:
        """Return the single cells of a query's rows."""
        names = ("$1", "$2", "$3", "$4") if self.is_postgresql else ("@p1", "@p2", "@p3", "@p4")
        arguments = ", ".join((*names, "NULL") if self.is_postgresql else names)
        types = (
            param_types.TIMESTAMP,
            param_types.TIMESTAMP,
            param_types.STRING,
            param_types.INT64,
        )
        given = dict(zip(("p1", "p2", "p3", "p4"), (start, end, token, heartbeat), strict=True))
        return self.run(
            f"SELECT * FROM {self.function}({arguments})",
            given,
            dict(zip(given, types, strict=True)),
        )

    def run(self, sql: str, *parameters: Any) -> Sequence[Any]:
        """Return the single cells of the rows of a query."""
        with self.client.snapshot() as snapshot:
            return [cell for (cell,) in snapshot.execute_sql(sql, *parameters, timeout=SECONDS)]

    def records(self, start: Any, end: Any, token: Any = None) -> list[tuple[str, Any]]:
        """Return the kind and the content of each record."""
        return list(map(self._record, self.rows(start, end, token)))

    def _record(self, cell: Any) -> tuple[str, Any]:
        if self.is_mutable:
            data = b64decode(cell) if self.is_postgresql else cell  # BYTES, or a message
            message = ChangeStreamRecord.pb(ChangeStreamRecord.deserialize(data))
            document = MessageToDict(message, preserving_proto_field_name=True)
        elif self.is_postgresql:
            document = json.loads(cell) if isinstance(cell, str) else dict(cell)
        else:
            kinds = ("data_change_record", "heartbeat_record", "child_partitions_record")
            document = {kind: each[0] for kind, each in zip(kinds, cell[0], strict=True) if each}
        ((kind, content),) = document.items()
        return kind.removesuffix("_record"), content

    def tokens(self, at: Any) -> list[str]:
        """Return the tokens of the partitions at a time."""
        end = at + timedelta(minutes=1) if self.is_mutable else None
        result: list[str] = []
        for kind, content in self.records(at, end):
            if kind == "partition_start":
                result += content["partition_tokens"]
            elif self.is_postgresql:
                result += [each["token"] for each in content["child_partitions"]]
            else:
                result += [token for token, _ in content[2]]
        return result


@pytest.fixture(scope="module")
def emulator() -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator() as running:
        yield running


CASES = [("googlesql", MUTABLE), ("postgresql", IMMUTABLE), ("postgresql", MUTABLE)]
_made: dict[Any, Format] = {}


def made(emulator: spanemu.Emulator, dialect: str, mode: str) -> Format:
    """Return the database of a dialect and a mode, which all tests share."""
    key = emulator, dialect, mode
    if key not in _made:
        schema = POSTGRESQL if dialect == "postgresql" else GOOGLESQL
        name = f"{dialect}-{mode[0].lower()}"
        handle = emulator.create_database(name, schema.format(mode), dialect=dialect)
        _made[key] = Format(handle, dialect == "postgresql", mode == MUTABLE)
    return _made[key]


@pytest.fixture(params=CASES, ids="-".join)
def any_format(emulator: spanemu.Emulator, request: pytest.FixtureRequest) -> Format:
    return made(emulator, *request.param)


@pytest.fixture(params=["googlesql", "postgresql"])
def mutable(emulator: spanemu.Emulator, request: pytest.FixtureRequest) -> Format:
    return made(emulator, request.param, MUTABLE)


@pytest.fixture
def postgresql(emulator: spanemu.Emulator) -> Format:
    return made(emulator, "postgresql", IMMUTABLE)


# ------------------------------------------------------------------ all formats


def changed(format_: Format, record: Mapping[str, Any]) -> list[tuple[Any, Any, Any]]:
    """Return the keys, the new and the old values of each changed row, by column."""
    mods = record["mods"]
    if not format_.is_mutable:
        return [(mod["keys"], mod["new_values"], mod["old_values"]) for mod in mods]
    names = [column["name"] for column in record["column_metadata"]]

    def values(mod: Any, field: str) -> Mapping[str, Any]:
        listed = mod.get(field, ())
        return {names[each.get("column_metadata_index", 0)]: each["value"] for each in listed}

    return [tuple(values(mod, f) for f in ("keys", "new_values", "old_values")) for mod in mods]


def test_each_kind_of_change(any_format: Format) -> None:
    format_ = any_format
    fold = str.lower if format_.is_postgresql else str.capitalize
    id_, title, tags = map(fold, ("id", "title", "tags"))
    key, start = format_.insert(title="a", tags=["x", None])
    with format_.client.batch() as batch:
        batch.update("songs", ["id", "title"], [[key, None]])
    with format_.client.batch() as batch:
        batch.delete("songs", KeySet(keys=[[key]]))
    (token,) = format_.tokens(start)
    records = format_.records(start, batch.committed, token)
    assert [kind for kind, _ in records] == ["data_change"] * 3
    assert [record["mod_type"] for _, record in records] == ["INSERT", "UPDATE", "DELETE"]
    assert [changed(format_, record) for _, record in records] == [
        [({id_: str(key)}, {title: "a", tags: ["x", None]}, {})],
        [({id_: str(key)}, {title: None}, {title: "a"})],
        [({id_: str(key)}, {}, {title: None, tags: ["x", None]})],
    ]


def test_a_window_without_records_has_a_heartbeat(any_format: Format) -> None:
    at = any_format.now() + timedelta(microseconds=1)
    (token,) = any_format.tokens(at)
    any_format.now()
    assert [kind for kind, _ in any_format.records(at, at, token)] == ["heartbeat"]


def test_the_function_of_the_other_mode_does_not_exist(any_format: Format) -> None:
    with refused((IA, NF, UNIMPLEMENTED)):
        if any_format.is_postgresql:
            other = "read_json" if any_format.is_mutable else "read_proto_bytes"
            any_format.run(f"SELECT * FROM spanner.{other}_changes(now(), NULL, NULL, 1000, NULL)")
        else:
            any_format.run("SELECT ChangeRecord FROM READ_Nothing(NULL, NULL, NULL, 1000)")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((None, None, None, 1_000), IA),
        (("2001-01-01T00:00:00Z", None, None, 1_000), OOR),
        (("2101-01-01T00:00:00Z", None, None, 1_000), OOR),
        (("now", "2001-01-01T00:00:00Z", None, 1_000), IA),
        (("now", "now", None, 99), OOR),
        (("now", "now", None, None), IA),
        (("now", "now", "unknown", 1_000), IA),
    ],
)
def test_invalid_arguments_are_refused(
    any_format: Format, arguments: Sequence[Any], error: Any
) -> None:
    now = any_format.now() if "now" in arguments else None
    with refused(error):
        any_format.rows(*(now if each == "now" else each for each in arguments))


# ------------------------------------------------------------------ mutable key ranges


def test_a_mutable_window_needs_an_end_within_half_an_hour(mutable: Format) -> None:
    at = mutable.now()
    with refused(IA, match="must not be null"):
        mutable.rows(at, None, None)
    with refused(OOR, match="30 minutes"):
        mutable.rows(at, at + timedelta(minutes=30, microseconds=1), None)
    assert mutable.rows(at, at + timedelta(minutes=30), None)


def test_a_mutable_partition_ends_with_its_moves(mutable: Format) -> None:
    start = mutable.now()
    (token,) = mutable.tokens(start)
    (child,) = [each.token for each in churned(mutable)]
    end = mutable.now()
    data, born, moved, ended = mutable.records(start, end, token)
    assert data[0] == "data_change"
    assert (born[0], born[1]["partition_tokens"]) == ("partition_start", [child])
    assert moved[1]["move_out_events"] == [{"destination_partition_token": child}]
    assert (ended[0], ended[1]["partition_token"]) == ("partition_end", token)
    times = {born[1]["start_timestamp"], moved[1]["commit_timestamp"], ended[1]["end_timestamp"]}
    assert len(times) == 1
    sequences = [each[1]["record_sequence"] for each in (born, moved, ended)]
    assert sequences == sorted(set(sequences))
    arrived, written = mutable.records(times.pop(), end, child)
    assert arrived[1]["move_in_events"] == [{"source_partition_token": token}]
    assert written[0] == "data_change"
    later = DatetimeWithNanoseconds.from_rfc3339(arrived[1]["commit_timestamp"])
    (written,) = mutable.records(later + timedelta(microseconds=1), end, child)
    assert written[0] == "data_change", "only a query from the very start has the move"


def churned(format_: Format) -> Sequence[Any]:
    children: Sequence[Any] = format_.handle._database().change_streams.churn("changes")
    return children


def test_consecutive_windows_of_a_mutable_partition_miss_no_record(mutable: Format) -> None:
    first, start = mutable.insert(title="one")
    (token,) = mutable.tokens(start)
    second, middle = mutable.insert(title="two")
    third, end = mutable.insert(title="three")
    result = []
    for window in ((start, middle), (middle + timedelta(microseconds=1), end)):
        result += [record for _, record in mutable.records(*window, token)]
    keys = [next(iter(changed(mutable, record)[0][0].values())) for record in result]
    assert keys == [str(first), str(second), str(third)]


def test_the_columns_of_a_mutable_record(mutable: Format) -> None:
    _, start = mutable.insert(title="a")
    (token,) = mutable.tokens(start)
    ((_, record),) = mutable.records(start, start, token)
    names = ["id", "title", "tags"]
    columns = record["column_metadata"]
    assert [column["name"].lower() for column in columns] == names
    assert [column.get("is_primary_key", False) for column in columns] == [True, False, False]
    assert [column["ordinal_position"] for column in columns] == ["1", "2", "3"]
    assert columns[2]["type_"]["array_element_type"]["code"] == "STRING"
    assert record["table"].lower() == "songs"
    assert record["value_capture_type"] == "OLD_AND_NEW_VALUES"


# ------------------------------------------------------------------ PostgreSQL


def test_the_result_column_is_named_after_the_function(postgresql: Format) -> None:
    for star in ("*", "read_json_changes"):
        sql = f"SELECT {star} FROM spanner.read_json_changes($1, NULL, NULL, 1000, NULL)"
        with postgresql.client.snapshot() as snapshot:
            rows = snapshot.execute_sql(
                sql, {"p1": postgresql.now()}, {"p1": param_types.TIMESTAMP}, timeout=SECONDS
            )
            assert len(list(rows)) == 1
            (field,) = rows.fields
        type_ = field.type_
        assert (field.name, type_.code) == ("read_json_changes", TypeCode.JSON)
        assert type_.type_annotation == TypeAnnotationCode.PG_JSONB


def test_the_partitions_of_a_postgresql_stream_split_and_merge(postgresql: Format) -> None:
    start = postgresql.now()
    (token,) = postgresql.tokens(start)
    streams = postgresql.handle._database().change_streams
    children = {each.token for each in streams.split("changes")}
    *_, (kind, content) = postgresql.records(start, None, token)
    assert kind == "child_partitions"
    assert {each["token"] for each in content["child_partitions"]} == children
    assert all(each["parent_partition_tokens"] == [token] for each in content["child_partitions"])
    (merged,) = streams.merge("changes")
    for child in children:
        *_, (_, last) = postgresql.records(
            DatetimeWithNanoseconds.from_rfc3339(content["start_timestamp"]), None, child
        )
        ((grandchild),) = last["child_partitions"]
        assert grandchild["token"] == merged.token
        assert set(grandchild["parent_partition_tokens"]) == children


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM {} WHERE true",
        "SELECT * FROM {} ORDER BY 1",
        "SELECT * FROM {} LIMIT 1",
        "SELECT count(*) FROM {}",
        "SELECT * FROM {} AS c",
        "SELECT read_json_changes AS c FROM {}",
        "SELECT * FROM {}, songs",
        "SELECT * FROM (SELECT * FROM {}) AS c",
        "SELECT * FROM {} UNION ALL SELECT * FROM {}",
        "WITH c AS (SELECT * FROM {}) SELECT * FROM c",
        "SELECT id FROM songs WHERE EXISTS (SELECT * FROM {})",
    ],
)
def test_the_query_may_contain_only_the_call(postgresql: Format, sql: str) -> None:
    call = "spanner.read_json_changes('2024-01-01T00:00:00Z', NULL, NULL, 1000, NULL)"
    with refused(UNIMPLEMENTED, match="must not be combined"):
        postgresql.run(sql.format(call, call))


@pytest.mark.parametrize(
    "arguments",
    ["now(), NULL, NULL, 1000, NULL", "'2024-01-01T00:00:00Z', NULL, NULL, 500 + 500, NULL"],
)
def test_arguments_are_literals_or_parameters(postgresql: Format, arguments: str) -> None:
    with refused(IA, match="not a literal or parameter"):
        postgresql.run(f"SELECT * FROM spanner.read_json_changes({arguments})")


def test_the_function_requires_a_streaming_single_use_read(postgresql: Format) -> None:
    sql = "SELECT * FROM spanner.read_json_changes('2024-01-01T00:00:00Z', NULL, NULL, 1000, NULL)"
    api = postgresql.client.spanner_api
    session = api.create_session(database=postgresql.client.name).name
    with refused(IA, match="ExecuteStreamingSql API"):
        api.execute_sql(ExecuteSqlRequest(session=session, sql=sql))
    with refused(IA, match="single use"):
        postgresql.client.run_in_transaction(lambda txn: list(txn.execute_sql(sql)))


def test_a_postgresql_role_needs_the_stream_and_its_function(postgresql: Format) -> None:
    postgresql.handle.apply_schema("CREATE ROLE reader")
    mine = Format(postgresql.handle, is_postgresql=True, is_mutable=False)
    mine.client = postgresql.handle.client(database_role="reader")
    at = postgresql.now()
    for grant in (
        "SELECT ON CHANGE STREAM changes",
        "EXECUTE ON FUNCTION spanner.read_json_changes",
    ):
        with refused(PD):
            mine.rows(at, at, None)
        postgresql.handle.apply_schema(f"GRANT {grant} TO reader")
    assert len(mine.rows(at, at, None)) == 1
