"""The data change records of a change stream, as tests read them: typed, with Python values.

The values are those that the official client returns for the same column: `int`, `Decimal`,
`datetime`, `bytes`, parsed JSON. On the wire, a record is the JSON object that PostgreSQL databases
return.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Self
from uuid import UUID

from google.api_core.datetime_helpers import DatetimeWithNanoseconds

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
