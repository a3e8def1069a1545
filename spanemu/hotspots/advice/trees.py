"""Rules on whole trees of rows: their size, and whether they are dropped and created again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from spanemu.base.severity import Severity
from spanemu.hotspots.finding_builder import Advice, Rule, busiest_stream, cost_spec
from spanemu.hotspots.stream_analysis import AnalysisContext
from spanemu.hotspots.tree_load import Kind
from spanemu.schema.table import Table
from spanemu.storage.layout import lineage, tree_of
from spanemu.storage.split_map import cell_bytes

GIB = 1 << 30


def _large_trees(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN303: a root row with all its descendants is too large in production."""
    families: defaultdict[str, list[Table]] = defaultdict(list)
    for table in context.schema.tables.values():
        root, *_ = lineage(context.schema, table)
        families[root.name].append(table)
    for name, below in families.items():
        if len(below) > 1:
            root = context.schema.tables[context.schema.fold(name)]
            yield from _large_tree(context, root, below)


def _large_tree(context: AnalysisContext, root: Table, below: Sequence[Table]) -> Iterator[Advice]:
    rows = {table.name: _rows_of_one_root(context, root, table) for table in below}
    sizes = {table.name: rows[table.name] * _row_bytes(context, table) for table in below}
    whole = sum(sizes.values())
    limits = context.limits
    if whole < limits.tree_bytes_warning:
        return
    largest = max(below, key=lambda table: sizes[table.name])
    spec = cost_spec(
        rule="SPN303",
        severity=Severity.ERROR if whole >= limits.tree_bytes_max else Severity.WARNING,
        message=f"A row of {root.name} with all its descendants takes {whole / GIB:.1f} GiB, of "
        f"which {rows[largest.name]:,.0f} rows of {largest.name} are "
        f"{sizes[largest.name] / GIB:.1f}.",
        fix=f"{largest.name} as a root table with the key "
        f"({', '.join(part.column.name for part in largest.key)}), or a bucket column behind "
        f"{root.key[-1].column.name}",
    )
    yield busiest_stream(context, largest), spec


def _rows_of_one_root(context: AnalysisContext, root: Table, table: Table) -> float:
    """Return the rows of a table below one root row: as assumed, or the highest observed number."""
    if table is root:
        return 1
    above = context.schema.tables[context.schema.fold(table.parent or "")]
    assumed = context.assumptions.rows_per_parent(table.name)
    if assumed is not None:
        return assumed * _rows_of_one_root(context, root, above)
    counts: defaultdict[tuple[bytes, ...], int] = defaultdict(int)
    for analysis in context.of_kind(Kind.INSERT):
        if analysis.relation is table:
            for encoded_parts in analysis.encoded_parts:
                counts[encoded_parts[: len(root.key)]] += 1
            scale = analysis.stream.rows / max(1, len(analysis.encoded_parts))
            return max(counts.values(), default=0) * scale
    return 0


def _row_bytes(context: AnalysisContext, table: Table) -> float:
    """Return the mean size of the rows of a table written last."""
    tree = tree_of(table)
    sizes = [
        sum(map(cell_bytes, row))
        for _, writes in context.observations.trace
        for written, _, row in writes
        if written == tree and row is not None
    ]
    return sum(sizes) / len(sizes) if sizes else 0.0


def _recreated_tables(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN707: a table was written, dropped and created again, and so lost its splits."""
    fold = context.schema.fold
    dropped = {
        fold(name): stream.commits
        for (tree, kind), stream in context.observations.streams.items()
        if kind is Kind.INSERT and (name := context.observations.former.get(tree)) is not None
    }
    for table in context.schema.tables.values():
        commits = dropped.get(fold(table.name), 0)
        if commits < context.limits.ordered_commits_min:
            continue
        analysis = busiest_stream(context, table)
        if analysis.stream.commits >= context.limits.ordered_commits_min:
            spec = cost_spec(
                rule="SPN707",
                severity=Severity.WARNING,
                message=f"Dropped and created again after {commits} commits: a new table "
                "begins in one split, so measurements show its cold start.",
                fix=f"DELETE FROM {table.name} WHERE true, as partitioned DML",
            )
            yield analysis, spec


RULES: tuple[Rule, ...] = (_large_trees, _recreated_tables)
