"""Records of change streams as tests read them: Python values, and changes as text."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from math import isnan
from uuid import UUID

import pytest

from spanemu.api.change_streams import DataChangeRecord, python_value

RECORD = {
    "commit_timestamp": "2026-01-01T00:00:00.5Z",
    "record_sequence": "00000000",
    "server_transaction_id": "MTIz",
    "is_last_record_in_transaction_in_partition": True,
    "table_name": "Orders",
    "column_types": [
        {"name": "Id", "type": {"code": "INT64"}, "is_primary_key": True, "ordinal_position": 1},
        {"name": "Paid", "type": {"code": "BOOL"}, "is_primary_key": False, "ordinal_position": "2"},
    ],
    "mods": [
        {"keys": {"Id": "7"}, "new_values": {"Paid": True}, "old_values": {"Paid": None}},
        {"keys": {"Id": "8"}, "new_values": {"Paid": False}, "old_values": {}},
    ],
    "mod_type": "UPDATE",
    "value_capture_type": "OLD_AND_NEW_VALUES",
    "number_of_records_in_transaction": 1,
    "number_of_partitions_in_transaction": "1",
    "transaction_tag": "app=shop",
    "is_system_transaction": False,
}  # fmt: skip


def test_a_record_has_python_values():
    record = DataChangeRecord.from_json(RECORD)
    assert record.commit_timestamp == datetime(2026, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC)
    assert (record.number_of_partitions_in_transaction, record.transaction_tag) == (1, "app=shop")
    assert [mod.keys for mod in record.mods] == [{"Id": 7}, {"Id": 8}]
    assert [column.ordinal_position for column in record.column_types] == [1, 2]


def test_changes_are_rows_of_records():
    first, second = DataChangeRecord.from_json(RECORD).changes
    assert (first.mod_type, first.table, first.key) == ("UPDATE", "Orders", (7,))
    assert str(first) == "UPDATE Orders(7) Paid None -> True"
    assert str(second) == "UPDATE Orders(8) Paid=False"
    assert first.values == {"Id": 7, "Paid": True}


def test_a_deleted_row_shows_its_old_values():
    mods = [{"keys": {"Id": "7"}, "new_values": {}, "old_values": {"Paid": True}}]
    (change,) = DataChangeRecord.from_json(RECORD | {"mod_type": "DELETE", "mods": mods}).changes
    assert change.values == {"Id": 7, "Paid": True}
    assert str(change) == "DELETE Orders(7) Paid=True"


@pytest.mark.parametrize(
    ("code", "json", "value"),
    [
        ("INT64", "-9223372036854775808", -(2**63)),
        ("ENUM", "3", 3),
        ("FLOAT64", 1, 1.0),
        ("FLOAT32", "-Infinity", float("-inf")),
        ("NUMERIC", "1.50", Decimal("1.50")),
        ("BYTES", "aGk=", b"hi"),
        ("PROTO", "", b""),
        ("DATE", "2026-01-02", date(2026, 1, 2)),
        ("TIMESTAMP", "2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("JSON", '{"a": [1]}', {"a": [1]}),
        ("UUID", "00000000-0000-0000-0000-000000000001", UUID(int=1)),
        ("STRING", "a", "a"),
        ("BOOL", True, True),
        ("INT64", None, None),
    ],
)
def test_values_have_the_types_of_the_client(code, json, value):
    read = python_value({"code": code}, json)
    assert (read, type(read).__mro__[-2]) == (value, type(value).__mro__[-2])
    array = {"code": "ARRAY", "array_element_type": {"code": code}}
    assert python_value(array, [json, None]) == [value, None]


def test_nan_and_nanoseconds_survive():
    assert isnan(python_value({"code": "FLOAT64"}, "NaN"))
    moment = python_value({"code": "TIMESTAMP"}, "2026-01-01T00:00:00.123456789Z")
    assert moment.nanosecond == 123_456_789
