"""Tells the first attempt of a transaction from its repetitions.

A retry on a regular session begins its transaction on the session of the one that was aborted; on
a multiplexed session it names it; a commit without a transaction is simply sent again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from spanemu.admin.instances import Instances
from spanemu.control.effects import transaction_of
from spanemu.control.where import Rpc
from spanemu.database.transactions.read_write import ReadWriteTransaction

_REMEMBERED_MAX = 10_000


class FirstAttempts:
    """Asked about every commit, it says yes to the first of each transaction."""

    def __init__(self, instances: Instances) -> None:
        self._instances = instances
        self._mutex = threading.Lock()  # Guards the field below.
        self._seen: OrderedDict[str | bytes, None] = OrderedDict()

    def is_first(self, rpc: Rpc) -> bool:
        """Whether this commit is of a first attempt; the next one like it is not."""
        key: str | bytes = rpc.fingerprint
        transaction = transaction_of(self._instances, rpc)
        if isinstance(transaction, ReadWriteTransaction):
            if transaction.on_multiplexed_session:
                return not transaction.repeats
            key = rpc.session
        with self._mutex:
            if key in self._seen:
                del self._seen[key]
                return False
            self._seen[key] = None
            if len(self._seen) > _REMEMBERED_MAX:
                self._seen.popitem(last=False)
            return True
