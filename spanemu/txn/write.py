"""The write of one row: existence, parents, cascades, index entries and generated columns.

A `WriteBatch` is what Spanner verifies as a whole: all mutations of a commit, or one DML statement.
Violations that are certain are raised at once (existence, interleaving, NULLs, lengths). Checks
that depend on the batch's final state are deferred, and `constraint_checks.verify` runs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.storage.versions import row_cells
from spanemu.txn import value_errors
from spanemu.txn.deferred_checks import DeferredChecks
from spanemu.txn.errors import (
    ChildRowsExist,
    ParentRowMissing,
    PendingParentMissing,
    RowInsertedTwice,
    RowNotFound,
    UpdateAfterDelete,
    row_already_exists,
)
from spanemu.txn.locks.modes import READ_EXISTENCE, WRITE_ROW, Cells, Lock
from spanemu.txn.read_write import TransactionWorkspace
from spanemu.txn.rules import (
    CompiledForeignKey,
    CompiledIndex,
    CompiledTable,
    Row,
    with_virtual_columns,
)
from spanemu.txn.write_plan import DELETION, WritePlan
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import after_prefix, key_size
from spanemu.values.mutation import COMMIT_TIMESTAMP, WriteKind


class WriteBatch:
    """Writes that are verified together. `count` grows as Spanner counts mutations.

    With `returns`, the written rows will be read whole (THEN RETURN).
    """

    def __init__(
        self,
        view: TransactionWorkspace,
        unreadable: Mapping[str, Set[int]] | None = None,
        *,
        returns: bool = False,
    ) -> None:
        self.view = view
        self._returns = returns
        # Positions, by table, that earlier statements set to the commit timestamp.
        self.unreadable = unreadable or {}
        self.deferred = DeferredChecks()
        self.count = 0
        # Positions, by table, that this batch sets to the commit timestamp.
        self.pending: dict[str, set[int]] = {}

    # ------------------------------------------------------------------ one row

    def write(self, plan: WritePlan, cells: Sequence[Any]) -> bytes:
        """Insert, update, upsert or replace one row; return its encoded key."""
        if plan.vectors:
            cells = plan.packed(cells)
        try:
            plan.check(cells, self.view.context)
        except SpannerError:
            if plan.is_update:
                # Spanner checks for a deleted row before it checks values.
                self._refuse_deleted(plan.rules, plan.rules.key_of(plan.new_row(cells)))
            raise
        if plan.is_update:
            return self._update_existing(plan, cells)
        if plan.missing is not None:
            plan.refuse_missing()
        rules = plan.rules
        row = plan.new_row(cells)
        if plan.completes:
            self._complete(plan, row)
        key = rules.key_of(row)
        encoded = rules.encode(key)
        if len(encoded) > rules.key_bytes:
            check_key_size(rules.table.name, key, rules.key_types, rules.key_bytes)
        if rules.watched:
            self._record_rewrite(plan, encoded, key)
        before = self._existing(plan, encoded)
        if before is not None:
            if plan.kind is WriteKind.INSERT:
                self.count += plan.mutations
                full = tuple(row)
                self.count += sum(
                    [len(index.entries(full)) * index.mutations for index in rules.indexes]
                )
                self._refuse_duplicate(rules, key, encoded)
            if plan.is_upsert:
                self._update(plan, encoded, before, cells)
                return encoded
            self.delete(rules, encoded, before)
        self._insert(plan, encoded, row, key)
        return encoded

    def _existing(self, plan: WritePlan, encoded: bytes) -> Row | None:
        """Return the existing row with the key, locked for the write that follows."""
        tree = plan.rules.tree
        if plan.is_upsert and self.view.exists(tree, encoded):
            before = self.view.get(tree, encoded, self._update_lock(plan))
            if before is not None:
                return before
        return self.view.get(tree, encoded, WRITE_ROW)

    def _update_lock(self, plan: WritePlan) -> Lock:
        return (WHOLE_ROW, plan.lock[1]) if self._returns else plan.lock

    def _record_rewrite(self, plan: WritePlan, encoded: bytes, key: Row) -> None:
        """Record a write to a table from which a foreign key may cascade."""
        rewrites = self.deferred.rewrites
        if plan.kind is WriteKind.REPLACE:
            rewrites.delete(plan.rules, encoded, after_prefix(encoded))
        if not plan.rules.watched.isdisjoint(plan.listed):
            rewrites.write(plan.rules, encoded, key)

    # ------------------------------------------------------------------ insert

    def _complete(self, plan: WritePlan, row: list[Any]) -> None:
        """Fill in unlisted columns: defaults, identities and generated key columns."""
        context = self.view.context
        for position, sequence in plan.identities:
            row[position] = context.next_sequence_value(sequence)
        for position, default in plan.defaults:
            row[position] = default.evaluate((), context)
        if plan.defaults:
            plan.check_defaults(row)
        rules = plan.rules
        if rules.table.is_queue:  # A delivery time in the past becomes the present.
            position = rules.table.deliver_time.position
            row[position] = max(row[position], context.now)
        for column, expression in rules.stored_generated:
            if column.position in rules.table.key_positions:
                known = plan.listed | {p for p, _ in plan.defaults} | rules.identities.keys()
                if not expression.reads <= known:
                    raise value_errors.GeneratedKeyUnknown(rules.table.name, column.name)
                row[column.position] = expression.evaluate(tuple(row), context)

    def _insert(self, plan: WritePlan, encoded: bytes, row: list[Any], key: Row) -> None:
        rules = plan.rules
        parent = rules.parent
        if parent is not None:
            above = key[: rules.parent_parts]
            if self.view.get(parent.tree, parent.encode(above), READ_EXISTENCE) is None:
                missing = PendingParentMissing if COMMIT_TIMESTAMP in above else ParentRowMissing
                raise missing(
                    parent.table.name, parent.key_text(above), rules.table.name,
                    rules.key_text(key),
                )  # fmt: skip
        for column, expression in rules.stored_generated:
            row[column.position] = expression.evaluate(tuple(row), self.view.context)
        done = tuple(row)
        self.view.put(rules.tree, encoded, done)
        if rules.timestamps and COMMIT_TIMESTAMP in done:
            self._mark_row(rules, encoded, done)
        self.deferred.inserted.add((rules.tree, encoded))
        self.count += plan.mutations
        if plan.defaults and plan.leaves_null(done):
            self.deferred.rows[rules.tree, encoded] = rules
        if rules.is_plain:
            return
        self._add_entries(rules, done)
        self.deferred.row_written(rules, encoded)
        for reference in rules.references:
            self.deferred.refers(reference, reference.values_of(done))

    def _refuse_duplicate(self, rules: CompiledTable, key: Row, encoded: bytes) -> None:
        text = rules.key_text(key)
        if (rules.tree, encoded) in self.deferred.inserted:
            raise RowInsertedTwice(rules.table.name, text)
        raise row_already_exists(rules.table.name, text, rules.compiled.schema.dialect)

    # ------------------------------------------------------------------ update

    def _update_existing(self, plan: WritePlan, cells: Sequence[Any]) -> bytes:
        rules = plan.rules
        row = plan.new_row(cells)
        for column, expression in rules.stored_generated:
            position = column.position
            if position in rules.table.key_positions and position not in plan.listed:
                if not expression.reads <= plan.listed:
                    raise value_errors.GeneratedKeyUnknown(rules.table.name, column.name)
                row[position] = expression.evaluate(tuple(row), self.view.context)
        key = rules.key_of(row)
        encoded = rules.encode(key)
        if len(encoded) > rules.key_bytes:
            check_key_size(rules.table.name, key, rules.key_types, rules.key_bytes)
        if rules.watched:
            self._record_rewrite(plan, encoded, key)
        lock = self._update_lock(plan) if self._returns else plan.lock
        before = self.view.get(rules.tree, encoded, lock)
        if before is None:
            self._refuse_deleted(rules, key)
            raise RowNotFound(rules.table.name, rules.key_text(key))
        self._update(plan, encoded, before, cells)
        return encoded

    def _refuse_deleted(self, rules: CompiledTable, key: Row) -> None:
        """Raise UpdateAfterDelete for a missing row that this transaction has deleted."""
        row_key = (rules.tree, rules.encode(key))
        deleted = row_key in self.view.deleted or self.deferred.was_deleted(*row_key)
        if deleted and self.view.get(*row_key) is None:
            raise UpdateAfterDelete(rules.table.name, rules.key_text(key))

    def _update(self, plan: WritePlan, encoded: bytes, before: Row, cells: Sequence[Any]) -> None:
        rules = plan.rules
        base = before
        if len(before) < rules.width:
            before = row_cells(before, rules.width)
        row = plan.changed_row(before, cells)
        if rules.stored_generated:
            self._regenerate(rules, row, before)
        after = tuple(row)
        self.view.put(rules.tree, encoded, after, plan.lock[1], base)
        if rules.timestamps and COMMIT_TIMESTAMP in after:
            self._mark_row(rules, encoded, after)
        self.count += plan.mutations
        if rules.is_plain:
            return
        self._change_entries(plan, before, after)
        self.deferred.row_written(rules, encoded)
        for reference in rules.references:
            values = reference.values_of(after)
            if values != reference.values_of(before):
                self.deferred.refers(reference, values)
                self.deferred.referring.add((reference.foreign_key.name, encoded))
        for reference in rules.referenced_by:
            values = reference.referenced_values_of(before)
            if values != reference.referenced_values_of(after):
                self.deferred.released(reference, values)

    def _regenerate(self, rules: CompiledTable, row: list[Any], before: Row) -> None:
        for column, expression in rules.stored_generated:
            position = column.position
            value = expression.evaluate(tuple(row), self.view.context)
            if position in rules.table.key_positions and value != before[position]:
                raise value_errors.GeneratedKeyChanged(rules.table.name, column.name)
            row[position] = value

    # ------------------------------------------------------------------ delete

    def delete(self, rules: CompiledTable, encoded: bytes, row: Row) -> None:
        """Delete an existing row and its dependents. The caller counts the row."""
        row = row_cells(row, rules.width)
        self._delete_children(rules, encoded, row)
        for index in rules.indexes:
            entries = index.entries(self._with_virtual(rules, row))
            if self.unreadable:
                self._refuse_pending(index)
            for encoded_entry, _ in entries:
                self.view.put(index.tree, encoded_entry, None)
                self.count += DELETION
        self.view.put(rules.tree, encoded, None)
        for reference in rules.referenced_by:
            values = reference.referenced_values_of(row)
            if reference.foreign_key.cascade:
                self._delete_referring(reference, values)
            else:
                self.deferred.released(reference, values)

    def _delete_children(self, rules: CompiledTable, encoded: bytes, row: Row) -> None:
        below = [(encoded, after_prefix(encoded))]
        for child in rules.children:
            rows = list(self.view.items(child.tree, below, WRITE_ROW))
            if rows and not child.table.cascade:
                raise ChildRowsExist(
                    rules.table.name, rules.key_text(rules.key_of(row)), child.table.name,
                    child.key_text(child.key_of(rows[0][1])),
                )  # fmt: skip
            for key, child_row in rows:
                # A deeper cascade through a foreign key may have deleted the row.
                if self.view.get(child.tree, key) is not None:
                    self.delete(child, key, child_row)

    def _delete_referring(self, reference: CompiledForeignKey, values: Row) -> None:
        if any(value is None for value in values):
            return
        prefix = reference.source_prefix(values)
        referring = reference.compiled.of(reference.table)
        for key, entry in list(
            self.view.items(reference.source_tree, [(prefix, after_prefix(prefix))])
        ):
            base_key = reference.base_key(key, entry)
            if self.deferred.refers_newly(reference, base_key):
                continue  # The cascade spares it: the row refers to a key missing at the end.
            row = self.view.get(referring.tree, base_key, WRITE_ROW)
            if row is not None:
                self.count += DELETION
                self.delete(referring, base_key, row)

    # ------------------------------------------------------------------ index entries

    def _add_entries(self, rules: CompiledTable, row: Row) -> None:
        if rules.indexes:
            full = self._with_virtual(rules, row)
            for index in rules.indexes:
                for key, cells in index.entries(full):
                    self._add_entry(index, key, cells)

    def _change_entries(self, plan: WritePlan, before: Row, after: Row) -> None:
        if not (plan.entry_changes or self.unreadable):
            return
        rules = plan.rules
        old_row, new_row = self._with_virtual(rules, before), self._with_virtual(rules, after)
        if self.unreadable:
            for index in rules.indexes:
                old = index.entries(old_row)
                is_pending = any(COMMIT_TIMESTAMP in cells for _, cells in old)
                if is_pending or old != index.entries(new_row):
                    self._refuse_pending(index)
        for index, key_cells, stored_cells in plan.entry_changes:
            left = dict(index.entries(old_row))
            for key, cells in index.entries(new_row):
                old_cells = left.pop(key, None)
                if old_cells is None:
                    self._add_entry(index, key, cells)
                    continue
                self.view.buffer.rewrite(index.tree, key, key_cells)
                if stored_cells:
                    self._rewrite_entry(index, old_cells, key, cells, stored_cells)
            for key in left:
                self.view.put(index.tree, key, None)
                self.count += DELETION

    def _rewrite_entry(
        self, index: CompiledIndex, before: Row, key: bytes, cells: Row, written: Cells
    ) -> None:
        """Write the stored cells of an entry whose key stays the same.

        Also with the values that they have: another transaction may write others first.
        """
        self.view.put(index.tree, key, cells, written, self.view.committed(index.tree, key))
        if COMMIT_TIMESTAMP in cells:
            self.view.mark_pending(index.tree, key)
        if cells != before:
            self.count += index.mutations

    def _add_entry(self, index: CompiledIndex, key: bytes, cells: Row) -> None:
        if len(key) > index.key_bytes:
            types = tuple(part.column.type for part in index.index.full_key)
            check_key_size(index.index.name, cells[: index.key_parts], types, index.key_bytes)
        self.view.put(index.tree, key, cells)
        if COMMIT_TIMESTAMP in cells:
            self.view.mark_pending(
                index.tree, key, index.timestamp_key_range(cells, self.view.context.now)
            )
        self.count += index.mutations
        if index.is_unique:
            self.deferred.unique[index.tree, index.prefix(cells)] = (index, cells)

    def _refuse_pending(self, index: CompiledIndex) -> None:
        """Raise when the entry to change has a pending timestamp in its key."""
        if not index.positions.isdisjoint(self.unreadable.get(index.index.table, ())):
            raise value_errors.PendingTimestampRead(f"Index {index.index.name}")

    def _with_virtual(self, rules: CompiledTable, row: Row) -> Row:
        return with_virtual_columns(rules, row, self.view.context) if rules.indexes_virtual else row

    # ------------------------------------------------------------------ rows into the buffer

    def _mark_row(self, rules: CompiledTable, encoded: bytes, row: Row) -> None:
        """Record that a buffered row waits for the commit timestamp."""
        self.view.mark_pending(
            rules.tree, encoded, rules.timestamp_key_range(row, self.view.context.now)
        )
        pending_positions = {
            position for position, cell in enumerate(row) if cell is COMMIT_TIMESTAMP
        }
        self.pending.setdefault(rules.table.name, set()).update(pending_positions)

    def mark_pending(
        self, rules: CompiledTable, keys: Sequence[bytes], rows: Sequence[Row]
    ) -> None:
        """Record which of some buffered rows wait for the commit timestamp."""
        for key, row in zip(keys, rows, strict=True):
            if COMMIT_TIMESTAMP in row:
                self._mark_row(rules, key, row)

    def mark_entries_pending(
        self, index: CompiledIndex, keys: Sequence[bytes], entries: Sequence[Row]
    ) -> None:
        """Record which of some buffered index entries wait for the commit timestamp."""
        for key, cells in zip(keys, entries, strict=True):
            if COMMIT_TIMESTAMP in cells:
                key_range = index.timestamp_key_range(cells, self.view.context.now)
                self.view.mark_pending(index.tree, key, key_range)


def check_key_size(target: str, key: Row, types: Sequence[Any], limit: int) -> None:
    """Raise when a key is too large. Call it only for keys whose encoding exceeds the limit.

    The encoding of a key is never smaller than its size.
    """
    size = key_size(key, types)
    if size > limit:
        raise value_errors.KeyTooLarge(target, size, limit)
