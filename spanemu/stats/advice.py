"""Rules that DDL alone cannot decide: they need the values, the load or the reads that were seen.

Each takes the whole scene and gives what is to be told; `RULES` is the list of them. None speaks
from fewer commits than `thresholds` asks for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from spanemu.base.name_hints import like_shard
from spanemu.base.severity import Severity
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.stats.cause import Reason
from spanemu.stats.finding import Finding
from spanemu.stats.judged import Judged, Scene, judged_of
from spanemu.stats.scans import ScanSummary
from spanemu.stats.stream import Stream
from spanemu.stats.telling import Told, finding_of, is_drawn
from spanemu.stats.tree_load import Kind
from spanemu.storage.layout import TreeId, lineage, tree_of
from spanemu.storage.observer import Reading
from spanemu.values.types import TypeCode

HAND_MADE_MAX = 1 << 32  # a bit-reversed sequence gives less than that once in 2**31 values
HAND_MADE_MIN = 5  # such values

Rule = Callable[[Scene], Iterator[Finding]]


def advice(scene: Scene) -> Iterator[Finding]:
    """What all rules have to say."""
    for rule in RULES:
        yield from rule(scene)


# ---------------------------------------------------------------------------- scans and locks


def _large_scans(scene: Scene) -> Iterator[Finding]:
    """SPN803, SPN810: scans that go through most of something that is written."""
    limits = scene.limits
    for thing in scene.schema.sorted_things():
        scans = scene.seen.scans.get(tree_of(thing))
        if scans is None or scans.large < limits.scans_min:
            continue
        if scans.large_share < limits.contained_part_min:
            continue
        one = _busiest(scene, thing)
        if one.stream.commits < limits.scanned_writes_min:
            continue
        by_dml = scans.large_for.get(Reading.DML, 0) * 2 > scans.large
        yield finding_of(
            scene,
            one,
            Told(
                rule="SPN810" if by_dml else "SPN803",
                severity=Severity.WARNING,
                reason=Reason.LARGE_SCAN_HOT_SPOT,
                message=f"{scans.large} of {scans.scans} scans went through most of its rows, "
                f"{scans.large_rows // scans.large} at a time.",
                fix=_seekable(thing),
                notes=_scanned_for(scans),
                sources=scans.sources,
            ),
        )


def _seekable(thing: Table | Index) -> str:
    key = ", ".join(part.column.name for part in thing.key)
    name = thing.name if isinstance(thing, Table) else thing.table
    return (
        f"a predicate that seeks in the key ({key}), or an index for the one there is: "
        f"CREATE INDEX ... ON {name}(...)"
    )


def _scanned_for(scans: ScanSummary) -> tuple[str, ...]:
    found = [f"{count} large scans: {reading}" for reading, count in scans.large_for.items()]
    if scans.large_for.get(Reading.TRANSACTION):
        found.append("in a read-write transaction they lock what they scan (SPN809)")
    return tuple(found)


def _global_order(scene: Scene) -> Iterator[Finding]:
    """SPN129: ranges read by time alone, from what is sorted by that time."""
    for thing in scene.schema.sorted_things():
        scans = scene.seen.scans.get(tree_of(thing))
        first = thing.key[0].column if thing.key else None
        if scans is None or first is None or first.type.code is not TypeCode.TIMESTAMP:
            continue
        one = _busiest(scene, thing)
        if min(scans.scans - scans.large, one.stream.commits) < scene.limits.scans_min:
            continue
        names = ", ".join(part.column.name for part in thing.key)
        yield finding_of(
            scene,
            one,
            Told(
                rule="SPN129",
                severity=Severity.WARNING,
                reason=Reason.UNSPECIFIED,
                column=first,
                message=f"{scans.scans - scans.large} scans read a range of {first.name} without "
                "any other column: their order is of the whole table.",
                fix=f"a shard column first, (ShardId, {names}), read with "
                f"ShardId IN UNNEST(GENERATE_ARRAY(0, {scene.nodes - 1}))",
            ),
        )


def _contention(scene: Scene) -> Iterator[Finding]:
    """SPN805, SPN402: transactions that wait for each other on one row."""
    limits = scene.limits
    for thing in scene.schema.sorted_things():
        found = scene.seen.conflicts.get(tree_of(thing))
        if found is None or found.conflicts < limits.conflicts_min or found.top_row is None:
            continue
        if found.top_row_share < limits.conflict_row_share_min:
            continue
        one = _busiest(scene, thing)
        updates = scene.stream(thing, Kind.UPDATE)
        is_hub = updates is None and isinstance(thing, Table) and _is_referenced(scene, thing)
        row = one.shape.text(found.top_row)
        yield finding_of(
            scene,
            one,
            Told(
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
            ),
        )


def _is_referenced(scene: Scene, table: Table) -> bool:
    return any(
        key.referenced_table == table.name
        for other in scene.schema.tables.values()
        for key in other.foreign_keys
    )


# ---------------------------------------------------------------------------- values


def _hot_prefixes(scene: Scene) -> Iterator[Finding]:
    """SPN304, SPN704, SPN206: one parent row, tenant or value takes much of what is written."""
    for one in scene.of_kind(Kind.INSERT, Kind.UPDATE):
        if one.is_told or one.stream.commits < scene.limits.judged_min:
            continue
        root, *_ = lineage(scene.schema, one.thing)
        if root is not one.thing:
            yield from _hot_prefix(scene, one, len(root.key), "SPN304")
        elif len(one.shape.parts) > 1 and one.kind is Kind.INSERT and not _shards(one):
            rule = "SPN206" if isinstance(one.thing, Index) else "SPN704"
            yield from _hot_prefix(scene, one, 1, rule)


def _hot_prefix(scene: Scene, one: Judged, parts: int, rule: str) -> Iterator[Finding]:
    limits = scene.limits
    counts = Counter(key[:parts] for key in one.pieces)
    ((prefix, count),) = counts.most_common(1)
    share = count / len(one.pieces)
    is_parent = rule == "SPN304"
    least = limits.parent_share_warned if is_parent else limits.prefix_share_warned
    if share < max(least, limits.skew_min / len(counts)):
        return  # also where a test has one or two of them, of which nothing follows
    row, values = next(
        (key, values)
        for key, values in zip(one.pieces, one.values, strict=True)
        if key[:parts] == prefix
    )
    if values[0] is None:
        return  # for SPN207
    shown = one.shape.text(b"".join(row), parts)
    what = "One parent row" if is_parent else "One value"
    yield finding_of(
        scene,
        one,
        Told(
            rule=rule,
            severity=Severity.INFO if rule == "SPN206" else Severity.WARNING,
            reason=Reason.UNISOLATABLE_HOT_ROW,
            column=one.part(0),
            message=f"{what}, {shown}, takes {share:.0%} of the {one.kind}s.",
            fix=f"a shard column behind {one.part(parts - 1).name}, for what is large",
            notes=(f"{len(counts)} different ones in a sample of {len(one.pieces)}",),
        ),
    )


def _shards(one: Judged) -> bool:
    return like_shard(one.part(0).name)


def _few_shards(scene: Scene) -> Iterator[Finding]:
    """SPN112: fewer values of a shard column than nodes."""
    for one in scene.of_kind(Kind.INSERT):
        if not one.shape.parts or not _shards(one):
            continue
        found = one.cause.first_values
        is_known = one.stream.commits >= scene.limits.judged_min and found > 1
        if one.is_told or not is_known or found >= scene.nodes:
            continue
        yield finding_of(
            scene,
            one,
            Told(
                rule="SPN112",
                severity=Severity.INFO if scene.assumptions.nodes is None else Severity.WARNING,
                reason=Reason.UNSPECIFIED,
                column=one.part(0),
                message=f"{found} values of {one.part(0).name} keep {found} of {scene.nodes} "
                "nodes busy.",
                fix=f"MOD(..., {scene.nodes}), or as many shards as there will be nodes",
            ),
        )


def _nulls_first(scene: Scene) -> Iterator[Finding]:
    """SPN207: an index of which most entries begin with NULL."""
    for one in scene.of_kind(Kind.INSERT):
        if not isinstance(one.thing, Index) or one.stream.commits < scene.limits.judged_min:
            continue
        nulls = sum(key[0] is None for key in one.values) / len(one.values)
        if nulls < scene.limits.null_part_min or one.thing.filtered:
            continue
        yield finding_of(
            scene,
            one,
            Told(
                rule="SPN207",
                severity=Severity.WARNING,
                reason=Reason.UNSPECIFIED,
                column=one.part(0),
                message=f"{nulls:.0%} of the new entries have NULL in {one.part(0).name}, and lie "
                "side by side.",
                fix=f"CREATE NULL_FILTERED INDEX {one.thing.name} ON {one.table.name}"
                f"({', '.join(part.column.name for part in one.thing.key)})",
            ),
        )


def _hand_made_ids(scene: Scene) -> Iterator[Finding]:
    """SPN126: small numbers beside those of a sequence, which will give the same some day."""
    for one in scene.of_kind(Kind.INSERT):
        if not isinstance(one.thing, Table) or not one.shape.parts or not is_drawn(one.part(0)):
            continue
        identity = one.part(0).identity
        if identity is not None and (identity.skip_range or identity.start_counter):
            continue
        numbers = [key[0] for key in one.values if isinstance(key[0], int)]
        small = sum(number < HAND_MADE_MAX for number in numbers)
        if small >= HAND_MADE_MIN and small < len(numbers):
            name = one.part(0).name
            yield finding_of(
                scene,
                one,
                Told(
                    rule="SPN126",
                    severity=Severity.INFO,
                    reason=Reason.UNSPECIFIED,
                    column=one.part(0),
                    message=f"{small} of {len(numbers)} values of {name} were not drawn from its "
                    "sequence.",
                    fix=f"ALTER TABLE {one.table.name} ALTER COLUMN {name} "
                    f"SET SKIP RANGE 1, {max(n for n in numbers if n < HAND_MADE_MAX)}",
                ),
            )


# ---------------------------------------------------------------------------- load


def _unread_indexes(scene: Scene) -> Iterator[Finding]:
    """SPN215: an index that was written and never read, though its table was."""
    for one in scene.of_kind(Kind.INSERT):
        index = one.thing
        if not isinstance(index, Index) or index.managed_by or index.unique:
            continue
        reads = _reads(scene, tree_of(one.table))
        if one.stream.commits < scene.limits.judged_min or reads < scene.limits.reads_min:
            continue
        if _reads(scene, tree_of(index)) == 0:
            yield finding_of(
                scene,
                one,
                Told(
                    rule="SPN215",
                    severity=Severity.INFO,
                    reason=Reason.UNSPECIFIED,
                    message=f"Written by {one.stream.commits} commits and never read, while "
                    f"{one.table.name} was read {reads} times.",
                    fix=f"DROP INDEX {index.name}",
                ),
            )


def _reads(scene: Scene, tree: TreeId) -> int:
    scans, by_key = scene.seen.scans.get(tree), scene.seen.streams.get((tree, Kind.READ))
    return (0 if scans is None else scans.scans) + (0 if by_key is None else by_key.commits)


def _large_commits(scene: Scene) -> Iterator[Finding]:
    """SPN811: a commit that comes near the limit of mutations."""
    largest = max(scene.seen.trace, key=lambda commit: len(commit[1]), default=None)
    if largest is None or len(largest[1]) < scene.limits.commit_rows_max:
        return
    one = _of_most(scene, Counter(tree for tree, _, _ in largest[1]))
    if one is not None:
        yield finding_of(
            scene,
            one,
            Told(
                rule="SPN811",
                severity=Severity.WARNING,
                reason=Reason.UNSPECIFIED,
                message=f"One commit wrote {len(largest[1])} rows and index entries; "
                "80,000 mutations are the limit.",
                fix="commits of some hundred rows, 1 to 5 MB each",
            ),
        )


def _many_participants(scene: Scene) -> Iterator[Finding]:
    """SPN808: commits whose rows would lie in many splits."""
    commits = scene.seen.trace
    mean_count = scene.participants
    if len(commits) < scene.limits.judged_min or mean_count is None:
        return
    if mean_count < scene.limits.participants_min:
        return
    one = _of_most(scene, Counter(tree for _, writes in commits for tree, _, _ in writes))
    if one is not None:
        yield finding_of(
            scene,
            one,
            Told(
                rule="SPN808",
                severity=Severity.INFO,
                reason=Reason.UNSPECIFIED,
                message=f"A commit has {mean_count:.1f} participants on average, were every key "
                f"space divided in {scene.limits.buckets}.",
                fix="rows that are written together under one parent, and fewer indexes",
            ),
        )


def _of_most(scene: Scene, counts: Counter[TreeId]) -> Judged | None:
    """The table of which most was written."""
    tables = {tree_of(table): table for table in scene.schema.tables.values()}
    for tree, _ in counts.most_common():
        if tree in tables:
            return _busiest(scene, tables[tree])
    return None


def _busiest(scene: Scene, thing: Table | Index) -> Judged:
    """The longest of a thing's streams of writes; an empty one where nothing was written."""
    found = [one for one in scene.judged if one.thing is thing and one.kind is not Kind.READ]
    if found:
        return max(found, key=lambda one: one.stream.commits)
    return judged_of(scene.schema, thing, Kind.INSERT, Stream(scene.limits).summary(), scene.limits)


RULES: tuple[Rule, ...] = (
    _large_scans,
    _global_order,
    _contention,
    _hot_prefixes,
    _few_shards,
    _nulls_first,
    _hand_made_ids,
    _unread_indexes,
    _large_commits,
    _many_participants,
)
