"""The splits that a transaction touched, which are the participants of its commit.

A transaction whose rows all lie in a single split commits there. With several splits, each is a
participant of a two-phase commit, whatever its server ("life of reads and writes"). A split takes
part if a row in it was written, or was read in a way that the commit must validate or protect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spanemu.base.call import current_annotations
from spanemu.database.core import DatabaseCore
from spanemu.hotspots.split_info import CommitSplits
from spanemu.storage.split_map import SplitLocation
from spanemu.txn.read_write import TransactionWorkspace


def annotate_commit(core: DatabaseCore, transaction: TransactionWorkspace, count: int) -> None:
    """Record the mutation count and the participants of a commit, while it holds its locks."""
    facts = current_annotations()
    touched = participants_of(core, transaction)
    if facts is not None:
        facts["mutations"] = count
        facts["participants"] = len(touched)
    if core.splitting.keeps_commits:
        core.splitting.last_commit = touched


def participants_of(core: DatabaseCore, transaction: TransactionWorkspace) -> list[SplitLocation]:
    """Return the participating splits, in key order."""
    holder, split_map = transaction.holder, core.store.split_map
    rows = [*holder.rows, *((tree, key) for tree, key, _ in transaction.buffer.entries())]
    ranges = [
        *holder.ranges,
        *((tree, low, high) for tree, low, high, _ in transaction.recorded_reads),
    ]
    return sorted({*split_map.splits_with_keys(rows), *split_map.splits_overlapping(ranges)})


def commit_splits(core: DatabaseCore, touched: Iterable[SplitLocation]) -> CommitSplits:
    """Return the participants as users see them, without splits of dropped tables."""
    participants = list(_texts(core, touched))
    return CommitSplits(
        tuple(text for text, _ in participants), tuple(server for _, server in participants)
    )


def _texts(core: DatabaseCore, touched: Iterable[SplitLocation]) -> Iterator[tuple[str, int]]:
    for split in touched:
        text = core.splitting.text_at(split)
        if text is not None:
            yield text, split.server
