"""A copy of a database's rows that only the data change records of a stream fill.

check_records    what holds for the records of any stream
Replica          the rows that records give, applied in the order of the commits
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from docs.change_stream_reader import Record

Key = tuple[Any, ...]
TableRows = dict[Key, dict[str, Any]]
Order = tuple[datetime, str, str]


def order_of(record: Record) -> Order:
    """Return the position of a record: its commit time, then its sequence in the commit."""
    sequence = record["record_sequence"]
    return record["commit_timestamp"], record["server_transaction_id"], sequence


def check_records(records: Sequence[Record]) -> None:
    """Check the numbers in the records, and that changes of a row come in commit order."""
    transactions = defaultdict(list)
    rows = defaultdict(list)
    for record in records:
        transactions[record["server_transaction_id"]].append(record)
        for mod in record["mods"]:
            rows[record["table_name"], str(sorted(mod["keys"].items()))].append(order_of(record))
    for members in transactions.values():
        assert {each["commit_timestamp"] for each in members} == {members[0]["commit_timestamp"]}
        assert {each["number_of_records_in_transaction"] for each in members} == {len(members)}
        assert len({each["record_sequence"] for each in members}) == len(members)
        lasts = [each["is_last_record_in_transaction_in_partition"] for each in members]
        assert sum(lasts) == members[0]["number_of_partitions_in_transaction"]
    for orders in rows.values():
        assert all(before < after for before, after in pairwise(orders))


class Replica:
    """Rows by table and key, with values as the JSON of records has them."""

    def __init__(self) -> None:
        self.rows: dict[str, TableRows] = defaultdict(dict)

    def apply(self, record: Record) -> None:
        """Apply a record; its old values must be the present ones."""
        rows = self.rows[record["table_name"]]
        names = [each["name"] for each in record["column_types"] if each["is_primary_key"]]
        for mod in record["mods"]:
            assert sorted(names) == sorted(mod["keys"])
            key = tuple(mod["keys"][name] for name in names)
            if record["mod_type"] == "INSERT":
                assert key not in rows
                rows[key] = dict(mod["keys"])
            for name, old in mod["old_values"].items():
                assert rows[key].get(name) == old
            if record["mod_type"] == "DELETE":
                del rows[key]
            else:
                rows[key] |= mod["new_values"]

    def restrict(self, columns: Mapping[str, Sequence[str]]) -> None:
        """Forget the tables and columns that do not exist any more."""
        for table in self.rows.keys() - columns.keys():
            del self.rows[table]
        for table, rows in self.rows.items():
            for row in rows.values():
                for name in row.keys() - set(columns[table]):
                    del row[name]
