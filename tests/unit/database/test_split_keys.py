"""Boundaries before keys of every type, ascending and descending, NULL among them."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.clock import ManualClock
from spanemu.control.splits import Splits
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import CommitOptions, ReadWriteOptions, SingleUse
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Write, WriteKind

# Raw values in key order, as requests have them, and how statistics print them.
TYPES: dict[str, list[tuple[Any, str]]] = {
    "BOOL": [(None, "NULL"), (False, "false"), (True, "true")],
    "INT64": [(None, "NULL"), ("-5", "-5"), ("0", "0"), ("9000000000", "9000000000")],
    "FLOAT64": [(None, "NULL"), ("NaN", "NaN"), (-1.5, "-1.5"), (2.0, "2.0")],
    "NUMERIC": [(None, "NULL"), ("-0.5", "-0.5"), ("1", "1"), ("10.25", "10.25")],
    "STRING(MAX)": [(None, "NULL"), ("", '""'), ('a"b', '"a\\"b"'), ("b", '"b"'), ("\xe9", '"\xe9"')],
    "BYTES(MAX)": [(None, "NULL"), ("", '""'), ("AA==", '"AA=="'), ("/w==", '"/w=="')],
    "DATE": [(None, "NULL"), ("1969-12-31", "1969-12-31"), ("2020-02-29", "2020-02-29")],
    "TIMESTAMP": [
        (None, "NULL"),
        ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ("2020-01-01T00:00:00.000000001Z", "2020-01-01T00:00:00.000000001Z"),
    ],
    "UUID": [
        (None, "NULL"),
        ("00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000000"),
        ("ffffffff-0000-4000-8000-000000000000", "ffffffff-0000-4000-8000-000000000000"),
    ],
}  # fmt: skip


def database(type_: str, order: str, values: list[Any]) -> Database:
    result = Database.create(
        "projects/p/instances/i/databases/d", Environment(ManualClock()), GOOGLE_STANDARD_SQL
    )
    outcome = result.apply_ddl(
        [
            f"CREATE TABLE T (K {type_}, N INT64) PRIMARY KEY (K{order})",
            f"CREATE INDEX ByK ON T(K{order})",
        ]
    )
    assert outcome.failure is None
    rows = [[value, str(number)] for number, value in enumerate(values)]
    session = result.sessions.create({})
    write = Write(WriteKind.INSERT, "T", ("K", "N"), rows)
    session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())
    return result


@pytest.mark.parametrize("order", ["", " DESC"])
@pytest.mark.parametrize("type_", TYPES)
def test_a_boundary_before_each_key(type_: str, order: str) -> None:
    keys = TYPES[type_] if not order else TYPES[type_][::-1]
    result = database(type_, order, [value for value, _ in keys])
    for value, _ in keys:
        result.split_at("T", [value])
        result.split_at("T", [value], "ByK")
    splits = list(Splits(result))
    table = [split for split in splits if split.tables == ("T",)]
    assert [split.start for split in table] == ["<begin>", *(f"T({text})" for _, text in keys)]
    assert [split.rows for split in table] == [0] + [1] * len(keys)
    index = [split for split in splits if split.tables == ("ByK",)]
    assert [split.start for split in index] == ["ByK()", *(f"ByK({text})" for _, text in keys)]
    assert [split.rows for split in index] == [0] + [1] * len(keys)


def test_a_table_without_a_key_has_one_split() -> None:
    database = Database.create(
        "projects/p/instances/i/databases/d", Environment(ManualClock()), GOOGLE_STANDARD_SQL
    )
    database.apply_ddl(["CREATE TABLE One (N INT64) PRIMARY KEY ()"])
    database.split_at("One", [])
    database.splitting.configure(split_bytes_max=1)
    assert [split.start for split in Splits(database)] == ["<begin>"]
