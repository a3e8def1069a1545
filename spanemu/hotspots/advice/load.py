"""Rules on large commits, participants, unread indexes, and conflicts about one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spanemu.base.severity import Severity
from spanemu.hotspots.finding_builder import Advice, FindingSpec, Rule, busiest_stream, cost_spec
from spanemu.hotspots.stream_analysis import AnalysisContext, StreamAnalysis
from spanemu.hotspots.tree_load import Kind
from spanemu.hotspots.verdict import Reason
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId, tree_of


def _unread_indexes(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN215: an index was written and never read, although its table was read."""
    for analysis in context.of_kind(Kind.INSERT):
        index = analysis.relation
        if not isinstance(index, SortedIndex) or index.managed_by or index.unique:
            continue
        reads = _reads(context, tree_of(analysis.table))
        if (
            analysis.stream.commits < context.limits.verdict_commits_min
            or reads < context.limits.reads_min
        ):
            continue
        if _reads(context, tree_of(index)) == 0:
            spec = cost_spec(
                rule="SPN215",
                severity=Severity.INFO,
                message=f"Written by {analysis.stream.commits} commits and never read, while "
                f"{analysis.table.name} was read {reads} times.",
                fix=f"DROP INDEX {index.name} -- FORCE_INDEX hints that name {index.name} fail "
                "without it: change them first",
            )
            yield analysis, spec


def _reads(context: AnalysisContext, tree: TreeId) -> int:
    scans, by_key = (
        context.observations.scans.get(tree),
        context.observations.streams.get((tree, Kind.READ)),
    )
    return (0 if scans is None else scans.scans) + (0 if by_key is None else by_key.commits)


def _large_commits(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN811: a commit comes near the limit of mutations."""
    largest = max(context.observations.trace, key=lambda commit: len(commit[1]), default=None)
    if largest is None or len(largest[1]) < context.limits.commit_rows_max:
        return
    analysis = _table_of_most(context, Counter(tree for tree, _, _ in largest[1]))
    if analysis is not None:
        spec = cost_spec(
            rule="SPN811",
            severity=Severity.WARNING,
            message=f"One commit wrote {len(largest[1])} rows and index entries; "
            "the limit is 80,000 mutations.",
            fix="commits of a few hundred rows, 1 to 5 MB each",
        )
        yield analysis, spec


def _many_participants(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN808: the rows of a commit would lie in many splits."""
    commits = context.observations.trace
    mean_count = context.participants
    if len(commits) < context.limits.verdict_commits_min or mean_count is None:
        return
    if mean_count < context.limits.participants_min:
        return
    analysis = _table_of_most(
        context, Counter(tree for _, writes in commits for tree, _, _ in writes)
    )
    if analysis is not None:
        spec = cost_spec(
            rule="SPN808",
            severity=Severity.INFO,
            message=f"A commit would have {mean_count:.1f} participants on average if every key "
            f"space were divided into {context.limits.buckets} splits.",
            fix="rows that are written together under one parent, and fewer indexes",
        )
        yield analysis, spec


def _table_of_most(context: AnalysisContext, counts: Counter[TreeId]) -> StreamAnalysis | None:
    """Return the stream of the table with the highest count."""
    tables = {tree_of(table): table for table in context.schema.tables.values()}
    for tree, _ in counts.most_common():
        if tree in tables:
            return busiest_stream(context, tables[tree])
    return None


def _contention(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN805, SPN402: transactions wait for each other on one row."""
    limits = context.limits
    for relation in context.schema.tables_and_indexes():
        conflicts = context.observations.conflicts.get(tree_of(relation))
        if (
            conflicts is None
            or conflicts.conflicts < limits.conflicts_min
            or conflicts.top_row is None
        ):
            continue
        if conflicts.top_row_share < limits.conflict_row_share_min:
            continue
        analysis = busiest_stream(context, relation)
        updates = context.stream(relation, Kind.UPDATE)
        is_hub = (
            updates is None and isinstance(relation, Table) and _is_referenced(context, relation)
        )
        row = analysis.shape.text(conflicts.top_row)
        spec = FindingSpec(
            rule="SPN402" if is_hub else "SPN805",
            severity=Severity.WARNING,
            reason=Reason.HOT_ROW,
            row=conflicts.top_row,
            conflict_share=conflicts.top_row_share,
            message=f"Of {conflicts.conflicts} conflicts between transactions, "
            f"{conflicts.top_row_share:.0%} were about {row}.",
            fix=(
                "FOREIGN KEY ... NOT ENFORCED, or the referenced values in the row itself"
                if is_hub
                else "several rows instead of one, or shorter transactions that read it last"
            ),
        )
        yield analysis, spec


def _is_referenced(context: AnalysisContext, table: Table) -> bool:
    return any(
        key.referenced_table == table.name
        for other in context.schema.tables.values()
        for key in other.foreign_keys
    )


RULES: tuple[Rule, ...] = (
    _contention,
    _unread_indexes,
    _large_commits,
    _many_participants,
)
