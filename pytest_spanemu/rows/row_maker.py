"""Creates rows: which columns get a value, and where the value comes from.

column                     value
passed by the test         as passed
key of the parent          from the parent row, which is created if the test passes none
foreign key                NULL if the column is nullable, else from a new referenced row
generated                  none, the server computes it
with a default             none, unless a provider names the column
commit timestamp           the time of the commit
listed by a check          one of the listed values
enumeration of a model     one of its values
other columns              a value by name and type, distinct where a unique index needs it
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP

from pytest_spanemu.databases.catalog import Catalog, ColumnInfo, ForeignKeyInfo, TableInfo
from pytest_spanemu.options import Dialect
from pytest_spanemu.rows.values import ValueGenerator, allowed_values
from pytest_spanemu.rows.writing import Insertion, Row, is_pending, row_sql_of
from pytest_spanemu.sources.source import Choices
from pytest_spanemu.sql import parameter_types

__tracebackhide__ = True  # hides these frames in pytest's tracebacks

TRIES_MAX = 100


class RowRefused(ValueError):
    """No generated row satisfies the schema; the message says what to pass."""


class RowMaker:
    """A generator of rows for all tables.

    `make_row(table)` writes and returns a row that another row needs: a parent or referenced row.
    """

    def __init__(
        self,
        database: Any,
        catalog: Catalog,
        values: ValueGenerator,
        make_row: Callable[[TableInfo], Row],
        choices: Choices,
    ) -> None:
        self._database = database
        self._catalog = catalog
        self._values = values
        self._make_row = make_row
        self._choices = choices
        self._seen: dict[tuple[str, tuple[str, ...]], set[tuple[str, ...]]] = {}
        self._numbers: dict[tuple[str, str], int] = {}

    def row(self, table: TableInfo, given: Mapping[str, Any], parent: Row | None) -> Row:
        """Return a new row without writing it. Raises RowRefused; TypeError for unknown columns."""
        fixed = {table.column(name).name: value for name, value in given.items()}
        self._take_parent(table, fixed, parent)
        self._take_referenced(table, fixed)
        for _ in range(TRIES_MAX):
            row = self._complete(table, fixed)
            if self._is_new(table, row) and self._satisfies(table, row):
                self._remember(table, row)
                return row
        raise RowRefused(self._advice(table))

    # ------------------------------------------------------------------ sources of values

    def _take_parent(self, table: TableInfo, fixed: Row, parent: Row | None) -> None:
        if table.parent is None:
            if parent is not None:
                self._take_referring(table, fixed, parent)
            return
        parent_table = self._catalog.table(table.parent)
        if all(part in fixed for part in parent_table.key):
            return
        row = parent if parent is not None else self._make_row(parent_table)
        for part in parent_table.key:
            fixed.setdefault(part, row[part])

    def _take_referring(self, table: TableInfo, fixed: Row, parent: Row) -> None:
        """Fill in the first foreign key whose referenced columns `parent` has.

        This is what `parent=` means for a table that is not interleaved.
        """
        for foreign_key in table.foreign_keys:
            if all(name in parent for name in foreign_key.referenced):
                _refer(foreign_key, fixed, parent)
                return
        raise TypeError(
            f"{table.name} is not interleaved and has no foreign key to the columns of parent="
        )

    def _take_referenced(self, table: TableInfo, fixed: Row) -> None:
        for foreign_key in table.foreign_keys:
            missing = [name for name in foreign_key.columns if name not in fixed]
            if not missing or all(table.columns[name].left_to_server for name in missing):
                continue
            if foreign_key.table == table.name or any(
                table.columns[name].nullable for name in missing
            ):
                for name in missing:
                    if table.columns[name].nullable:
                        fixed[name] = None
                continue
            _refer(foreign_key, fixed, self._make_row(self._catalog.table(foreign_key.table)))

    def _complete(self, table: TableInfo, fixed: Row) -> Row:
        row = dict(fixed)
        for column in table.columns.values():
            if column.name in row or column.generated:
                continue
            if column.has_default and not self._values.has_provider_by_name(table.name, column):
                continue
            row[column.name] = self._value(table, column)
        for foreign_key in table.foreign_keys:  # A row may have to reference itself.
            if foreign_key.table == table.name:
                for name, other in zip(foreign_key.columns, foreign_key.referenced, strict=True):
                    if name not in fixed and not table.columns[name].nullable:
                        row[name] = row[other]
        return {name: row[name] for name in table.columns if name in row}

    def _value(self, table: TableInfo, column: ColumnInfo) -> Any:
        if column.commit_timestamp:
            return COMMIT_TIMESTAMP
        if not self._values.has_provider(table.name, column) and (
            listed := self._listed(table, column)
        ):
            return self._values.faker.random_element(listed)
        if column.name in table.key:
            if table.parent is not None and column.kind == "INT64":
                return self._next_number(table, column)  # AlbumId 1, 2, 3 of a singer
            return self._values.key_part(table.name, column)
        return self._values.value(table.name, column)

    def _listed(self, table: TableInfo, column: ColumnInfo) -> tuple[Any, ...]:
        """Return the values that a check or a model lists for a column, none without a list."""
        checks, dialect = tuple(table.checks), self._catalog.dialect
        listed = allowed_values(column.name, column.kind, checks, dialect)
        return listed or self._choices.get((table.name.lower(), column.name.lower()), ())

    def _next_number(self, table: TableInfo, column: ColumnInfo) -> int:
        if self._values.has_provider(table.name, column):
            return int(self._values.key_part(table.name, column))
        number = self._numbers[table.name, column.name] = (
            self._numbers.get((table.name, column.name), 0) + 1
        )
        return number

    # ------------------------------------------------------------------ constraints

    def _unique_columns(self, table: TableInfo, row: Row) -> list[tuple[str, ...]]:
        """Return the key and the unique indexes of which the row has all values.

        In PostgreSQL, a unique index takes any number of rows with NULL.
        """
        nulls_distinct = self._catalog.dialect is Dialect.POSTGRESQL
        return [
            columns
            for columns in (table.key, *table.unique)
            if all(name in row and not is_pending(table, name, row[name]) for name in columns)
            and not (nulls_distinct and any(row[name] is None for name in columns))
        ]

    def _is_new(self, table: TableInfo, row: Row) -> bool:
        return not any(
            _cells(row, columns) in self._seen.get((table.name, columns), ())
            for columns in self._unique_columns(table, row)
        )

    def _remember(self, table: TableInfo, row: Row) -> None:
        for columns in self._unique_columns(table, row):
            self._seen.setdefault((table.name, columns), set()).add(_cells(row, columns))

    def _satisfies(self, table: TableInfo, row: Row) -> bool:
        """Return whether a row satisfies the checks of its table, which the server evaluates."""
        if not table.checks:
            return True
        sql = row_sql_of(self._catalog.dialect)
        insertion = Insertion.of(table, row, sql)
        columns = ", ".join(
            f"{sql.cast(expression, table.columns[name].declared)} AS {sql.quoted(name)}"
            for name, expression in insertion.expressions.items()
        )
        text = f"SELECT {sql.all_hold(table.checks)} FROM (SELECT {columns}) AS {sql.quoted('row')}"
        types = parameter_types(self._database, insertion.params)
        with self._database.snapshot() as snapshot:
            try:
                rows = list(snapshot.execute_sql(text, insertion.params, types or None))
            except Exception:  # The check reads columns that only an insert gives a value.
                return True
        return bool(rows[0][0])

    @staticmethod
    def _advice(table: TableInfo) -> str:
        checks = "; ".join(table.checks)
        return (
            f"no row of {table.name} in {TRIES_MAX} tries was unique and satisfied its checks"
            f"{f' ({checks})' if checks else ''}: pass values, or add a provider "
            f'(spanner_factory.provider("{table.name}.<column>", lambda faker: ...))'
        )


def _refer(foreign_key: ForeignKeyInfo, fixed: Row, target: Row) -> None:
    for name, other in zip(foreign_key.columns, foreign_key.referenced, strict=True):
        fixed.setdefault(name, target[other])


def _cells(row: Row, columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(repr(row[name]) for name in columns)
