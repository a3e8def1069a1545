"""Random commits get the same codes from spanemu and the official emulator, and leave the same rows.

    python -m tests.differential.commits --commits 2000 --seed N

The tables know every rule that a row can break. Most commits break one; some break several, and
then it is compared which one is named. Where a document settles a difference, `_DOCUMENTED` says so.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from random import Random, SystemRandom
from typing import Any

from google.api_core.exceptions import GoogleAPICallError
from google.cloud import spanner
from google.cloud.spanner_v1 import KeyRange, KeySet
from google.cloud.spanner_v1.data_types import JsonObject

import spanemu
from tests.conformance.reference import official_emulator

DDL = (
    "CREATE TABLE Parents (A INT64 NOT NULL, B STRING(5), C INT64 DEFAULT (7), "
    "D INT64 AS (C * 2) STORED, CONSTRAINT small CHECK (C < 100)) PRIMARY KEY (A)",
    "CREATE TABLE Children (A INT64 NOT NULL, B STRING(3) NOT NULL, V BYTES(4), "
    "Ts TIMESTAMP OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (A, B DESC), "
    "INTERLEAVE IN PARENT Parents ON DELETE CASCADE",
    "CREATE TABLE Kept (A INT64 NOT NULL, Z DATE, N NUMERIC) PRIMARY KEY (A, Z), "
    "INTERLEAVE IN PARENT Parents ON DELETE NO ACTION",
    "CREATE TABLE Links (Id INT64, Ref INT64, U STRING(MAX), W ARRAY<INT64>, "
    "CONSTRAINT to_parent FOREIGN KEY (Ref) REFERENCES Parents (A)) PRIMARY KEY (Id)",
    "CREATE TABLE Chained (Id INT64, Ref INT64, CONSTRAINT to_link FOREIGN KEY (Ref) "
    "REFERENCES Links (Id) ON DELETE CASCADE) PRIMARY KEY (Id)",
    "CREATE TABLE Plain (K STRING(MAX) NOT NULL, X FLOAT64, J JSON, Y BOOL NOT NULL) "
    "PRIMARY KEY (K)",
    "CREATE UNIQUE NULL_FILTERED INDEX LinksByU ON Links (U)",
    "CREATE UNIQUE INDEX ParentsByB ON Parents (B)",
    "CREATE INDEX ChildrenByV ON Children (A, V) STORING (Ts), INTERLEAVE IN Parents",
)
COLUMNS = {
    "Parents": ("A", "B", "C", "D"),
    "Children": ("A", "B", "V", "Ts"),
    "Kept": ("A", "Z", "N"),
    "Links": ("Id", "Ref", "U", "W"),
    "Chained": ("Id", "Ref"),
    "Plain": ("K", "X", "J", "Y"),
}
KEYS = {"Parents": 1, "Children": 2, "Kept": 2, "Links": 1, "Chained": 1, "Plain": 1}
EMPTYING = ("Chained", "Children", "Kept", "Links", "Parents", "Plain")

_UTC = datetime.UTC
_SMALL: tuple[Any, ...] = (0, 1, 2, 3, 4, 5)
# Some break a rule of their column: too long, in the future, above the check.
_VALUES: dict[str, tuple[Any, ...]] = {
    "A": _SMALL, "Id": _SMALL, "Ref": _SMALL, "D": _SMALL, "C": (1, 2, 50, 99, 100, 200),
    "B": ("a", "b", "c", "abc", "abcd", "abcdef", "é"), "V": (b"YQ==", b"YmI=", b"Y2NjY2M="),
    "Ts": (spanner.COMMIT_TIMESTAMP, datetime.datetime(2020, 1, 1, tzinfo=_UTC),
           datetime.datetime(2999, 1, 1, tzinfo=_UTC)),
    "Z": (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
    "N": (Decimal("1.5"), Decimal(2)), "U": ("a", "b", "c"), "W": ([1, 2], [], [None]),
    "K": ("a", "b", ""), "X": (1.5, float("inf"), float("nan")), "J": (JsonObject({"a": 1}),),
    "Y": (True, False),
}  # fmt: skip
_OF_OTHER_TYPES: tuple[Any, ...] = ("x", 5, True, 1.5, [1], "zzzzzzzzzz", b"YWJjZGVmZ2g=")

_DEFERRED = r"UNIQUE violation|Check constraint|Foreign key .*violat|Foreign key .*referenc"
# (what spanemu says, what the reference says, why spanemu is right)
_DOCUMENTED = (
    (r"is inserted before its parent row", r"not found in parent", "INVALID_ARGUMENT in Spanner"),
    # A fault of the request, whatever its other mutations do.
    (
        r"Multiple values for column|generated column|does not specify",
        r"",
        "what cannot be is told first",
    ),
    # What is judged at the end: the reference's order differs from run to run.
    (_DEFERRED, _DEFERRED, "unique indexes, foreign keys, checks"),
    (
        r"exceeds the maximum size|null value",
        r"Failed to insert row",
        "values are judged before rows",
    ),
    (
        r"and delete it in the same transaction",
        r"already exists|not found|was deleted and then updated",
        "by the mutations alone, in the Go client's tests of Spanner",
    ),
)

_COMMITS_PER_DATABASE = 500

Step = Callable[[Any], None]  # does something with a transaction, or with a batch


@dataclass(frozen=True)
class Commit:
    """Steps of one transaction, or mutations of one batch; `text` shows them."""

    steps: tuple[Step, ...]
    text: str
    dml: bool

    def run(self, database: Any) -> tuple[str, str]:
        """Return the code and the message."""
        begun: list[Any] = []
        try:
            if self.dml:
                database.run_in_transaction(partial(self._all, begun=begun))
            else:
                with database.batch() as batch:
                    self._all(batch)
        except GoogleAPICallError as error:
            for transaction in begun[-1:]:
                with suppress(ValueError, GoogleAPICallError):
                    transaction.rollback()  # The reference has one at a time, and so waits for it.
            return str(getattr(error.grpc_status_code, "name", error.code)), str(error.message)
        return "OK", ""

    def _all(self, writer: Any, begun: list[Any] | None = None) -> None:
        if begun is not None:
            begun.append(writer)
        for step in self.steps:
            step(writer)


class Commits:
    """A source of commits, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def next(self) -> Commit:
        """Return the next commit: up to five mutations, or statements and then mutations."""
        dml = self._random.random() < 0.3
        parts = [self._statement() for _ in range(self._random.choice((1, 1, 2, 3)))] if dml else []
        count = self._random.choice((0, 1, 2)) if dml else self._random.choice((1, 1, 1, 2, 3, 5))
        parts += [self._mutation() for _ in range(count)]
        return Commit(tuple(step for step, _ in parts), "; ".join(text for _, text in parts), dml)

    def _value(self, column: str) -> Any:
        chance = self._random.random()
        if chance < 0.06:
            return None
        return self._random.choice(_OF_OTHER_TYPES if chance < 0.08 else _VALUES[column])

    def _mutation(self) -> tuple[Step, str]:
        table = self._random.choice(tuple(COLUMNS))
        kind = self._random.choice(
            ("insert", "insert", "update", "insert_or_update", "replace", "delete")
        )
        if kind == "delete":
            return self._delete(table)
        columns = self._columns(table)
        rows = [
            [self._value(column) if column in COLUMNS[table] else 1 for column in columns]
            for _ in range(self._random.choice((1, 1, 2)))
        ]
        if self._random.random() < 0.02 and columns:
            rows[0].pop()
        return partial(_write, kind, table, columns, rows), f"{kind} {table} {columns} {rows}"

    def _columns(self, table: str) -> list[str]:
        key, rest = COLUMNS[table][: KEYS[table]], list(COLUMNS[table][KEYS[table] :])
        if self._random.random() < 0.95 and "D" in rest:
            rest.remove("D")  # which is generated
        self._random.shuffle(rest)
        columns = [*key, *rest[: self._random.randrange(len(rest) + 1)]]
        if self._random.random() < 0.03:
            columns.append(self._random.choice(("Nope", columns[0])))
        return columns[1:] if self._random.random() < 0.03 else columns

    def _delete(self, table: str) -> tuple[Step, str]:
        chance = self._random.random()
        parts = KEYS[table] if chance < 0.6 else 1
        key = [self._value(column) for column in COLUMNS[table][:parts]]
        if chance < 0.7:
            return partial(_delete, table, KeySet(keys=[key])), f"delete {table} {key}"
        if chance < 0.8:
            return partial(_delete, table, KeySet(all_=True)), f"delete {table}"
        bounds = {
            self._random.choice(("start_closed", "start_open")): key,
            self._random.choice(("end_closed", "end_open")): [self._value(COLUMNS[table][0])],
        }
        keys = KeySet(ranges=[KeyRange(**bounds)])
        return partial(_delete, table, keys), f"delete {table} {bounds}"

    def _statement(self) -> tuple[Step, str]:
        table = self._random.choice(("Parents", "Links", "Chained", "Children"))
        key = COLUMNS[table][0]
        make = self._random.choice((self._insert, self._update, self._delete_where))
        sql = make(table, f"{key} {self._random.choice(('=', '>=', '<'))} {self._small()}")
        return partial(_execute, sql), sql

    def _insert(self, table: str, _: str) -> str:
        columns = [column for column in COLUMNS[table] if column not in ("D", "W", "Ts", "V")]
        # The reference loses an unlisted array to INSERT OR UPDATE (Spanner keeps it).
        upsert = "INSERT" if table == "Links" else "INSERT OR UPDATE"
        verb = self._random.choice(("INSERT", "INSERT", upsert, "INSERT OR IGNORE"))
        row = ", ".join(self._literal(column) for column in columns)
        return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({row})"

    def _update(self, table: str, where: str) -> str:
        column = {"Parents": "C", "Links": "Ref", "Chained": "Ref", "Children": "V"}[table]
        value = "b'abc'" if column == "V" else self._literal(column)
        return f"UPDATE {table} SET {column} = {value} WHERE {where}"

    def _delete_where(self, table: str, where: str) -> str:
        return f"DELETE FROM {table} WHERE {where}"

    def _literal(self, column: str) -> str:
        value = self._random.choice(_VALUES[column]) if self._random.random() < 0.9 else None
        return "NULL" if value is None else repr(value)

    def _small(self) -> int:
        return int(self._random.choice(_SMALL))


def _write(
    kind: str, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], writer: Any
) -> None:
    getattr(writer, kind)(table, columns, rows)


def _delete(table: str, keys: KeySet, writer: Any) -> None:
    writer.delete(table, keys)


def _execute(sql: str, writer: Any) -> None:
    writer.execute_update(sql)


def differences(ours: Any, theirs: Any, seed: int, count: int) -> Iterator[str]:
    """Yield what `count` commits did in one database and not in the other, each as a text."""
    commits = Commits(seed)
    for number in range(count):
        commit = commits.next()
        answer, expected = commit.run(ours), commit.run(theirs)
        if expected[0] == "DEADLINE_EXCEEDED":
            return  # The reference hangs, and would to the end.
        if answer[0] == expected[0]:
            if answer[0] == "OK" and (rows := _rows(ours)) != (others := _rows(theirs)):
                yield f"{number} {commit.text}\n  ours   {rows}\n  theirs {others}"
                _empty(ours, theirs)
            continue
        if not _documented(answer[1], expected[1]):
            yield f"{number} {commit.text}\n  ours   {answer}\n  theirs {expected}"
        if "OK" in (answer[0], expected[0]):
            _empty(ours, theirs)


def _documented(ours: str, theirs: str) -> bool:
    return any(re.search(a, ours) and re.search(b, theirs) for a, b, _ in _DOCUMENTED)


def _rows(database: Any) -> dict[str, list[str]]:
    """Return all rows; of commit timestamps only that they are some."""
    result: dict[str, list[str]] = {}
    with database.snapshot(multi_use=True) as snapshot:
        for table, columns in COLUMNS.items():
            shown = ["Ts > '2021-01-01'" if column == "Ts" else column for column in columns]
            key = ", ".join(columns[: KEYS[table]])
            sql = f"SELECT {', '.join(shown)} FROM {table} ORDER BY {key}"
            result[table] = [repr(row) for row in snapshot.execute_sql(sql)]
    return result


def _empty(*databases: Any) -> None:
    for database in databases:
        for table in EMPTYING:
            with database.batch() as batch:
                batch.delete(table, KeySet(all_=True))


def database_of(client: Any) -> Any:
    """Return a database with the tables, in an instance of its own."""
    config = f"projects/{client.project}/instanceConfigs/emulator-config"
    instance = client.instance("commits", config)
    instance.create().result()
    database = instance.database("commits", ddl_statements=list(DDL))
    database.create().result()
    return database


def main() -> int:
    """Run, print each difference as it is found; 1 if there is one."""
    arguments = argparse.ArgumentParser(prog="python -m tests.differential.commits")
    arguments.add_argument("--commits", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=None)
    given = arguments.parse_args()
    seed = SystemRandom().randrange(1_000_000_000) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    count = 0
    for start in range(0, given.commits, _COMMITS_PER_DATABASE):
        with ExitStack() as stack:
            ours = database_of(stack.enter_context(spanemu.Emulator()).client())
            theirs = database_of(stack.enter_context(official_emulator()))
            many = min(_COMMITS_PER_DATABASE, given.commits - start)
            for difference in differences(ours, theirs, seed + start, many):
                count += 1
                print(difference, flush=True)
    print(f"{given.commits} commits, {count} differ")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
