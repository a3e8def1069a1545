"""One row after another: which columns get a value, and where it comes from.

given                     as given
key of the parent         the parent row's, made if there is none
foreign key, NOT NULL     the referenced row's, made if there is none; NULL where it may be
generated                 left to the server
default                   left to the server, unless a provider names the column
commit timestamp          the time of the commit
listed by a check         one of those values
an enumeration of models  one of its values
anything else             a value by name and type, distinct where an index wants it so
"""

from __future__ import annotations

import datetime
import decimal
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP

from pytest_spanemu.databases.catalog import Catalog, ColumnInfo, ForeignKeyInfo, TableInfo
from pytest_spanemu.rows.values import Values
from pytest_spanemu.rows.writing import Row, is_pending, parameters
from pytest_spanemu.sources.source import Choices
from pytest_spanemu.sql import type_of
from spanemu.base.errors import SpannerError
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.sql import syntax_tree as ast
from spanemu.sql.dialects import dialect_of
from spanemu.sql.inspection import called_function, walk

__tracebackhide__ = True  # from pytest, whose users look for their own lines

# A value that a check lists for the result of these is a candidate for the column itself.
_CASE_FUNCTIONS = frozenset({"UPPER", "LOWER"})


@lru_cache(maxsize=1024)
def allowed_values(column: str, kind: str, checks: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the literals that the checks of a table list for a column of type `kind`."""
    found = [_value(literal, kind) for check in checks for literal in _literals(column, check)]
    return tuple(dict.fromkeys(value for value in found if value is not None))


def _literals(column: str, check: str) -> Iterator[ast.Expression]:
    try:
        tree = dialect_of(GOOGLE_STANDARD_SQL).parse_expression(check)
    except SpannerError:  # of a newer Spanner: its checks are tried, not understood
        return
    for node, _ in walk(tree):
        if isinstance(node, ast.In) and not node.negated and _is_column(node.operand, column):
            yield from node.items
            if isinstance(node.unnest, ast.ArrayConstructor):
                yield from node.unnest.items
        elif isinstance(node, ast.Binary) and node.op == "=":
            if _is_column(node.left, column):
                yield node.right
            elif _is_column(node.right, column):
                yield node.left


def _is_column(node: ast.Expression, column: str) -> bool:
    if isinstance(node, ast.Call) and called_function(node) in _CASE_FUNCTIONS:
        node = node.arguments[0]
    return isinstance(node, ast.Name) and str(node.path).lower() == column.lower()


def _value(node: ast.Expression, kind: str) -> Any:
    """Return a literal as the official client takes it for a column, None for what is none."""
    match node:
        case ast.Unary("-", ast.IntLiteral() | ast.FloatLiteral() as operand):
            return -_value(operand, kind)
        case ast.IntLiteral(value) | ast.FloatLiteral(value):
            if kind == "NUMERIC":
                return decimal.Decimal(node.text or str(value))
            return float(value) if kind.startswith("FLOAT") else value
        case ast.StringLiteral(text) | ast.TypedLiteral(_, text):
            return _parsed(text, kind)
        case ast.BytesLiteral(value):
            return b64encode(value)
        case ast.BoolLiteral(value):
            return value
    return None


def _parsed(text: str, kind: str) -> Any:
    try:
        match kind:
            case "NUMERIC":
                return decimal.Decimal(text)
            case "DATE":
                return datetime.date.fromisoformat(text)
            case "TIMESTAMP":
                moment = datetime.datetime.fromisoformat(text)
                return moment if moment.tzinfo is not None else None  # of a zone of the server's
    except (ValueError, decimal.InvalidOperation):  # which the server reads in more forms
        return None
    return text


TRIES_MAX = 100


class RowRefused(ValueError):
    """No row could be made that the schema accepts; says what to give."""


class RowMaker:
    """Makes rows of all tables. `make_row(table)` is asked for rows that others need."""

    def __init__(
        self,
        database: Any,
        catalog: Catalog,
        values: Values,
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
        """A row, not written yet. Raises RowRefused, TypeError for a column that is not there."""
        fixed = {_column(table, name).name: value for name, value in given.items()}
        self._take_parent(table, fixed, parent)
        self._take_referenced(table, fixed)
        for _ in range(TRIES_MAX):
            row = self._complete(table, fixed)
            if self._is_new(table, row) and self._satisfies(table, row):
                self._remember(table, row)
                return row
        raise RowRefused(self._advice(table))

    # ------------------------------------------------------------------ where values come from

    def _take_parent(self, table: TableInfo, fixed: Row, parent: Row | None) -> None:
        if table.parent is None:
            if parent is not None:
                self._take_referring(table, fixed, parent)
            return
        above = self._catalog.table(table.parent)
        if all(part in fixed for part in above.key):
            return
        row = parent if parent is not None else self._make_row(above)
        for part in above.key:
            fixed.setdefault(part, row[part])

    def _take_referring(self, table: TableInfo, fixed: Row, parent: Row) -> None:
        """`parent=` of a table that is not interleaved: the foreign key whose columns fit."""
        for foreign_key in table.foreign_keys:
            if all(name in parent for name in foreign_key.referenced):
                _refer(foreign_key, fixed, parent)
                return
        raise TypeError(f"{table.name} is not interleaved and refers to nothing that parent= has")

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
            if column.has_default and not self._values.names(table.name, column):
                continue
            row[column.name] = self._value(table, column)
        for foreign_key in table.foreign_keys:  # Of a row that must refer to itself.
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
        return self._values.of(table.name, column)

    def _listed(self, table: TableInfo, column: ColumnInfo) -> tuple[Any, ...]:
        """Return the values that a check lists for a column, or its model; none for neither."""
        listed = allowed_values(column.name, column.kind, tuple(table.checks))
        return listed or self._choices.get((table.name.lower(), column.name.lower()), ())

    def _next_number(self, table: TableInfo, column: ColumnInfo) -> int:
        if self._values.has_provider(table.name, column):
            return int(self._values.key_part(table.name, column))
        number = self._numbers[table.name, column.name] = (
            self._numbers.get((table.name, column.name), 0) + 1
        )
        return number

    # ------------------------------------------------------------------ what the schema accepts

    def _distinct(self, table: TableInfo, row: Row) -> list[tuple[str, ...]]:
        """The columns that may not come twice, as far as the row has values for all of them."""
        return [
            columns
            for columns in (table.key, *table.unique)
            if all(name in row and not is_pending(table, name, row[name]) for name in columns)
        ]

    def _is_new(self, table: TableInfo, row: Row) -> bool:
        return not any(
            _cells(row, columns) in self._seen.get((table.name, columns), ())
            for columns in self._distinct(table, row)
        )

    def _remember(self, table: TableInfo, row: Row) -> None:
        for columns in self._distinct(table, row):
            self._seen.setdefault((table.name, columns), set()).add(_cells(row, columns))

    def _satisfies(self, table: TableInfo, row: Row) -> bool:
        """Ask the server: checks are SQL, and it knows best."""
        if not table.checks:
            return True
        expressions, given = parameters(table, row)
        columns = ", ".join(
            f"CAST({written} AS {_castable(table.columns[name].type)}) AS `{name}`"
            for name, written in expressions.items()
        )
        checks = " AND ".join(f"IFNULL({check}, TRUE)" for check in table.checks)
        types = {name: type_ for name, value in given.items() if (type_ := type_of(value))}
        with self._database.snapshot() as snapshot:
            try:
                rows = list(
                    snapshot.execute_sql(
                        f"SELECT {checks} FROM (SELECT {columns})", given, types or None
                    )
                )
            except Exception:  # A check over what the server fills in can only be tried.
                return True
        return bool(rows[0][0])

    @staticmethod
    def _advice(table: TableInfo) -> str:
        checks = "; ".join(table.checks)
        return (
            f"no row of {table.name} in {TRIES_MAX} tries was new and satisfied its checks"
            f"{f' ({checks})' if checks else ''}: give values, or a provider "
            f'(spanner_factory.provider("{table.name}.<column>", lambda faker: ...))'
        )


def _refer(foreign_key: ForeignKeyInfo, fixed: Row, target: Row) -> None:
    for name, other in zip(foreign_key.columns, foreign_key.referenced, strict=True):
        fixed.setdefault(name, target[other])


def _cells(row: Row, columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(repr(row[name]) for name in columns)


def _castable(type_: str) -> str:
    """A column's type as CAST takes it: without lengths."""
    return type_ if "(" not in type_ else type_.partition("(")[0] + type_.rpartition(")")[2]


def _column(table: TableInfo, name: str) -> ColumnInfo:
    for column in table.columns.values():
        if column.name.lower() == name.lower():
            return column
    known = ", ".join(table.columns)
    raise TypeError(f"{table.name} has no column {name!r}; it has {known}")
