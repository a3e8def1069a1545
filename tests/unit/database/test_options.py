"""What levels and lock modes mean."""

from __future__ import annotations

import pytest

from spanemu.database.options import Isolation, ReadLockMode, ReadWriteOptions
from spanemu.txn.read_write import Reads

UNSPECIFIED, SERIALIZABLE, REPEATABLE = Isolation
DEFAULT, PESSIMISTIC, OPTIMISTIC = ReadLockMode


@pytest.mark.parametrize(
    ("isolation", "mode", "reads"),
    [
        (UNSPECIFIED, DEFAULT, Reads.PESSIMISTIC),
        (UNSPECIFIED, PESSIMISTIC, Reads.PESSIMISTIC),
        (UNSPECIFIED, OPTIMISTIC, Reads.OPTIMISTIC),
        (SERIALIZABLE, DEFAULT, Reads.PESSIMISTIC),
        (SERIALIZABLE, PESSIMISTIC, Reads.PESSIMISTIC),
        (SERIALIZABLE, OPTIMISTIC, Reads.OPTIMISTIC),
        (REPEATABLE, DEFAULT, Reads.REPEATABLE),
        (REPEATABLE, PESSIMISTIC, Reads.REPEATABLE_LOCKING),
        (REPEATABLE, OPTIMISTIC, Reads.REPEATABLE),
    ],
)
def test_isolation_and_lock_mode_decide_how_reads_are_done(isolation, mode, reads) -> None:
    assert ReadWriteOptions(isolation, mode).reads is reads
