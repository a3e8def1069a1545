"""What the isolation level and the lock mode that a client asks for mean to its reads."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.database.options import Isolation, ReadLockMode, ReadWrite
from spanemu.txn.read_write import Reads

# Whatever is not here is pessimistic.
_READS: Mapping[tuple[Isolation, ReadLockMode], Reads] = {
    (Isolation.UNSPECIFIED, ReadLockMode.OPTIMISTIC): Reads.OPTIMISTIC,
    (Isolation.SERIALIZABLE, ReadLockMode.OPTIMISTIC): Reads.OPTIMISTIC,
    (Isolation.REPEATABLE_READ, ReadLockMode.UNSPECIFIED): Reads.REPEATABLE,
    (Isolation.REPEATABLE_READ, ReadLockMode.OPTIMISTIC): Reads.REPEATABLE,
    (Isolation.REPEATABLE_READ, ReadLockMode.PESSIMISTIC): Reads.REPEATABLE_LOCKING,
}


def reads_of(options: ReadWrite) -> Reads:
    """How a transaction with those options keeps its reads true."""
    return _READS.get((options.isolation, options.read_lock_mode), Reads.PESSIMISTIC)
