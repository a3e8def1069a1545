"""Constraints verified at the end of a write batch: unique indexes, foreign keys, checks.

Each verifier examines only the rows that the batch recorded, through the transaction's own view.
The view locks what it reads, so a verified constraint holds until the commit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from spanemu.base.deadline_checks import interruptible, interruptible_stream
from spanemu.schema.table import key_message
from spanemu.storage.layout import TreeId
from spanemu.txn import value_errors
from spanemu.txn.deferred_checks import DeferredChecks
from spanemu.txn.errors import CheckViolated, ReferencedKeyMissing, StillReferenced, UniqueViolation
from spanemu.txn.locks.modes import READ_EXISTENCE
from spanemu.txn.read_write import TransactionWorkspace
from spanemu.txn.rules import CompiledForeignKey, Row, with_virtual_columns
from spanemu.values.key import after_prefix


def verify(deferred: DeferredChecks, view: TransactionWorkspace) -> None:
    """Raise the first violation, in Spanner's order of constraint kinds."""
    if deferred.unique:
        _verify_unique(deferred, view)
    if deferred.references:
        _verify_references(deferred, view)
    if deferred.releases:
        _verify_releases(deferred, view)
    if deferred.rows:
        _verify_rows(deferred, view)


def _verify_unique(deferred: DeferredChecks, view: TransactionWorkspace) -> None:
    prefixes: dict[TreeId, list[bytes]] = {}
    for tree, prefix in deferred.unique:
        prefixes.setdefault(tree, []).append(prefix)
    repeated = {
        (tree, prefix)
        for tree, keys in prefixes.items()
        for prefix in _repeated(view, tree, sorted(keys))
    }
    for row_key, (index, cells) in deferred.unique.items():
        if not repeated:
            return
        if row_key in repeated:
            key = key_message(cells[: index.declared_parts], index.index.declared_key)
            raise UniqueViolation(index.index.name, key)


def _repeated(
    view: TransactionWorkspace, tree: TreeId, prefixes: Sequence[bytes]
) -> Iterator[bytes]:
    """Yield the prefixes, which are in order, with which several entries of an index begin."""
    ranges = [(prefix, after_prefix(prefix)) for prefix in prefixes]
    before = -1
    for key, _ in interruptible_stream(view.items(tree, ranges, READ_EXISTENCE)):
        number = bisect_right(prefixes, key) - 1
        if number == before:
            yield prefixes[number]
        before = number


def _verify_references(deferred: DeferredChecks, view: TransactionWorkspace) -> None:
    targets = [
        (reference, values, reference.target_prefix(values))
        for (_, values), reference in deferred.references.items()
    ]
    _lock_targets(view, targets)
    for reference, values, target in interruptible(targets):
        if _target_exists(view, reference, target):
            continue
        if _has_rows(view, reference.source_tree, reference.source_prefix(values)):
            raise ReferencedKeyMissing(
                reference.foreign_key.name,
                reference.table.name,
                reference.referenced.name,
                ", ".join(reference.foreign_key.referenced_columns),
                reference.text(values),
            )


def _verify_releases(deferred: DeferredChecks, view: TransactionWorkspace) -> None:
    for (name, values), reference in interruptible(deferred.releases.items()):
        if _target_exists(view, reference, reference.target_prefix(values)):
            continue  # the referenced values exist again
        if _has_rows(view, reference.source_tree, reference.source_prefix(values)):
            raise StillReferenced(
                name, reference.table.name, reference.referenced.name, reference.text(values)
            )


def _verify_rows(deferred: DeferredChecks, view: TransactionWorkspace) -> None:
    for (tree, key), rules in interruptible(deferred.rows.items()):
        row = view.get(
            tree, key, READ_EXISTENCE
        )  # The columns that checks read were locked by the write.
        if row is None:
            continue
        full = with_virtual_columns(rules, row, view.context)
        for column in rules.completed:
            if column.not_null and full[column.position] is None:
                raise value_errors.NullInNotNull(rules.table.name, column.name)
            check = rules.cell_checks.get(column.position)
            if check is not None and full[column.position] is not None:
                check(full[column.position])
        for name, expression in rules.checks:
            if expression.evaluate(full, view.context) is False:
                raise CheckViolated(rules.table.name, name, rules.key_text(rules.key_of(full)))


def _lock_targets(
    view: TransactionWorkspace, targets: Iterable[tuple[CompiledForeignKey, Row, bytes]]
) -> None:
    """Lock the referenced rows that are identified by their key, in one batch for each table."""
    keys: dict[TreeId, list[bytes]] = {}
    for reference, _, target in targets:
        if reference.finds_row:
            keys.setdefault(reference.target_tree, []).append(target)
    for tree, rows in keys.items():
        view.lock_all(tree, rows, READ_EXISTENCE)


def _target_exists(
    view: TransactionWorkspace, reference: CompiledForeignKey, target: bytes
) -> bool:
    """Return whether a referenced row exists; `target` is its key, or a prefix of its key."""
    if reference.finds_row:
        return view.get(reference.target_tree, target, READ_EXISTENCE) is not None
    return _has_rows(view, reference.target_tree, target)


def _has_rows(view: TransactionWorkspace, tree: TreeId, prefix: bytes) -> bool:
    rows = view.items(tree, [(prefix, after_prefix(prefix))], READ_EXISTENCE)
    return next(iter(rows), None) is not None
