"""Writes seeds through the official client's `Database`.

Rows of all files go together, table by table in the order that constraints ask for, many to a
commit. When Spanner refuses a commit its rows are tried one by one, to name the one at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from google.api_core.exceptions import GoogleAPICallError

from pytest_spanemu.clean_errors import refused_statement
from pytest_spanemu.databases.catalog import Catalog, TableInfo
from pytest_spanemu.seeds.files import SQL, SeedRow, rows_of, seed_files
from pytest_spanemu.seeds.values import wire_value
from pytest_spanemu.sources.files import read, steps_of
from pytest_spanemu.sources.source import Dml, SourceError

MUTATIONS_PER_COMMIT = 20_000  # a quarter of Spanner's limit, since index entries count as well

_Insert = tuple[SeedRow, str, tuple[str, ...], list[Any]]  # table, columns, values


def load_seeds(
    database: Any, seeds: Sequence[str], root: Path, tell: Callable[[str], None] = lambda _: None
) -> None:
    """Write the rows of seed files, then run their statements. Raises SourceError.

    `tell` is called with the progress, in words.
    """
    files = seed_files(seeds, root)
    rows = [row for path in files for row in rows_of(path)]
    if rows:
        done = 0
        for count in _write(database, _inserts(Catalog.of(database), rows)):
            done += count
            tell(f"{done:,} of {len(rows):,} rows of the seeds")
    for path in files:
        if path.suffix == SQL:
            _run(database, path)


def _inserts(catalog: Catalog, rows: Iterable[SeedRow]) -> Iterator[tuple[_Insert, int]]:
    """Inserts, those that others refer to first, and how many mutations each counts for."""
    by_table: dict[str, list[SeedRow]] = {}
    for row in rows:
        try:
            by_table.setdefault(catalog.table(row.table).name, []).append(row)
        except KeyError as missing:
            raise SourceError(f"{row.place}: {missing.args[0]}") from None
    for table in catalog.insertion_order():
        for row in by_table.get(table.name, ()):
            columns = tuple(row.values)
            values = [_cell(table, row, name) for name in columns]
            yield (row, table.name, columns, values), len(columns) * (1 + len(table.unique))


def _cell(table: TableInfo, row: SeedRow, name: str) -> Any:
    for column in table.columns.values():
        if column.name.lower() == name.lower():
            return wire_value(column, row.values[name])
    raise SourceError(f"{row.place}: table {table.name} has no column {name!r}")


def _write(database: Any, inserts: Iterable[tuple[_Insert, int]]) -> Iterator[int]:
    """Commit inserts, many at once. Yield how many rows each commit had."""
    waiting: list[_Insert] = []
    mutations = 0
    for insert, counted in inserts:
        waiting.append(insert)
        mutations += counted
        if mutations > MUTATIONS_PER_COMMIT:
            _commit(database, waiting)
            yield len(waiting)
            waiting, mutations = [], 0
    if waiting:
        _commit(database, waiting)
        yield len(waiting)


def _commit(database: Any, inserts: Sequence[_Insert]) -> None:
    grouped: dict[tuple[str, tuple[str, ...]], list[list[Any]]] = {}
    for _, table, columns, values in inserts:
        grouped.setdefault((table, columns), []).append(values)
    try:
        with database.batch() as batch:
            for (table, columns), listed in grouped.items():
                batch.insert(table, columns, listed)
    except (GoogleAPICallError, ValueError, TypeError) as problem:
        if len(inserts) == 1:
            raise SourceError(f"{inserts[0][0].place}: {_told(problem)}") from None
        for insert in inserts:
            _commit(database, [insert])
        raise SourceError(f"{inserts[0][0].place} and rows after it: {_told(problem)}") from None


def _run(database: Any, path: Path) -> None:
    for step in steps_of(read(path), str(path)):
        if not isinstance(step, Dml):
            line = getattr(step, "line", 1)
            raise SourceError(
                f"{path}:{line}: seeds change rows; this is no INSERT, UPDATE or DELETE"
            )
        sql = step.text
        try:
            database.run_in_transaction(
                lambda transaction, sql=sql: transaction.execute_update(sql)
            )
        except GoogleAPICallError as problem:
            raise refused_statement(step, problem) from None


def _told(problem: Exception) -> str:
    """What went wrong, without the number that clients add for Google's support."""
    return str(getattr(problem, "message", problem)).partition(", request_id")[0]
