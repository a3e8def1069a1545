"""The whole row that an INSERT proposes: what it lists, defaults, and generated columns.

Which row it conflicts with, and what EXCLUDED means, depends on columns that the statement does
not list. So they are computed over its source. Defaults are then written as if they had been
listed, since the conflict was judged by that very value; NULLs and generated columns the
transaction makes anyway. INSERT OR UPDATE goes by the key alone, and leaves the rest of an
existing row as it is: only the defaults of its key are computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.dml.defaults import default_value
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.queries.table_relation import TableRelation
from spanemu.sql.analyzer.resolved import ColumnRef, Expr, ProjectScan, ResolvedColumn, Scan
from spanemu.sql.analyzer.scope import Scope


class ProposedRows(NamedTuple):
    """Rows to insert: `values` of `source` are for `columns`, then for `computed`."""

    source: Scan
    columns: tuple[Column, ...]
    values: tuple[ResolvedColumn, ...]
    computed: tuple[Column, ...] = ()


def completed(rows: ProposedRows, table: Table, analysis: Analysis) -> ProposedRows:
    """The same rows with the columns that are not listed."""
    env = Env(analysis, Scope(None), "DEFAULT expression", {})
    pairs = zip(rows.columns, rows.values, strict=True)
    known = {column.name: value for column, value in pairs}
    written = list(rows.columns)
    unwritten: list[Column] = []
    filled: list[tuple[ResolvedColumn, Expr]] = []
    for column in table.columns:
        if column.name in known or column.generated is not None:
            continue
        known[column.name] = value = analysis.column(column.name, column.type)
        filled.append((value, default_value(column, env)))
        (written if _has_default(column) else unwritten).append(column)
    row = _ProposedRow(table, analysis, dict(known))
    generated: list[tuple[ResolvedColumn, Expr]] = []
    for column in table.columns:
        if column.generated is not None:
            known[column.name] = value = analysis.column(column.name, column.type)
            generated.append((value, row.reference(column)))
            unwritten.append(column)
    source = rows.source
    for computed in (filled, generated):
        if computed:
            source = ProjectScan(source, tuple(computed))
    values = tuple(known[column.name] for column in (*written, *unwritten))
    return ProposedRows(source, tuple(written), values, tuple(unwritten))


def keyed(rows: ProposedRows, table: Table, analysis: Analysis) -> ProposedRows:
    """The same rows with the defaults of the key columns that are not listed."""
    env = Env(analysis, Scope(None), "DEFAULT expression", {})
    listed = {column.name for column in rows.columns}
    left_out = tuple(
        [each for each in table.key_columns if each.name not in listed and _has_default(each)]
    )
    if not left_out:
        return rows
    filled = tuple(
        [(analysis.column(each.name, each.type), default_value(each, env)) for each in left_out]
    )
    return ProposedRows(
        ProjectScan(rows.source, filled),
        (*rows.columns, *left_out),
        (*rows.values, *(value for value, _ in filled)),
    )


def _has_default(column: Column) -> bool:
    return column.default is not None or column.identity is not None


class _ProposedRow(TableRelation):
    """A row of which every column that is not generated is at hand."""

    def __init__(
        self, table: Table, analysis: Analysis, values: Mapping[str, ResolvedColumn]
    ) -> None:
        super().__init__(table.name, table, analysis, inline=True)
        self._values = values

    def reference(self, column: Column) -> Expr:
        if column.generated is not None:
            return self._expression(column)
        value = self._values[column.name]
        return ColumnRef(value.type, value)
