"""Rules on scans: through most of a table, or along the time of all of it."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.severity import Severity
from spanemu.hotspots.advice.rule import Advice, Rule, busiest, cost
from spanemu.hotspots.cause import Reason
from spanemu.hotspots.finding_builder import FindingSpec
from spanemu.hotspots.stream_analysis import AnalysisContext
from spanemu.hotspots.tree_load import ScanSummary
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import ReadKind
from spanemu.values.types import TypeCode


def _large_scans(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN803, SPN810: scans that go through most of something that is written."""
    limits = scene.limits
    for thing in scene.schema.tables_and_indexes():
        scans = scene.seen.scans.get(tree_of(thing))
        if scans is None or scans.large < limits.scans_min:
            continue
        if scans.large_share < limits.contained_part_min:
            continue
        one = busiest(scene, thing)
        if one.stream.commits < limits.scanned_writes_min:
            continue
        by_dml = scans.large_for.get(ReadKind.DML, 0) * 2 > scans.large
        told = FindingSpec(
            rule="SPN810" if by_dml else "SPN803",
            severity=Severity.WARNING,
            reason=Reason.LARGE_SCAN_HOT_SPOT,
            message=f"{scans.large} of {scans.scans} scans went through most of its rows, "
            f"{scans.large_rows // scans.large} at a time.",
            fix=_seekable(thing),
            notes=_scanned_for(scans),
            sources=scans.sources,
        )
        yield one, told


def _seekable(thing: Table | Index) -> str:
    key = ", ".join(part.column.name for part in thing.key)
    name = thing.name if isinstance(thing, Table) else thing.table
    return (
        f"a predicate that seeks in the key ({key}), or an index for the one there is: "
        f"CREATE INDEX ... ON {name}(...)"
    )


def _scanned_for(scans: ScanSummary) -> tuple[str, ...]:
    found = [f"{count} large scans: {reading}" for reading, count in scans.large_for.items()]
    return tuple(found)


def _locking_scans(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN809: read-write transactions that go through, and so lock, most of a table."""
    for thing in scene.schema.tables_and_indexes():
        scans = scene.seen.scans.get(tree_of(thing))
        count = 0 if scans is None else scans.large_for.get(ReadKind.TRANSACTION, 0)
        if scans is None or count < scene.limits.scans_min:
            continue
        told = cost(
            rule="SPN809",
            severity=Severity.INFO,
            message=f"{count} scans in read-write transactions went through most of its rows, "
            "and locked them.",
            fix="a read-only transaction, or a predicate that seeks",
            sources=scans.sources,
        )
        yield busiest(scene, thing), told


def _global_order(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN129: ranges read by time alone, from what is sorted by that time."""
    for thing in scene.schema.tables_and_indexes():
        scans = scene.seen.scans.get(tree_of(thing))
        first = thing.key[0].column if thing.key else None
        if scans is None or first is None or first.type.code is not TypeCode.TIMESTAMP:
            continue
        one = busiest(scene, thing)
        if min(scans.scans - scans.large, one.stream.commits) < scene.limits.scans_min:
            continue
        names = ", ".join(part.column.name for part in thing.key)
        told = cost(
            rule="SPN129",
            severity=Severity.WARNING,
            column=first,
            message=f"{scans.scans - scans.large} scans read a range of {first.name} without "
            "any other column: their order is of the whole table.",
            fix=f"a shard column first, (ShardId, {names}), read with "
            f"ShardId IN UNNEST(GENERATE_ARRAY(0, {scene.nodes - 1}))",
        )
        yield one, told


RULES: tuple[Rule, ...] = (
    _large_scans,
    _locking_scans,
    _global_order,
)
