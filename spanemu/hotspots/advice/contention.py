"""Rules on conflicts: one row that transactions wait for."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.severity import Severity
from spanemu.hotspots.advice.rule import Advice, Rule, busiest
from spanemu.hotspots.cause import Reason
from spanemu.hotspots.finding_builder import FindingSpec
from spanemu.hotspots.stream_analysis import AnalysisContext
from spanemu.hotspots.tree_load import Kind
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of


def _contention(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN805, SPN402: transactions that wait for each other on one row."""
    limits = scene.limits
    for thing in scene.schema.tables_and_indexes():
        found = scene.seen.conflicts.get(tree_of(thing))
        if found is None or found.conflicts < limits.conflicts_min or found.top_row is None:
            continue
        if found.top_row_share < limits.conflict_row_share_min:
            continue
        one = busiest(scene, thing)
        updates = scene.stream(thing, Kind.UPDATE)
        is_hub = updates is None and isinstance(thing, Table) and _is_referenced(scene, thing)
        row = one.shape.text(found.top_row)
        told = FindingSpec(
            rule="SPN402" if is_hub else "SPN805",
            severity=Severity.WARNING,
            reason=Reason.HOT_ROW,
            row=found.top_row,
            conflict_share=found.top_row_share,
            message=f"Of {found.conflicts} conflicts between transactions, "
            f"{found.top_row_share:.0%} were about {row}.",
            fix=(
                "FOREIGN KEY ... NOT ENFORCED, or the referenced values in the row itself"
                if is_hub
                else "several rows instead of one, or shorter transactions that read it last"
            ),
        )
        yield one, told


def _is_referenced(scene: AnalysisContext, table: Table) -> bool:
    return any(
        key.referenced_table == table.name
        for other in scene.schema.tables.values()
        for key in other.foreign_keys
    )


RULES: tuple[Rule, ...] = (_contention,)
