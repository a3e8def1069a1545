"""Rules on whole trees of rows: how large one grows, and whether they last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from spanemu.base.severity import Severity
from spanemu.hotspots.advice.rule import Advice, Rule, busiest, cost
from spanemu.hotspots.stream_analysis import AnalysisContext
from spanemu.hotspots.tree_load import Kind
from spanemu.schema.table import Table
from spanemu.storage.layout import lineage, tree_of
from spanemu.storage.sizes import cell_bytes

GIB = 1 << 30


def _large_trees(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN303: a root row with all below it, at as many rows a parent as production has."""
    families: defaultdict[str, list[Table]] = defaultdict(list)
    for table in scene.schema.tables.values():
        root, *_ = lineage(scene.schema, table)
        families[root.name.lower()].append(table)
    for name, below in families.items():
        if len(below) > 1:
            yield from _large_tree(scene, scene.schema.tables[name], below)


def _large_tree(scene: AnalysisContext, root: Table, below: Sequence[Table]) -> Iterator[Advice]:
    rows = {table.name: _rows_of_one_root(scene, root, table) for table in below}
    sizes = {table.name: rows[table.name] * _row_bytes(scene, table) for table in below}
    whole = sum(sizes.values())
    limits = scene.limits
    if whole < limits.tree_bytes_warned:
        return
    largest = max(below, key=lambda table: sizes[table.name])
    told = cost(
        rule="SPN303",
        severity=Severity.ERROR if whole >= limits.tree_bytes_max else Severity.WARNING,
        message=f"A row of {root.name} with all below it comes to {whole / GIB:.1f} GiB, of "
        f"which {rows[largest.name]:,.0f} rows of {largest.name} are "
        f"{sizes[largest.name] / GIB:.1f}.",
        fix=f"{largest.name} as a root table, keyed "
        f"({', '.join(part.column.name for part in largest.key)}), or a bucket column behind "
        f"{root.key[-1].column.name}",
    )
    yield busiest(scene, largest), told


def _rows_of_one_root(scene: AnalysisContext, root: Table, table: Table) -> float:
    """How many rows of a table a root row has: as assumed, or the most that were inserted."""
    if table is root:
        return 1
    above = scene.schema.tables[(table.parent or "").lower()]
    assumed = scene.assumptions.rows_per_parent(table.name)
    if assumed is not None:
        return assumed * _rows_of_one_root(scene, root, above)
    counts: defaultdict[tuple[bytes, ...], int] = defaultdict(int)
    for one in scene.of_kind(Kind.INSERT):
        if one.thing is table:
            for pieces in one.pieces:
                counts[pieces[: len(root.key)]] += 1
            scale = one.stream.rows / max(1, len(one.pieces))
            return max(counts.values(), default=0) * scale
    return 0


def _row_bytes(scene: AnalysisContext, table: Table) -> float:
    """The mean size of a row, of those written last."""
    tree = tree_of(table)
    sizes = [
        sum(map(cell_bytes, row))
        for _, writes in scene.seen.trace
        for written, _, row in writes
        if written == tree and row is not None
    ]
    return sum(sizes) / len(sizes) if sizes else 0.0


def _made_again(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN707: a table that was written, dropped and created again has lost its splits."""
    dropped = {
        name.lower(): stream.commits
        for (tree, kind), stream in scene.seen.streams.items()
        if kind is Kind.INSERT and (name := scene.seen.former.get(tree)) is not None
    }
    for table in scene.schema.tables.values():
        commits = dropped.get(table.name.lower(), 0)
        if commits < scene.limits.ordered_min:
            continue
        one = busiest(scene, table)
        if one.stream.commits >= scene.limits.ordered_min:
            told = cost(
                rule="SPN707",
                severity=Severity.WARNING,
                message=f"Dropped and created again after {commits} commits: a new table "
                "begins in one split, and what is measured is its cold start.",
                fix=f"DELETE FROM {table.name} WHERE true, as partitioned DML",
            )
            yield one, told


RULES: tuple[Rule, ...] = (_large_trees, _made_again)
