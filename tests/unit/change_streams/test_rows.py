"""Rows of the functions that read change streams: one column, one record a row."""

from __future__ import annotations

import json as standard_json
from typing import Any

import pytest
from google.cloud.spanner_v1.types import ChangeStreamRecord
from google.protobuf.json_format import MessageToDict

from spanemu.change_streams import mutable, pg_json, rows
from spanemu.change_streams.formats import format_of
from spanemu.change_streams.records import transaction_id
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL
from spanemu.values import json, pg_jsonb
from spanemu.values.types import BYTES, PG_JSONB
from spanemu.values.value import encoder
from spanemu.values.value_bytes import LISTED, cell_encoder
from tests.unit.change_streams.commits import Commit, schema_with_stream

ANN = {"id": 1, "name": "Ann", "age": 30, "city": None}
SECOND = 1_000_000_000

# As the documentation gives it.
CHANGE_RECORD = (
    "ARRAY<STRUCT<data_change_record ARRAY<STRUCT<commit_timestamp TIMESTAMP, "
    "record_sequence STRING, server_transaction_id STRING, "
    "is_last_record_in_transaction_in_partition BOOL, table_name STRING, "
    "column_types ARRAY<STRUCT<name STRING, type JSON, is_primary_key BOOL, "
    "ordinal_position INT64>>, mods ARRAY<STRUCT<keys JSON, new_values JSON, old_values JSON>>, "
    "mod_type STRING, value_capture_type STRING, number_of_records_in_transaction INT64, "
    "number_of_partitions_in_transaction INT64, transaction_tag STRING, "
    "is_system_transaction BOOL>>, heartbeat_record ARRAY<STRUCT<timestamp TIMESTAMP>>, "
    "child_partitions_record ARRAY<STRUCT<start_timestamp TIMESTAMP, record_sequence STRING, "
    "child_partitions ARRAY<STRUCT<token STRING, parent_partition_tokens ARRAY<STRING>>>>>>>"
)


def update(**marks: Any) -> Commit:
    """Return a commit of one updated row."""
    schema = schema_with_stream(GOOGLE_STANDARD_SQL)
    return Commit(schema).update("users", ANN, age=31).marked(timestamp=SECOND, serial=7, **marks)


DATA_CHANGE_RECORD = {
    "commit_timestamp": "1970-01-01T00:00:01Z",
    "record_sequence": "00000000",
    "server_transaction_id": transaction_id(7),
    "is_last_record_in_transaction_in_partition": True,
    "table_name": "users",
    "column_types": [
        {"name": "id", "type": {"code": "INT64"}, "is_primary_key": True, "ordinal_position": 1},
        {"name": "age", "type": {"code": "INT64"}, "is_primary_key": False, "ordinal_position": 3},
    ],
    "mods": [{"keys": {"id": "1"}, "new_values": {"age": "31"}, "old_values": {"age": "30"}}],
    "mod_type": "UPDATE",
    "value_capture_type": "OLD_AND_NEW_VALUES",
    "number_of_records_in_transaction": 1,
    "number_of_partitions_in_transaction": 1,
    "transaction_tag": "tag",
    "is_system_transaction": False,
}


def test_the_type_of_a_change_record() -> None:
    assert str(rows.CHANGE_RECORD) == CHANGE_RECORD


def wire(row: tuple[Any, ...]) -> Any:
    """Return the wire form of a row of a GoogleSQL database."""
    return encoder(rows.CHANGE_RECORD)(row[0])


def test_data_change_records_as_structs() -> None:
    (record,) = update(tag="tag").records()
    ((data, heartbeats, children),) = wire(rows.data_row(record))
    assert heartbeats == children == []
    (fields,) = data
    result = dict(zip(DATA_CHANGE_RECORD, fields, strict=True))
    result["column_types"] = [
        dict(zip(DATA_CHANGE_RECORD["column_types"][0], each, strict=True))
        for each in result["column_types"]
    ]
    for column in result["column_types"]:
        column["type"] = standard_json.loads(column["type"])
        column["ordinal_position"] = int(column["ordinal_position"])
    result["mods"] = [
        dict(zip(("keys", "new_values", "old_values"), map(standard_json.loads, mod), strict=True))
        for mod in result["mods"]
    ]
    for name in ("number_of_records_in_transaction", "number_of_partitions_in_transaction"):
        result[name] = int(result[name])
    assert result == DATA_CHANGE_RECORD


def test_structs_are_encoded_as_their_values_are() -> None:
    encode = cell_encoder(rows.CHANGE_RECORD, LISTED)
    commit = update(tag="t\u00e9" * 200, is_system=True).insert("users", id=2)
    for record in commit.delete("users", **ANN).records():
        assert encode(rows.data_row(record)[0]) == encode(rows.data_value(record))


def test_other_records_as_structs() -> None:
    assert wire(rows.heartbeat_row(SECOND)) == [[[], [["1970-01-01T00:00:01Z"]], []]]
    row = rows.new_partitions_row(SECOND, 3, [("new", ("old", "older")), ("first", ())])
    children = [["new", ["old", "older"]], ["first", []]]
    assert wire(row) == [[[], [], [["1970-01-01T00:00:01Z", "00000003", children]]]]


def test_records_as_jsonb() -> None:
    (record,) = update(tag="tag").records()
    named = {"token": "new", "parent_partition_tokens": ["old"]}
    children = {
        "start_timestamp": "1970-01-01T00:00:01Z",
        "record_sequence": "00000003",
        "child_partitions": [named],
    }
    for row, expected in (
        (pg_json.data_row(record), {"data_change_record": DATA_CHANGE_RECORD}),
        (
            pg_json.heartbeat_row(SECOND),
            {"heartbeat_record": {"timestamp": "1970-01-01T00:00:01Z"}},
        ),
        (
            pg_json.new_partitions_row(SECOND, 3, [("new", ("old",))]),
            {"child_partitions_record": children},
        ),
    ):
        text = encoder(PG_JSONB)(row[0])
        assert standard_json.loads(text) == expected
        assert pg_jsonb.parse(text).text == text, "the normal form"


def message(row: tuple[Any, ...]) -> dict[str, Any]:
    """Return a message of a stream with mutable key ranges as JSON."""
    record = ChangeStreamRecord.pb().FromString(row[0])
    assert record.SerializeToString() == row[0]
    return MessageToDict(record, preserving_proto_field_name=True)


def test_data_change_records_as_messages() -> None:
    (record,) = update(tag="tag").records()
    data = message(mutable.data_row(record))["data_change_record"]
    assert data == {
        "commit_timestamp": "1970-01-01T00:00:01Z",
        "record_sequence": "00000000",
        "server_transaction_id": transaction_id(7),
        "is_last_record_in_transaction_in_partition": True,
        "table": "users",
        "column_metadata": [
            {
                "name": "id",
                "type_": {"code": "INT64"},
                "is_primary_key": True,
                "ordinal_position": "1",
            },
            {"name": "age", "type_": {"code": "INT64"}, "ordinal_position": "3"},
        ],
        "mods": [
            {
                "keys": [{"value": "1"}],
                "new_values": [{"column_metadata_index": 1, "value": "31"}],
                "old_values": [{"column_metadata_index": 1, "value": "30"}],
            }
        ],
        "mod_type": "UPDATE",
        "value_capture_type": "OLD_AND_NEW_VALUES",
        "number_of_records_in_transaction": 1,
        "number_of_partitions_in_transaction": 1,
        "transaction_tag": "tag",
    }


@pytest.mark.parametrize(
    "capture", ["OLD_AND_NEW_VALUES", "NEW_VALUES", "NEW_ROW", "NEW_ROW_AND_OLD_VALUES"]
)
def test_messages_name_the_capture_type_and_the_kind_of_change(capture: str) -> None:
    schema = schema_with_stream(GOOGLE_STANDARD_SQL, value_capture_type=capture)
    commit = Commit(schema).insert("users", **ANN).update("users", ANN, age=1)
    records = commit.delete("users", **ANN).marked(timestamp=-SECOND // 2).records()
    result = [message(mutable.data_row(record))["data_change_record"] for record in records]
    assert [each["mod_type"] for each in result] == ["INSERT", "UPDATE", "DELETE"]
    assert {each["value_capture_type"] for each in result} == {capture}
    assert {each["commit_timestamp"] for each in result} == {"1969-12-31T23:59:59.500Z"}


def test_other_records_as_messages() -> None:
    assert message(mutable.heartbeat_row(SECOND)) == {
        "heartbeat_record": {"timestamp": "1970-01-01T00:00:01Z"}
    }
    assert message(mutable.new_partitions_row(SECOND, 0, [("a", ()), ("b", ("a",))])) == {
        "partition_start_record": {
            "start_timestamp": "1970-01-01T00:00:01Z",
            "record_sequence": "00000000",
            "partition_tokens": ["a", "b"],
        }
    }
    assert message(mutable.partition_end_row(SECOND, 1, "a")) == {
        "partition_end_record": {
            "end_timestamp": "1970-01-01T00:00:01Z",
            "record_sequence": "00000001",
            "partition_token": "a",
        }
    }
    assert message(mutable.partition_event_row(SECOND, 2, "a", ["b"], ["c", "d"])) == {
        "partition_event_record": {
            "commit_timestamp": "1970-01-01T00:00:01Z",
            "record_sequence": "00000002",
            "partition_token": "a",
            "move_in_events": [{"source_partition_token": "b"}],
            "move_out_events": [
                {"destination_partition_token": "c"},
                {"destination_partition_token": "d"},
            ],
        }
    }


def test_the_column_of_each_function() -> None:
    mode = {"partition_mode": "MUTABLE_KEY_RANGE"}
    columns = {}
    for dialect in (GOOGLE_STANDARD_SQL, POSTGRESQL):
        for options in ({}, mode):
            schema = schema_with_stream(dialect, **options)
            stream = schema.change_streams["s"]
            columns[dialect, stream.is_mutable] = format_of(schema, stream).columns
    assert columns == {
        (GOOGLE_STANDARD_SQL, False): (("ChangeRecord", rows.CHANGE_RECORD),),
        (GOOGLE_STANDARD_SQL, True): (("ChangeRecord", mutable.MESSAGE),),
        (POSTGRESQL, False): (("read_json_s", PG_JSONB),),
        (POSTGRESQL, True): (("read_proto_bytes_s", BYTES),),
    }


def test_keys_and_values_are_canonical_json() -> None:
    for record in update().insert("users", id=2, name="\u00e9", city="").records():
        ((data, _, _),) = rows.data_value(record)
        for text in (text for mod in data[0][6] for text in mod):
            assert json.parse(text.text).text == text.text
