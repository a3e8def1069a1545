"""What must hold at the end of a write unit: unique indexes, foreign keys, checks.

Each verifier looks only at rows that the unit noted, through the transaction's own view, which
locks what it reads; so what is verified stays true until the commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from spanemu.base.deadline_checks import paced
from spanemu.schema.column import key_message
from spanemu.storage.layout import TreeId
from spanemu.txn.deferred_checks import DeferredChecks
from spanemu.txn.errors.rows import (
    CheckViolated,
    ReferencedKeyMissing,
    StillReferenced,
    UniqueViolation,
)
from spanemu.txn.errors.values import NullInNotNull
from spanemu.txn.locks.modes import READ_EXISTENCE
from spanemu.txn.rules import CompiledForeignKey, Row
from spanemu.txn.write import computed
from spanemu.txn.write_view import WriteView
from spanemu.values.key import after_prefix


def verify(notes: DeferredChecks, view: WriteView) -> None:
    """Raise the first violation, in Spanner's order of kinds."""
    if notes.unique:
        _verify_unique(notes, view)
    if notes.references:
        _verify_references(notes, view)
    if notes.releases:
        _verify_releases(notes, view)
    if notes.rows:
        _verify_rows(notes, view)


def _verify_unique(notes: DeferredChecks, view: WriteView) -> None:
    for (tree, prefix), (index, cells) in paced(notes.unique.items()):
        found = view.items(tree, [(prefix, after_prefix(prefix))], READ_EXISTENCE)
        if len(list(islice(found, 2))) > 1:
            key = key_message(cells[: index.declared_parts], index.index.key)
            raise UniqueViolation(index.index.name, key)


def _verify_references(notes: DeferredChecks, view: WriteView) -> None:
    targets = [
        (reference, values, reference.target_prefix(values))
        for (_, values), reference in notes.references.items()
    ]
    _lock_targets(view, targets)
    for reference, values, target in paced(targets):
        if _is_there(view, reference, target):
            continue
        if _any(view, reference.source_tree, reference.source_prefix(values)):  # still there
            raise ReferencedKeyMissing(
                reference.foreign_key.name,
                reference.table.name,
                reference.referenced.name,
                ", ".join(reference.foreign_key.referenced_columns),
                reference.text(values),
            )


def _verify_releases(notes: DeferredChecks, view: WriteView) -> None:
    for (name, values), reference in paced(notes.releases.items()):
        if _is_there(view, reference, reference.target_prefix(values)):
            continue  # the referenced values are there again
        if _any(view, reference.source_tree, reference.source_prefix(values)):
            raise StillReferenced(
                name, reference.table.name, reference.referenced.name, reference.text(values)
            )


def _verify_rows(notes: DeferredChecks, view: WriteView) -> None:
    for (tree, key), rules in paced(notes.rows.items()):
        row = view.get(tree, key, READ_EXISTENCE)  # What checks read was locked when it changed.
        if row is None:
            continue
        full = computed(rules, row, view.context)
        for column in rules.completed:
            if column.not_null and full[column.position] is None:
                raise NullInNotNull(rules.table.name, column.name)
            check = rules.cell_checks.get(column.position)
            if check is not None and full[column.position] is not None:
                check(full[column.position])
        for name, expression in rules.checks:
            if expression.evaluate(full, view.context) is False:
                raise CheckViolated(rules.table.name, name, rules.key_text(rules.key_of(full)))


def _lock_targets(
    view: WriteView, targets: Iterable[tuple[CompiledForeignKey, Row, bytes]]
) -> None:
    """Lock the referenced rows that are found by their key, a table's all together."""
    keys: dict[TreeId, list[bytes]] = {}
    for reference, _, target in targets:
        if reference.finds_row:
            keys.setdefault(reference.target_tree, []).append(target)
    for tree, wanted in keys.items():
        view.lock_all(tree, wanted, READ_EXISTENCE)


def _is_there(view: WriteView, reference: CompiledForeignKey, target: bytes) -> bool:
    """Whether a referenced row exists; `target` is its key, or what its key begins with."""
    if reference.finds_row:
        return view.get(reference.target_tree, target, READ_EXISTENCE) is not None
    return _any(view, reference.target_tree, target)


def _any(view: WriteView, tree: TreeId, prefix: bytes) -> bool:
    found = view.items(tree, [(prefix, after_prefix(prefix))], READ_EXISTENCE)
    return next(iter(found), None) is not None
