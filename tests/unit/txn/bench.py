"""A bench for transactions: a database with its compiled schema, used without a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.database.statements.context import StatementContext
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.commit import apply, buffer_mutations, buffer_rows
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.txn.read_write import Reads, TransactionWorkspace
from spanemu.txn.rules import CompiledSchema, CompiledTable
from spanemu.values.mutation import (
    Delete,
    Mutation,
    RawKeySet,
    RawRange,
    RowDelete,
    RowWrite,
    Write,
    WriteKind,
)
from tests.unit.ddl.world import World

SINGERS = (
    "CREATE TABLE Singers (Id INT64 NOT NULL, Name STRING(10), Age INT64) PRIMARY KEY (Id)",
    "CREATE TABLE Albums (Id INT64 NOT NULL, AlbumId INT64 NOT NULL, Title STRING(MAX))"
    " PRIMARY KEY (Id, AlbumId), INTERLEAVE IN PARENT Singers",
    "CREATE INDEX SingersByName ON Singers (Name DESC) STORING (Age)",
)


class Bench(World):
    """A database on which tests begin transactions, each older than the next."""

    def __init__(self, *statements: str) -> None:
        super().__init__(*(statements or SINGERS))
        self.core = self.database._core
        self.store = self.core.store
        self._ages = iter(range(1, 1_000))

    @property
    def compiled(self) -> CompiledSchema:
        """The compiled form of the present schema."""
        return self.core.generation.rules

    def rules(self, table: str) -> CompiledTable:
        return self.compiled.of(self.schema.tables[table.lower()])

    def tree(self, name: str) -> TreeId:
        """Return the tree of a table or an index."""
        thing = self.schema.table(name) or self.schema.index(name)
        assert thing is not None
        return tree_of(thing)

    def key(self, table: str, *values: Any) -> bytes:
        return self.rules(table).encode(values)

    def begin(self, reads: Reads = Reads.PESSIMISTIC) -> TransactionWorkspace:
        age = next(self._ages)
        context = StatementContext(self.core, self.core.generation.schema, writable=True)
        return TransactionWorkspace(
            self.store, self.core.locks, LockHolder((age, age)), context, reads
        )

    def mutate(self, transaction: TransactionWorkspace, *mutations: Mutation) -> int:
        """Buffer mutations; return how many they count for."""
        return buffer_mutations(transaction, self.compiled, mutations)

    def statement(self, transaction: TransactionWorkspace, *rows: RowWrite | RowDelete) -> Any:
        """Buffer one DML statement's rows."""
        return buffer_rows(transaction, self.compiled, rows, returns=True)

    def commit(self, transaction: TransactionWorkspace) -> int:
        """Apply a transaction's buffer; return the commit timestamp."""
        transaction.lock_writes()
        self.core.locks.begin_commit(transaction.holder)
        at = apply(transaction, self.schema)
        self.core.locks.release(transaction.holder, State.COMMITTED)
        return at

    def run(self, *mutations: Mutation) -> int:
        """Commit mutations in a transaction of their own."""
        transaction = self.begin()
        try:
            self.mutate(transaction, *mutations)
            return self.commit(transaction)
        finally:
            self.core.locks.release(transaction.holder, State.ROLLED_BACK)

    def stored(self, name: str) -> list[tuple[Any, ...]]:
        """Return all rows of a table, or all entries of an index."""
        return list(self.store.scan(self.tree(name)))


def write(kind: WriteKind, table: str, columns: str, *rows: Sequence[Any]) -> Write:
    """Return a mutation; integers become the strings that clients send."""
    return Write(kind, table, tuple(columns.split()), [_raw(row) for row in rows])


def insert(table: str, columns: str, *rows: Sequence[Any]) -> Write:
    return write(WriteKind.INSERT, table, columns, *rows)


def update(table: str, columns: str, *rows: Sequence[Any]) -> Write:
    return write(WriteKind.UPDATE, table, columns, *rows)


def delete(table: str, *keys: Sequence[Any]) -> Delete:
    return Delete(table, RawKeySet(keys=[_raw(key) for key in keys]))


def delete_range(table: str, start: Sequence[Any], end: Sequence[Any]) -> Delete:
    """Return a key range with both ends included."""
    return Delete(table, RawKeySet(ranges=[RawRange(_raw(start), True, _raw(end), True)]))


def _raw(values: Sequence[Any]) -> list[Any]:
    return [
        str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for value in values
    ]
