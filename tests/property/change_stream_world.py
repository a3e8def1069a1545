"""A database of random tables with change streams, whose records must give its rows.

The records are read by the partition protocol, with the reader of the documentation.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from google.api_core.exceptions import ClientError, GoogleAPICallError, ServerError
from google.cloud.spanner import KeySet

import spanemu
from docs.change_stream_reader import ChangeStreamReader, Record
from tests.property.change_stream_replica import Key, Replica, TableRows, check_records, order_of
from tests.property.row_model import Table
from tests.property.test_random_schemas import sql_of

RowWrite = tuple[str, str, Any]  # as test_random_schemas draws it
Statement = tuple[str, str, Any]

ALL, SOME = "Everything", "OneColumn"  # the streams
GENERATED = ("G", "g")  # the column of a row_model.Table that no record has


class Undone(Exception):
    """The end of a transaction that is rolled back."""


REFUSALS = (GoogleAPICallError, spanemu.SpannerError, spanemu.SchemaRejected, Undone)


@dataclass(frozen=True)
class State:
    """The rows after a step, by table and key, and a timestamp after all of its commits.

    `commits` are the commit timestamps of the step, None if they are not known.
    """

    at: datetime
    commits: frozenset[datetime] | None
    columns: Mapping[str, Sequence[str]]
    rows: Mapping[str, TableRows]


@dataclass
class World:
    """A database of random tables, with a stream of all of them and one of a single column."""

    emulator: spanemu.Emulator
    handle: Any
    tables: dict[str, Table]
    states: list[State] = field(default_factory=list)

    @classmethod
    def create(
        cls,
        emulator: spanemu.Emulator,
        handle: spanemu.DatabaseHandle,
        tables: Mapping[str, Table],
        capture: str,
    ) -> World:
        """Create the tables and the streams; `capture` is the streams' value_capture_type."""
        world = cls(emulator, handle, dict(tables))
        handle.apply_schema([world.ddl_of(text) for each in tables.values() for text in each.ddl()])
        options = (
            f"{'WITH' if world.is_postgresql else 'OPTIONS'} (value_capture_type = '{capture}')"
        )
        first = next(iter(tables))
        handle.apply_schema(
            [
                f"CREATE CHANGE STREAM {ALL} FOR ALL {options}",
                f"CREATE CHANGE STREAM {SOME} FOR {first}(A) {options}",
            ]
        )
        world.keep_state(frozenset())
        return world

    @property
    def is_postgresql(self) -> bool:
        return bool(self.handle.dialect == "postgresql")

    @property
    def client(self) -> Any:
        return self.handle.client()

    def name(self, name: str) -> str:
        """Return a name as the database spells it."""
        return name.lower() if self.is_postgresql else name

    # ------------------------------------------------------------------ steps

    def commit(self, writes: Sequence[RowWrite]) -> None:
        """Commit mutations."""

        def run() -> datetime:
            with self.client.batch() as batch:
                for kind, table, what in writes:
                    if kind == "delete all":
                        batch.delete(self.name(table), KeySet(all_=True))
                    elif kind == "delete":
                        batch.delete(self.name(table), KeySet(keys=[what]))
                    else:
                        getattr(batch, kind)(*self._row(table, what))
            return batch.committed  # type: ignore[no-any-return]

        self._step(run)

    def transact(self, statements: Sequence[Statement], end: str) -> None:
        """Run DML in a transaction whose `end` is a commit, an abort and a commit, or a rollback."""
        texts = [self.sql_of(statement) for statement in statements]

        def work(transaction: Any) -> Any:
            for text in texts:
                transaction.execute_update(text)
            if end == "rollback":
                raise Undone
            return transaction

        def run() -> datetime:
            if end == "abort":
                self.emulator.faults.abort("Commit", database=self.handle).is_expected = False
            try:
                return self.client.run_in_transaction(work).committed  # type: ignore[no-any-return]
            finally:
                self.emulator.faults.clear()

        self._step(run)

    def partitioned(self, statement: Statement) -> None:
        """Run partitioned DML, which may commit several times."""
        text = self.sql_of(statement)
        self._step(lambda: self.client.execute_partitioned_dml(text), is_known=False)

    def batch_write(self, writes: Sequence[RowWrite]) -> None:
        """Write rows, each in a commit of its own."""

        def run() -> None:
            with self.client.mutation_groups() as groups:
                for _, table, what in writes:
                    if isinstance(what, dict):
                        groups.group().insert_or_update(*self._row(table, what))
                list(groups.batch_write())

        self._step(run, is_known=False)

    def split(self, table: str, key: Key, *, merges: bool) -> None:
        """Add or remove a split boundary."""
        splits = self.handle.splits
        change = splits.merge if merges else splits.at
        self._step(lambda: change(self.name(table), list(key)) and None)

    def churn(self, stream: str) -> None:
        """Replace every partition of a stream."""
        self._step(lambda: self.handle.change_stream(self.name(stream)).churn() and None)

    def alter(self, *statements: str) -> None:
        """Change the schema."""
        texts = [self.ddl_of(text) for text in statements]
        self._step(lambda: self.handle.apply_schema(texts), is_known=False)

    def expire(self, table: str, least: int) -> None:
        """Let a row deletion policy delete the rows of a table from a key on."""
        if self.is_postgresql:
            type_, policy = "TIMESTAMPTZ", "ADD TTL INTERVAL '1 day' ON Expires"
        else:
            type_ = "TIMESTAMP"
            policy = "ADD ROW DELETION POLICY (OLDER_THAN(Expires, INTERVAL 1 DAY))"
        self.alter(f"ALTER TABLE {table} ADD COLUMN Expires {type_}")
        self.alter(f"ALTER TABLE {table} {policy}")
        text = f"UPDATE {table} SET Expires = '2020-01-01T00:00:00Z' WHERE K0 >= {least}"

        def run() -> Any:
            return self.client.run_in_transaction(lambda it: it.execute_update(text) and it)

        self._step(run, is_known=False)
        self._step(self.emulator.clock.run_ttl, is_known=False)

    def _step(self, run: Callable[[], Any], *, is_known: bool = True) -> None:
        """Run a step, which the database may refuse, and keep the state after it.

        `run` returns the commit timestamp of the step, None for a step without a commit.
        """
        commit = None
        try:
            commit = run()
        except REFUSALS as refusal:
            if isinstance(refusal, ServerError):
                raise
        self.keep_state(frozenset([commit] if commit else []) if is_known else None)

    def _row(self, table: str, what: Mapping[str, Any]) -> tuple[str, list[str], list[list[Any]]]:
        return self.name(table), [self.name(each) for each in what], [list(what.values())]

    # ------------------------------------------------------------------ texts

    def ddl_of(self, text: str) -> str:
        """Return a schema statement in the database's dialect."""
        if not self.is_postgresql:
            return text
        text = text.replace("INT64", "BIGINT").replace(
            "G BIGINT AS", "G BIGINT GENERATED ALWAYS AS"
        )
        text = re.sub(r"\) (PRIMARY KEY \([^)]*\)),?", r", \1)", text)
        text = re.sub(r", CONSTRAINT F_\w+ FOREIGN KEY [^,]* NOT ENFORCED", "", text)
        return text.replace("NULL_FILTERED ", "")

    def sql_of(self, statement: Statement) -> str:
        """Return a DML statement in the database's dialect."""
        text = sql_of(self.tables[statement[1]], statement)
        return re.sub(r"DIV\(1, (.*?)\)", r"1 / (\1)", text) if self.is_postgresql else text

    # ------------------------------------------------------------------ states

    def keep_state(self, commits: frozenset[datetime] | None) -> None:
        """Append the present rows to `states`."""
        columns, rows = {}, {}
        for table in self.tables.values():
            name = self.name(table.name)
            with self.client.snapshot() as snapshot:
                stream = snapshot.execute_sql(f"SELECT * FROM {name}")
                with suppress(ClientError):  # The table was dropped.
                    read = list(stream)
                    names = [field.name for field in stream.fields]
                    columns[name] = [each for each in names if each not in GENERATED]
                    depth = table.depth
                    rows[name] = {
                        tuple(map(_text, row[:depth])): {
                            name: _text(value) for name, value in zip(names, row, strict=True)
                        }
                        for row in read
                    }
        self.states.append(State(self.now(), commits, columns, rows))

    def now(self) -> datetime:
        """Return a timestamp after every commit so far."""
        with self.client.snapshot() as snapshot:
            ((now,),) = snapshot.execute_sql("SELECT CURRENT_TIMESTAMP")
        return now  # type: ignore[no-any-return]

    def clone(self, name: str) -> World:
        """Return a clone of the database, with the states so far."""
        handle = self.handle.clone(name)
        return World(self.emulator, handle, dict(self.tables), list(self.states))

    # ------------------------------------------------------------------ what must hold

    def check(self) -> None:
        """Check that the records, applied to an empty copy, give the rows of every state."""
        first = next(iter(self.tables.values()))
        some = {self.name(first.name): [self.name(each) for each in (*first.key, "A")]}
        for stream, watched in ((ALL, None), (SOME, some)):
            reader = ChangeStreamReader(self.client, self.name(stream))
            records = list(reader.read(self.states[0].at, self.states[-1].at))
            check_records(records)
            self._replay(sorted(records, key=order_of), watched)

    def _replay(
        self, records: Sequence[Record], watched: Mapping[str, Sequence[str]] | None
    ) -> None:
        replica, queue = Replica(), deque(records)
        for state in self.states:
            while queue and queue[0]["commit_timestamp"] <= state.at:
                record = queue.popleft()
                assert state.commits is None or record["commit_timestamp"] in state.commits
                replica.apply(record)
            columns = watched or state.columns
            replica.restrict(columns)
            assert view(replica.rows, columns) == view(state.rows, columns)
        assert not queue


def view(rows: Mapping[str, TableRows], columns: Mapping[str, Sequence[str]]) -> Any:
    """Return rows with some of their columns; a column without a value is NULL."""
    return {
        table: {
            key: {name: row.get(name) for name in names} for key, row in rows.get(table, {}).items()
        }
        for table, names in columns.items()
    }


def _text(value: Any) -> Any:
    """Return a value as the JSON of a record has it."""
    if isinstance(value, datetime):
        return re.sub(r"\.?0*Z", "Z", value.rfc3339())  # type: ignore[attr-defined]
    return str(value) if isinstance(value, int) else value
