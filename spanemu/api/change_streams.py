"""The change streams of one database, read without the partition protocol, for tests.

    stream = database.change_stream("OrderChanges")
    place_order(database)
    (record,) = stream.records()
    record.mods[0].new_values["Status"]              "OPEN"
    stream.wait_for(2, within=3.0)                   for code that writes in the background

    stream.churn()                                   readers meet new partitions

The records of all partitions come in the order of the commits. They are typed, with the values that
the official client returns for the same column: `int`, `Decimal`, `datetime`, `bytes`, parsed JSON.
On the wire, a record is the JSON object that PostgreSQL databases return.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Self
from uuid import UUID

from google.api_core.datetime_helpers import DatetimeWithNanoseconds

from spanemu.base.clock import monotonic
from spanemu.base.counts import counted
from spanemu.control.change_streams import ChangeStreamControl

__tracebackhide__ = True  # pytest then shows the caller's line
WAIT_SECONDS = 5.0  # the default bound of a wait
_MICROSECOND = timedelta(microseconds=1)  # the unit of commit timestamps

Values = Mapping[str, Any]  # by column


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A column of the changed table. `type` is the JSON form of google.spanner.v1.Type."""

    name: str
    type: Mapping[str, Any]
    is_primary_key: bool
    ordinal_position: int


@dataclass(frozen=True, slots=True)
class Mod:
    """The change of one row: its key, and the values after and before the commit."""

    keys: Values
    new_values: Values
    old_values: Values


@dataclass(frozen=True, slots=True)
class DataChangeRecord:
    """The changes of one commit to rows of one table, all of the same kind.

    `mod_type` is "INSERT", "UPDATE" or "DELETE".
    """

    commit_timestamp: datetime
    record_sequence: str
    server_transaction_id: str
    is_last_record_in_transaction_in_partition: bool
    table_name: str
    column_types: tuple[ColumnType, ...]
    mods: tuple[Mod, ...]
    mod_type: str
    value_capture_type: str
    number_of_records_in_transaction: int
    number_of_partitions_in_transaction: int
    transaction_tag: str
    is_system_transaction: bool

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Self:
        """Return the record of a JSON object."""
        columns = tuple(
            ColumnType(**{**column, "ordinal_position": int(column["ordinal_position"])})
            for column in record["column_types"]
        )
        types = {column.name: column.type for column in columns}
        counts = ("number_of_records_in_transaction", "number_of_partitions_in_transaction")
        return cls(
            **{
                **record,
                **{name: int(record[name]) for name in counts},
                "commit_timestamp": _timestamp(record["commit_timestamp"]),
                "column_types": columns,
                "mods": tuple(_mod(mod, types) for mod in record["mods"]),
            }
        )

    @property
    def changes(self) -> Iterator[Change]:
        """The changes of the record, one for each row."""
        for mod in self.mods:
            yield Change(self.mod_type, self.table_name, mod, self)


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one row, with the record that holds it."""

    mod_type: str
    table: str
    mod: Mod
    record: DataChangeRecord

    @property
    def key(self) -> tuple[Any, ...]:
        """The primary key of the row."""
        return tuple(self.mod.keys.values())

    @property
    def values(self) -> Values:
        """The key and the values after the commit; for a deleted row, those before."""
        is_delete = self.mod_type == "DELETE"
        return {**self.mod.keys, **(self.mod.old_values if is_delete else self.mod.new_values)}

    def __str__(self) -> str:
        """Return the change as in UPDATE Orders(7) Status 'OPEN' -> 'PAID'."""
        key = ", ".join(map(repr, self.key))
        old, new = self.mod.old_values, self.mod.new_values
        if self.mod_type == "DELETE":
            old, new = {}, old
        values = [
            f"{name} {old[name]!r} -> {value!r}" if name in old else f"{name}={value!r}"
            for name, value in new.items()
        ]
        return " ".join([self.mod_type, f"{self.table}({key})", *values])


def _mod(mod: Mapping[str, Any], types: Mapping[str, Mapping[str, Any]]) -> Mod:
    def read(values: Mapping[str, Any]) -> Values:
        return {name: python_value(types[name], values[name]) for name in types if name in values}

    return Mod(read(mod["keys"]), read(mod["new_values"]), read(mod["old_values"]))


def python_value(type_: Mapping[str, Any], value: Any) -> Any:
    """Return the Python value of a column from its JSON form in a record."""
    if value is None:
        return None
    if type_["code"] == "ARRAY":
        return [python_value(type_["array_element_type"], element) for element in value]
    read = _READ.get(type_["code"])
    return value if read is None else read(value)


def _timestamp(text: str) -> datetime:
    moment: datetime = DatetimeWithNanoseconds.from_rfc3339(text)
    return moment


_READ: Mapping[str, Callable[[Any], Any]] = {
    "INT64": int,
    "ENUM": int,
    "FLOAT64": float,
    "FLOAT32": float,
    "NUMERIC": Decimal,
    "BYTES": b64decode,
    "PROTO": b64decode,
    "DATE": date.fromisoformat,
    "TIMESTAMP": _timestamp,
    "JSON": json.loads,
    "UUID": UUID,
}


Match = Callable[[DataChangeRecord], bool]


class ChangesMissing(AssertionError):
    """A change stream did not have the expected records within the time allowed."""


class ChangeStreamsHandle:
    """The change streams of a database, by name: `database.change_streams["OrderChanges"]`.

    `since` is the first commit timestamp of the records, None for all records.
    """

    def __init__(self, control: ChangeStreamControl, since: datetime | None = None) -> None:
        self._control = control
        self.since = since

    def names(self) -> list[str]:
        """Return the names of the change streams."""
        return self._control.names()

    def from_now(self) -> ChangeStreamsHandle:
        """Return the streams without the records of commits so far."""
        last = self._control.position()
        since = self.since if last is None else last + _MICROSECOND
        return ChangeStreamsHandle(self._control, since)

    def __getitem__(self, name: str) -> ChangeStreamHandle:
        """Return the change stream with that name, which need not exist yet."""
        return ChangeStreamHandle(self._control, name, self.since)

    def __iter__(self) -> Iterator[ChangeStreamHandle]:
        return iter([self[name] for name in self.names()])

    def __len__(self) -> int:
        return len(self.names())


class ChangeStreamHandle:
    """One change stream of a database."""

    def __init__(
        self, control: ChangeStreamControl, name: str, since: datetime | None = None
    ) -> None:
        self._control = control
        self._since = since
        self.name = name

    def records(
        self, since: datetime | None = None, until: datetime | None = None
    ) -> list[DataChangeRecord]:
        """Return the data change records, in the order of the commits.

        `since` and `until` are inclusive commit timestamps.
        """
        return _typed(self._control.read(self.name, since or self._since, until))

    def changes(self, since: datetime | None = None, until: datetime | None = None) -> list[Change]:
        """Return the changes of the records, one for each changed row."""
        return [change for record in self.records(since, until) for change in record.changes]

    def wait_for(
        self,
        count: int = 1,
        *,
        match: Match | None = None,
        since: datetime | None = None,
        within: float = WAIT_SECONDS,
    ) -> list[DataChangeRecord]:
        """Return the records that `match` accepts as soon as there are `count` of them.

        Raises ChangesMissing after `within` seconds.
        """

        def matching(records: Sequence[DataChangeRecord]) -> list[DataChangeRecord]:
            return [each for each in records if match is None or match(each)]

        records = self.wait_until(
            lambda records: len(matching(records)) >= count, since=since, within=within
        )
        accepted = matching(records)
        if len(accepted) < count:
            raise ChangesMissing(_missing(self.name, count, within, records))
        return accepted

    def wait_until(
        self,
        condition: Callable[[Sequence[DataChangeRecord]], bool],
        *,
        since: datetime | None = None,
        within: float = WAIT_SECONDS,
    ) -> list[DataChangeRecord]:
        """Return the records as soon as a condition on them holds, or after `within` seconds."""
        deadline = monotonic() + within
        records = self.records(since)
        while not condition(records) and (left := deadline - monotonic()) > 0:
            last = records[-1].commit_timestamp if records else None
            first = last + _MICROSECOND if last else since or self._since
            records += _typed(self._control.read(self.name, first, None, 1, left))
        return records

    def churn(self, times: int = 1) -> int:
        """Replace every open partition by a child, and return the number of open partitions.

        Does so `times` times. Spanner may do so at any time.
        """
        return self._control.churn(self.name, times)

    def split(self) -> int:
        """Split the partition with the most rows, and return the number of open partitions.

        The splits of the database stay; `SplitsHandle.at` changes both.
        """
        return self._control.split(self.name)

    def merge(self) -> int:
        """Merge the first two partitions, and return the number of open partitions.

        Raises ValueError if the stream has one partition.
        """
        return self._control.merge(self.name)

    def __repr__(self) -> str:
        return f"<ChangeStreamHandle {self.name}>"


def _typed(records: Sequence[dict[str, Any]]) -> list[DataChangeRecord]:
    return [DataChangeRecord.from_json(record) for record in records]


def _missing(stream: str, count: int, within: float, records: Sequence[DataChangeRecord]) -> str:
    expected = f"Expected {counted(count, 'record')} in {stream} within {within:g} s"
    changes = [f"  {change}" for record in records for change in record.changes]
    return "\n".join([f"{expected}, saw{':' if changes else ' none'}", *changes])
