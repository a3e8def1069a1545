"""Which splits a transaction touched, and so how its commit would go.

A transaction whose rows all lie in one split commits there. With several, each is a participant of
a two-phase commit, whatever servers they are on ("life of reads and writes"). A split takes part
when a row in it was written, or was read in a way that the commit must keep true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spanemu.base.call import current_annotations
from spanemu.database.core import DatabaseCore
from spanemu.hotspots.split_info import CommitSplits
from spanemu.storage.split_map import SplitLocation
from spanemu.txn.read_write import TransactionWorkspace


def tell_commit(core: DatabaseCore, transaction: TransactionWorkspace, count: int) -> None:
    """Tell whoever watches what a commit came to, while it still has its locks."""
    facts = current_annotations()
    touched = participants_of(core, transaction)
    if facts is not None:
        facts["mutations"] = count
        facts["participants"] = len(touched)
    if core.splitting.keeps_commits:
        core.splitting.last_commit = touched


def participants_of(core: DatabaseCore, transaction: TransactionWorkspace) -> list[SplitLocation]:
    """The places where the splits begin that take part, in order."""
    holder, split_map = transaction.holder, core.store.split_map
    rows = [*holder.rows, *((tree, key) for tree, key, _ in transaction.buffer.entries())]
    ranges = [
        *holder.ranges,
        *((tree, low, high) for tree, low, high, _ in transaction.recorded_reads),
    ]
    return sorted({*split_map.splits_with_keys(rows), *split_map.splits_meeting(ranges)})


def shown(core: DatabaseCore, touched: Iterable[SplitLocation]) -> CommitSplits:
    """Participants as users are shown them; those are left out whose tables are gone."""
    found = list(_texts(core, touched))
    return CommitSplits(tuple(text for text, _ in found), tuple(server for _, server in found))


def _texts(core: DatabaseCore, touched: Iterable[SplitLocation]) -> Iterator[tuple[str, int]]:
    for place in touched:
        text = core.splitting.text_at(place)
        if text is not None:
            yield text, place.server
