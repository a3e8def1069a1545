"""Rules on the statements that ran: what their plans say about keys, indexes and foreign keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.base.severity import Severity
from spanemu.hotspots.advice.rule import Advice, Rule, busiest, cost
from spanemu.hotspots.finding_builder import is_drawn
from spanemu.hotspots.sources import Source
from spanemu.hotspots.stream_analysis import AnalysisContext
from spanemu.hotspots.tree_load import Access, QueryUse
from spanemu.schema.column import Column, KeyPart
from spanemu.schema.constraints import ForeignKey
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.values.types import TypeCode

Uses = list[tuple[QueryUse, Access]]  # statements, each with what it does with one table

FETCHED_MAX = 3  # columns that an index might as well store
ONE_ENTITY_MIN = 0.8  # of a table's queries, that they name one value of the same column
SHOWN_MAX = 3


def _stored_columns(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN213: a frequent query takes rows by an index, and then fetches few columns."""
    for index in scene.schema.indexes.values():
        uses = [(use, each) for use, each in _of(scene, index) if each.fetched]
        fetched = {name: None for _, each in uses for name in each.fetched}
        if not _often(scene, uses) or len(fetched) > FETCHED_MAX:
            continue
        columns = ", ".join(fetched)
        yield _told(
            scene,
            index,
            uses,
            rule="SPN213",
            message=f"{_count(uses)} queries fetched {columns} from {index.table} for every entry.",
            fix="; ".join(
                f"ALTER INDEX {index.name} ADD STORED COLUMN {column}" for column in fetched
            ),
        )


def _wanted_order(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN219: an index has the columns that queries sort by, in another order."""
    for index in scene.schema.indexes.values():
        uses = [(use, each) for use, each in _of(scene, index) if _could_serve(index, each)]
        if not _often(scene, uses):
            continue
        (order, equal), _ = Counter(
            {(each.sorted_by, each.equal): use.count for use, each in uses}
        ).most_common(1)[0]
        sought = [*equal, *(f"{name} DESC" if descending else name for name, descending in order)]
        yield _told(
            scene,
            index,
            uses,
            rule="SPN219",
            message=f"{_count(uses)} queries sorted what they had read by it.",
            fix=f"CREATE INDEX {index.name} ON {index.table}({', '.join(sought)})",
        )


def _could_serve(index: Index, access: Access) -> bool:
    """Whether the same columns of the key, arranged in another way, would spare a sort."""
    names = {part.column.name for part in index.full_key}
    wanted = {name for name, _ in access.sorted_by}
    return bool(wanted) and wanted <= names - set(access.equal)


def _newest_first(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN118: a time behind other key columns is stored in one direction and read in the other."""
    for table in scene.schema.tables.values():
        found = [
            (use, each, table.key[len(each.equal)])
            for use in scene.seen.queries
            for each in use.accesses
            if each.index is None and each.table == table.name and each.is_reversed
            if 0 < len(each.equal) < len(table.key)
        ]
        uses = [
            (use, each, part)
            for use, each, part in found
            if part.column.type.code is TypeCode.TIMESTAMP
        ]
        if not _often(scene, [(use, each) for use, each, _ in uses]):
            continue
        turned = uses[0][2]
        way, other = ("oldest", "newest") if turned.descending else ("newest", "oldest")
        yield _told(
            scene,
            table,
            [(use, each) for use, each, _ in uses],
            rule="SPN118",
            column=turned.column,
            message=f"{sum(use.count for use, _, _ in uses)} queries read the {way} "
            f"{turned.column.name} first; the key has the {other} first.",
            fix=f"PRIMARY KEY ({', '.join(_turned(table.key, turned))})",
        )


def _turned(key: Sequence[KeyPart], turned: KeyPart) -> Iterator[str]:
    for part in key:
        is_descending = part.descending != (part is turned)
        yield f"{part.column.name} DESC" if is_descending else part.column.name


def _one_entity(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN128: a random key, where queries always want the rows of one entity."""
    for table in scene.schema.tables.values():
        if table.parent or len(table.key) != 1 or not _is_random(table.key[0].column):
            continue
        key = table.key[0].column.name
        uses = _uses_of(scene, table)
        by_entity = _by_first_column([(use, each) for use, each in uses if key not in each.equal])
        if not by_entity:
            continue
        entity = max(by_entity, key=lambda name: _count(by_entity[name]))
        wanted = by_entity[entity]
        if not _often(scene, wanted) or _count(wanted) < ONE_ENTITY_MIN * _count(uses):
            continue
        yield _told(
            scene,
            table,
            wanted,
            rule="SPN128",
            column=table.key[0].column,
            message=f"{_count(wanted)} queries want the rows of one {entity}, which {key} scatters "
            "over all splits.",
            fix=f"PRIMARY KEY ({entity}, {key}), or interleaved in the table of {entity}",
        )


def _uses_of(scene: AnalysisContext, table: Table) -> Uses:
    return [
        (use, each)
        for use in scene.seen.queries
        for each in use.accesses
        if each.table == table.name
    ]


def _by_first_column(uses: Uses) -> dict[str, Uses]:
    """Uses that seek rows and take them whole, by the column that they seek by first."""
    found: dict[str, Uses] = {}
    for use, each in uses:
        if each.equal and (each.fetched or each.index is not None):
            found.setdefault(each.equal[0], []).append((use, each))
    return found


def _is_random(column: Column) -> bool:
    text = (column.default or "").lower()
    return column.type.code is TypeCode.UUID or "uuid" in text or is_drawn(column)


def _idle_foreign_keys(scene: AnalysisContext) -> Iterator[Advice]:
    """SPN401: a foreign key costs every write something, and no query joins along it."""
    for table in scene.schema.tables.values():
        for key in table.foreign_keys:
            if not key.enforced or key.cascade or key.referenced_table == table.parent:
                continue
            pair = {key.table, key.referenced_table}
            near = [use for use in scene.seen.queries if use.tables & pair]
            if sum(use.count for use in near) < scene.limits.reads_min:
                continue
            one = busiest(scene, table)
            if one.stream.commits < scene.limits.judged_min:
                continue
            if any(pair <= use.tables or _reads_index(use, key) for use in near):
                continue
            told = cost(
                rule="SPN401",
                severity=Severity.INFO,
                column=next(c for c in table.columns if c.name == key.columns[0]),
                message=f"{one.stream.commits} commits were checked against {key.name}, and "
                f"none of {sum(use.count for use in near)} queries joins "
                f"{table.name} with {key.referenced_table}.",
                fix=f"ALTER TABLE {table.name} DROP CONSTRAINT {key.name}, or NOT ENFORCED",
            )
            yield one, told


def _reads_index(use: QueryUse, key: ForeignKey) -> bool:
    return any(each.index in (key.index, key.referenced_index) for each in use.accesses
               if each.index is not None)  # fmt: skip


# ---------------------------------------------------------------------------- what they share


def _of(scene: AnalysisContext, index: Index) -> Iterator[tuple[QueryUse, Access]]:
    return (
        (use, each)
        for use in scene.seen.queries
        for each in use.accesses
        if each.index == index.name
    )


def _count(uses: Uses) -> int:
    return sum(use.count for use, _ in uses)


def _often(scene: AnalysisContext, uses: Uses) -> bool:
    return _count(uses) >= scene.limits.reads_min


def _told(scene: AnalysisContext, thing: Table | Index, uses: Uses, **told: Any) -> Advice:
    """Information about a table or index, with the statements that it goes by."""
    most = sorted(uses, key=lambda pair: -pair[0].count)
    sources = dict.fromkeys(Source(statement=use.text, tag=use.tag) for use, _ in most)
    return busiest(scene, thing), cost(
        severity=Severity.INFO,
        sources=tuple(sources)[:SHOWN_MAX],
        **told,
    )


RULES: tuple[Rule, ...] = (
    _stored_columns,
    _wanted_order,
    _newest_first,
    _one_entity,
    _idle_foreign_keys,
)
