"""The commit of one row in one step (`txn.one_row`), as far as the database takes part.

    commit_at_once   a transaction that consists of this commit alone: no handle, no lock holder
    committed_row    the commit of a transaction that has written nothing before

Everything that hears of a commit in general hears of it here as well, or prevents it: where an
observer looks into the middle of commits, they are made in general.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.call import serving
from spanemu.base.clock import monotonic
from spanemu.database.activity import CommitRecord
from spanemu.database.core import CommitObserver, DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.options import CommitOptions, TransactionOptions
from spanemu.database.statements.context import StatementContext
from spanemu.database.statements.results import CommitOutcome
from spanemu.txn import one_row
from spanemu.txn.locks.holder import ALONE, LockHolder
from spanemu.txn.rules import CompiledTable
from spanemu.values.mutation import Mutation


def commit_at_once(
    core: DatabaseCore,
    options: TransactionOptions,
    mutations: Sequence[Mutation],
    commit_options: CommitOptions,
    arrived: int,
) -> CommitOutcome | None:
    """Commit one row in a single-use transaction; None if it needs the general commit.

    `options` may be of a kind that does not commit. `arrived` is the arrival time of the request.
    """
    if not options.commits_at_once or len(mutations) != 1:
        return None
    began = monotonic()
    row = committed_row(core, core.history.current, None, mutations[0])
    if row is None:
        return None
    at, mutation_count, sample, shapes = row
    seconds = monotonic() - began
    core.activity.add_commit(
        CommitRecord(
            arrived,
            commit_options.transaction_tag,
            options,
            shapes,
            ALONE,
            seconds,
            seconds,
            None,
            sample,
        )
    )
    stats = mutation_count if commit_options.return_stats else None
    return CommitOutcome(at, stats, None, None, options.control)


def committed_row(
    core: DatabaseCore,
    generation: Generation,
    holder: LockHolder | None,
    mutation: Mutation,
    counted: int = 0,
) -> one_row.CommittedRow | None:
    """Commit one row; return None if it has to be committed in general.

    `holder` is that of a transaction whose reads may have taken locks and which is over then.
    `counted` is what the transaction counts for without the row.
    """
    row = one_row.prepared(generation.rules, mutation)
    if row is None:
        return None
    if row[0].timestamps:
        context = StatementContext(core, generation.schema, writable=True)
        if not one_row.has_valid_timestamps(row, context):
            return None
    store = core.store
    with store.mutex:
        # The schema may have changed meanwhile, or the database may have been dropped.
        if core.history.current is not generation or core.closed:
            return None
        # An observer of locks hears of conflicts alone, which a commit in one step has not. An
        # explorer of the store is that of the locks as well. The followers of the store follow
        # queues, whose messages are not committed in one step.
        if store.change_log is not None or store.explorer is not None:
            return None
        observer, call = core.commit_observer, serving.call
        if observer is not None and _is_attributed(observer, row[0].rules):
            return None
        if core.splitting.keeps_commits or (call is not None and call.facts is not None):
            return None
        return one_row.commit(store, core.locks, holder, row, counted)


def _is_attributed(observer: CommitObserver, rules: CompiledTable) -> bool:
    """Return whether an observer asks who writes to a table or to one of its indexes."""
    known = observer.attributed_trees
    return known is not None and not known >= {rules.tree, *[each.tree for each in rules.indexes]}
