"""A transaction of the emulator's own that gets its way: the conflicting write of a test."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.database.core import DatabaseCore
from spanemu.database.options import CommitOptions, ReadWriteOptions, StatementRequest
from spanemu.database.statements.errors import NotDml
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.txn.errors.requests import TransactionAborted
from spanemu.txn.locks.holder import LockHolder

_OLDEST = 0  # ages of clients' transactions are counted from 1


def interfere(core: DatabaseCore, statements: Sequence[str]) -> None:
    """Run DML statements in one transaction older than any other, and commit it.

    Transactions in its way are wounded. Raises what a statement raises.
    """
    while True:
        attempt = ReadWriteTransaction(
            core, b"", ReadWriteOptions(), holder=LockHolder(since=_OLDEST)
        )
        try:
            for number, sql in enumerate(statements):
                if not attempt.execute(StatementRequest(sql)).is_dml:
                    raise NotDml(number, sql)
            attempt.commit((), CommitOptions())
        except TransactionAborted:
            continue  # Another like it was first.
        except BaseException:
            attempt.rollback()
            raise
        return
