"""Rules on scans and queries: what the plans show about keys, indexes and foreign keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.base.severity import Severity
from spanemu.hotspots.finding_builder import (
    Advice,
    FindingSpec,
    Rule,
    busiest_stream,
    cost_spec,
    is_drawn,
)
from spanemu.hotspots.fixes import forms_of, in_order
from spanemu.hotspots.stream_analysis import AnalysisContext
from spanemu.hotspots.tree_load import Access, QueryUse, ScanSummary, Source
from spanemu.hotspots.verdict import Reason
from spanemu.schema.indexes import SortedIndex, TableOrIndex
from spanemu.schema.table import Column, ForeignKey, KeyPart, Table
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import ReadKind
from spanemu.values.types import TypeCode

Uses = list[tuple[QueryUse, Access]]  # statements, each with its access to one table

FETCHED_MAX = 3  # columns that an index could store instead
ONE_ENTITY_MIN = 0.8  # of a table's queries must select one value of the same column
SHOWN_MAX = 3


def _stored_columns(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN213: a frequent query reads an index and then fetches few other columns."""
    for index in context.schema.indexes.values():
        uses = [(use, access) for use, access in _uses_of_index(context, index) if access.fetched]
        fetched = {name: None for _, access in uses for name in access.fetched}
        if not _is_frequent(context, uses) or len(fetched) > FETCHED_MAX:
            continue
        columns = ", ".join(fetched)
        yield _usage_advice(
            context,
            index,
            uses,
            rule="SPN213",
            message=f"{_count(uses)} queries fetched {columns} from {index.table} for every entry.",
            fix="; ".join(
                forms_of(context.schema.dialect).store(index, column) for column in fetched
            ),
        )


def _other_order(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN219: an index has the columns that queries sort by, in another order."""
    for index in context.schema.indexes.values():
        uses = [
            (use, access)
            for use, access in _uses_of_index(context, index)
            if _could_serve(index, access)
        ]
        if not _is_frequent(context, uses):
            continue
        (order, equal), _ = Counter(
            {(access.sorted_by, access.equal): use.count for use, access in uses}
        ).most_common(1)[0]
        sought = [*((name, False) for name in equal), *order]
        yield _usage_advice(
            context,
            index,
            uses,
            rule="SPN219",
            message=f"{_count(uses)} queries sorted the rows that they read by this index.",
            fix=in_order(context.schema, index, sought),
        )


def _could_serve(index: SortedIndex, access: Access) -> bool:
    """Return whether an index on the same columns in another order would spare a sort."""
    names = {part.column.name for part in index.full_key}
    entity_uses = {name for name, _ in access.sorted_by}
    return bool(entity_uses) and entity_uses <= names - set(access.equal)


def _newest_first(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN118: a timestamp behind other key columns is stored and read in opposite orders."""
    for table in context.schema.tables.values():
        reversed_uses = [
            (use, access, table.key[len(access.equal)])
            for use in context.observations.queries
            for access in use.accesses
            if access.index is None and access.table == table.name and access.is_reversed
            if 0 < len(access.equal) < len(table.key)
        ]
        uses = [
            (use, access, part)
            for use, access, part in reversed_uses
            if part.column.type.code is TypeCode.TIMESTAMP
        ]
        if not _is_frequent(context, [(use, access) for use, access, _ in uses]):
            continue
        reversed_part = uses[0][2]
        wanted_order, other = (
            ("oldest", "newest") if reversed_part.descending else ("newest", "oldest")
        )
        yield _usage_advice(
            context,
            table,
            [(use, access) for use, access, _ in uses],
            rule="SPN118",
            column=reversed_part.column,
            message=f"{sum(use.count for use, _, _ in uses)} queries read the {wanted_order} "
            f"{reversed_part.column.name} first; the key stores the {other} first.",
            fix=forms_of(context.schema.dialect).sorted_key(
                table, list(_with_reversed(table.key, reversed_part))
            ),
        )


def _with_reversed(key: Sequence[KeyPart], reversed_part: KeyPart) -> Iterator[str]:
    for part in key:
        is_descending = part.descending != (part is reversed_part)
        yield f"{part.column.name} DESC" if is_descending else part.column.name


def _one_entity(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN128: the key is random, but queries always select the rows of one entity."""
    for table in context.schema.tables.values():
        if table.parent or len(table.key) != 1 or not _is_random(table.key[0].column):
            continue
        key = table.key[0].column.name
        uses = _uses_of_table(context, table)
        by_entity = _by_first_column(
            [(use, access) for use, access in uses if key not in access.equal]
        )
        if not by_entity:
            continue
        entity = max(by_entity, key=lambda name: _count(by_entity[name]))
        entity_uses = by_entity[entity]
        if not _is_frequent(context, entity_uses) or _count(entity_uses) < ONE_ENTITY_MIN * _count(
            uses
        ):
            continue
        yield _usage_advice(
            context,
            table,
            entity_uses,
            rule="SPN128",
            column=table.key[0].column,
            message=f"{_count(entity_uses)} queries select the rows of one {entity}, which {key} "
            "scatters over all splits.",
            fix=f"PRIMARY KEY ({entity}, {key}), or interleaved in the table of {entity}",
        )


def _uses_of_table(context: AnalysisContext, table: Table) -> Uses:
    return [
        (use, access)
        for use in context.observations.queries
        for access in use.accesses
        if access.table == table.name
    ]


def _by_first_column(uses: Uses) -> dict[str, Uses]:
    """Return the uses that read whole rows by a seek, by the first column of the seek."""
    uses_by_column: dict[str, Uses] = {}
    for use, access in uses:
        if access.equal and (access.fetched or access.index is not None):
            uses_by_column.setdefault(access.equal[0], []).append((use, access))
    return uses_by_column


def _is_random(column: Column) -> bool:
    text = (column.default or "").lower()
    return column.type.code is TypeCode.UUID or "uuid" in text or is_drawn(column)


def _idle_foreign_keys(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN401: a foreign key makes every write slower, and no query joins along it."""
    for table in context.schema.tables.values():
        for key in table.foreign_keys:
            if not key.enforced or key.cascade or key.referenced_table == table.parent:
                continue
            pair = {key.table, key.referenced_table}
            near = [use for use in context.observations.queries if use.tables & pair]
            if sum(use.count for use in near) < context.limits.reads_min:
                continue
            analysis = busiest_stream(context, table)
            if analysis.stream.commits < context.limits.verdict_commits_min:
                continue
            if any(pair <= use.tables or _reads_index(use, key) for use in near):
                continue
            spec = cost_spec(
                rule="SPN401",
                severity=Severity.INFO,
                column=next(c for c in table.columns if c.name == key.columns[0]),
                message=f"{analysis.stream.commits} commits were checked against {key.name}, and "
                f"none of {sum(use.count for use in near)} queries joins "
                f"{table.name} with {key.referenced_table}.",
                fix=forms_of(context.schema.dialect).without_foreign_key(
                    f"ALTER TABLE {table.name} DROP CONSTRAINT {key.name}"
                ),
            )
            yield analysis, spec


def _reads_index(use: QueryUse, key: ForeignKey) -> bool:
    return any(access.index in (key.index, key.referenced_index) for access in use.accesses
               if access.index is not None)  # fmt: skip


# ---------------------------------------------------------------------------- shared helpers


def _uses_of_index(
    context: AnalysisContext, index: SortedIndex
) -> Iterator[tuple[QueryUse, Access]]:
    return (
        (use, access)
        for use in context.observations.queries
        for access in use.accesses
        if access.index == index.name
    )


def _count(uses: Uses) -> int:
    return sum(use.count for use, _ in uses)


def _is_frequent(context: AnalysisContext, uses: Uses) -> bool:
    return _count(uses) >= context.limits.reads_min


def _usage_advice(
    context: AnalysisContext, relation: TableOrIndex, uses: Uses, **spec: Any
) -> Advice:
    """Return an INFO finding about a table or index, with the statements that are its evidence."""
    most = sorted(uses, key=lambda pair: -pair[0].count)
    sources = dict.fromkeys(Source(statement=use.text, tag=use.tag) for use, _ in most)
    return busiest_stream(context, relation), cost_spec(
        severity=Severity.INFO,
        sources=tuple(sources)[:SHOWN_MAX],
        **spec,
    )


def _large_scans(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN803, SPN810: scans read most of a table or index that is written."""
    limits = context.limits
    for relation in context.schema.tables_and_indexes():
        scans = context.observations.scans.get(tree_of(relation))
        if scans is None or scans.large < limits.scans_min:
            continue
        if scans.large_share < limits.scanned_part_min:
            continue
        analysis = busiest_stream(context, relation)
        if analysis.stream.commits < limits.scanned_writes_min:
            continue
        by_dml = scans.large_for.get(ReadKind.DML, 0) * 2 > scans.large
        spec = FindingSpec(
            rule="SPN810" if by_dml else "SPN803",
            severity=Severity.WARNING,
            reason=Reason.LARGE_SCAN_HOT_SPOT,
            message=f"{scans.large} of {scans.scans} scans read most of its rows, "
            f"{scans.large_rows // scans.large} rows a scan on average.",
            fix=_seekable(relation),
            notes=_scanned_for(scans),
            sources=scans.sources,
        )
        yield analysis, spec


def _seekable(relation: TableOrIndex) -> str:
    key = ", ".join(part.column.name for part in relation.declared_key)
    name = relation.name if isinstance(relation, Table) else relation.table
    return (
        f"a predicate that seeks in the key ({key}), or an index for the existing predicate: "
        f"CREATE INDEX ... ON {name}(...)"
    )


def _scanned_for(scans: ScanSummary) -> tuple[str, ...]:
    uses_by_column = [
        f"{count} large scans: {reading}" for reading, count in scans.large_for.items()
    ]
    return tuple(uses_by_column)


def _locking_scans(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN809: read-write transactions scan, and so lock, most of a table."""
    for relation in context.schema.tables_and_indexes():
        scans = context.observations.scans.get(tree_of(relation))
        count = 0 if scans is None else scans.large_for.get(ReadKind.TRANSACTION, 0)
        if scans is None or count < context.limits.scans_min:
            continue
        spec = cost_spec(
            rule="SPN809",
            severity=Severity.INFO,
            message=f"{count} scans in read-write transactions read, and so locked, most of its "
            "rows.",
            fix="a read-only transaction, or a predicate that seeks",
            sources=scans.sources,
        )
        yield busiest_stream(context, relation), spec


def _global_order(context: AnalysisContext) -> Iterator[Advice]:
    """Report SPN129: queries read ranges of time alone from a table or index sorted by time."""
    for relation in context.schema.tables_and_indexes():
        scans = context.observations.scans.get(tree_of(relation))
        key = relation.declared_key
        first = key[0].column if key else None
        if scans is None or first is None or first.type.code is not TypeCode.TIMESTAMP:
            continue
        analysis = busiest_stream(context, relation)
        if min(scans.scans - scans.large, analysis.stream.commits) < context.limits.scans_min:
            continue
        names = ", ".join(part.column.name for part in key)
        spec = cost_spec(
            rule="SPN129",
            severity=Severity.WARNING,
            column=first,
            message=f"{scans.scans - scans.large} scans read a range of {first.name} without "
            "any other column, so they need the order of the whole table.",
            fix=f"a shard column first, (ShardId, {names}), read with "
            f"ShardId IN UNNEST(GENERATE_ARRAY(0, {context.nodes - 1}))",
        )
        yield analysis, spec


RULES: tuple[Rule, ...] = (
    _large_scans,
    _locking_scans,
    _global_order,
    _stored_columns,
    _other_order,
    _newest_first,
    _one_entity,
    _idle_foreign_keys,
)
