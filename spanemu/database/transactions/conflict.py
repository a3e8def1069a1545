"""The conflicting write of a test: a transaction of the emulator that wins every conflict."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.database.core import DatabaseCore
from spanemu.database.options import CommitOptions, ReadWriteOptions, StatementRequest
from spanemu.database.statements.errors import NotDml
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.txn.errors.requests import TransactionAborted
from spanemu.txn.locks.holder import LockHolder

_OLDEST = 0  # The ages of clients' transactions start at 1.


def interfere(core: DatabaseCore, statements: Sequence[str]) -> None:
    """Run DML statements in a transaction older than any other, and commit the transaction.

    Conflicting transactions are wounded. Raises NotDml and the errors of the statements.
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
            continue  # Another conflicting write of a test committed first.
        except BaseException:
            attempt.rollback()
            raise
        return
