"""Rules on how much is written at once, and what is written for nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from spanemu.base.severity import Severity
from spanemu.hotspots.advice.rule import Advice, Rule, busiest, cost
from spanemu.hotspots.stream_analysis import AnalysisContext, StreamAnalysis
from spanemu.hotspots.tree_load import Kind
from spanemu.schema.index import Index
from spanemu.storage.layout import TreeId, tree_of


def _unread_indexes(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN215: an index that was written and never read, though its table was."""
    for one in scene.of_kind(Kind.INSERT):
        index = one.thing
        if not isinstance(index, Index) or index.managed_by or index.unique:
            continue
        reads = _reads(scene, tree_of(one.table))
        if one.stream.commits < scene.limits.judged_min or reads < scene.limits.reads_min:
            continue
        if _reads(scene, tree_of(index)) == 0:
            told = cost(
                rule="SPN215",
                severity=Severity.INFO,
                message=f"Written by {one.stream.commits} commits and never read, while "
                f"{one.table.name} was read {reads} times.",
                fix=f"DROP INDEX {index.name}",
            )
            yield one, told


def _reads(scene: AnalysisContext, tree: TreeId) -> int:
    scans, by_key = scene.seen.scans.get(tree), scene.seen.streams.get((tree, Kind.READ))
    return (0 if scans is None else scans.scans) + (0 if by_key is None else by_key.commits)


def _large_commits(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN811: a commit that comes near the limit of mutations."""
    largest = max(scene.seen.trace, key=lambda commit: len(commit[1]), default=None)
    if largest is None or len(largest[1]) < scene.limits.commit_rows_max:
        return
    one = _of_most(scene, Counter(tree for tree, _, _ in largest[1]))
    if one is not None:
        told = cost(
            rule="SPN811",
            severity=Severity.WARNING,
            message=f"One commit wrote {len(largest[1])} rows and index entries; "
            "80,000 mutations are the limit.",
            fix="commits of some hundred rows, 1 to 5 MB each",
        )
        yield one, told


def _many_participants(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN808: commits whose rows would lie in many splits."""
    commits = scene.seen.trace
    mean_count = scene.participants
    if len(commits) < scene.limits.judged_min or mean_count is None:
        return
    if mean_count < scene.limits.participants_min:
        return
    one = _of_most(scene, Counter(tree for _, writes in commits for tree, _, _ in writes))
    if one is not None:
        told = cost(
            rule="SPN808",
            severity=Severity.INFO,
            message=f"A commit has {mean_count:.1f} participants on average, were every key "
            f"space divided in {scene.limits.buckets}.",
            fix="rows that are written together under one parent, and fewer indexes",
        )
        yield one, told


def _of_most(scene: AnalysisContext, counts: Counter[TreeId]) -> StreamAnalysis | None:
    """The table of which most was written."""
    tables = {tree_of(table): table for table in scene.schema.tables.values()}
    for tree, _ in counts.most_common():
        if tree in tables:
            return busiest(scene, tables[tree])
    return None


RULES: tuple[Rule, ...] = (
    _unread_indexes,
    _large_commits,
    _many_participants,
)
