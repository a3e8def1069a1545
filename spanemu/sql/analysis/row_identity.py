"""The columns that tell the rows of a query apart, where the form of the query guarantees it.

A graph's element may come from a view. Spanner accepts two forms: rows of one table with its
primary key, and rows that GROUP BY or SELECT DISTINCT has made distinct. WHERE, HAVING, ORDER BY,
LIMIT and TABLESAMPLE leave out rows and change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.resolved import (
    AggregateScan,
    ColumnRef,
    FilterScan,
    LimitScan,
    OrderScan,
    ProjectScan,
    ResolvedColumn,
    SampleScan,
    Scan,
    TableScan,
)


def row_identity(
    scan: Scan, outputs: Sequence[tuple[str, ResolvedColumn]]
) -> tuple[frozenset[str], ...] | None:
    """Return the names that each identifying column has among the outputs.

    Return None if the form of the query guarantees nothing, or an identifying column is no output.
    """
    columns = _identity(scan)
    if not columns:
        return None
    names = tuple(
        frozenset(name for name, output in outputs if output.id in ids) for ids in columns
    )
    return names if all(names) else None


def _identity(scan: Scan) -> list[set[int]] | None:
    """Return the ids under which each identifying column of a scan's rows is known."""
    match scan:
        case TableScan(table=table, columns=columns):
            return [
                {output.id for output, stored in columns if stored.id == part.id}
                for part in table.key_columns
            ]
        case AggregateScan(keys=keys):
            return [{column.id} for column, _ in keys]
        case ProjectScan(input=inside, computed=computed):
            identity = _identity(inside)
            for column, value in computed:
                for ids in identity or ():
                    if isinstance(value, ColumnRef) and value.column.id in ids:
                        ids.add(column.id)
            return identity
        case (
            FilterScan(input=inside)
            | LimitScan(input=inside)
            | OrderScan(input=inside)
            | SampleScan(input=inside)
        ):
            return _identity(inside)
    return None
