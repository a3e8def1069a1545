"""`spanner_sql`: a function that runs SQL on the test's database and returns rows."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from google.cloud.spanner_v1 import JsonObject, param_types

from pytest_spanemu.clean_errors import statement_errors
from pytest_spanemu.options import Dialect
from pytest_spanemu.sources.source import first_word
from spanemu.schema.dialect import DATABASE_DIALECTS

__tracebackhide__ = True  # pytest leaves these frames out of tracebacks

_DML = frozenset({"insert", "update", "delete"})


class SpannerSql:
    """A function that runs statements through the official client's `Database`.

    The statements belong to the test, not to the code under test: `unrecorded` excludes them from
    the figures of the test.
    """

    def __init__(
        self,
        database: Any,
        unrecorded: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._database = database
        self._unrecorded = unrecorded

    def __call__(self, sql: str, /, **params: Any) -> Any:
        """Return the rows of a query as dicts. For DML, return the row count or the returned rows.

        The Python value determines the type of a parameter; the first item that is not None, the
        type of a list. `rows` and `execute_update` have precise result types for type checkers.
        """
        with self._unrecorded(), statement_errors(sql):
            return self._run(sql, params)

    def rows(self, sql: str, /, **params: Any) -> list[dict[str, Any]]:
        """Return the rows of a query, or of DML with THEN RETURN, as dicts.

        Raises TypeError for DML without THEN RETURN.
        """
        result = self(sql, **params)
        if not isinstance(result, list):
            raise TypeError("the statement returns no rows; use execute_update, or THEN RETURN")
        return result

    def execute_update(self, sql: str, /, **params: Any) -> int:
        """Run DML and return the number of changed rows. Raises TypeError for a query."""
        if not is_dml(sql):
            raise TypeError("the statement is a query; use rows")
        result = self(sql, **params)
        return len(result) if isinstance(result, list) else int(result)

    def _run(self, sql: str, params: dict[str, Any]) -> Any:
        types = parameter_types(self._database, params)
        if is_dml(sql):
            return self._database.run_in_transaction(self._run_dml, sql, params, types)
        with self._database.snapshot() as snapshot:
            return _dicts(
                snapshot.execute_sql(sql, params=params or None, param_types=types or None)
            )

    @staticmethod
    def _run_dml(transaction: Any, sql: str, params: Any, types: Any) -> Any:
        results = transaction.execute_sql(sql, params=params or None, param_types=types or None)
        rows = _dicts(results)
        return rows if results.fields else results.stats.row_count_exact


def _dicts(results: Any) -> list[dict[str, Any]]:
    rows = list(results)
    if not results.metadata.row_type.fields:
        return []
    names = [field.name for field in results.fields]
    return [dict(zip(names, row, strict=True)) for row in rows]


def is_dml(sql: str) -> bool:
    """Return whether a statement is DML."""
    return first_word(sql) in _DML


def dialect_of(database: Any) -> Dialect:
    """Return the dialect of the official client's `Database`."""
    return Dialect(DATABASE_DIALECTS[database.database_dialect].option)


def parameter_types(database: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the types of query parameters, without those whose value does not determine a type."""
    if not params:
        return {}
    dialect = dialect_of(database)
    return {name: type_ for name, value in params.items() if (type_ := type_of(value, dialect))}


def type_of(value: Any, dialect: Dialect = Dialect.GOOGLESQL) -> Any:
    """Return the Spanner type of a Python value; None if the value does not determine a type."""
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        item = next((type_of(each, dialect) for each in value if each is not None), None)
        return None if item is None else param_types.Array(item)
    is_postgresql = dialect is Dialect.POSTGRESQL
    if isinstance(value, JsonObject):
        return param_types.PG_JSONB if is_postgresql else param_types.JSON
    for kind, type_ in (
        (bool, param_types.BOOL),
        (int, param_types.INT64),
        (float, param_types.FLOAT64),
        (str, param_types.STRING),
        (bytes, param_types.BYTES),
        (decimal.Decimal, param_types.PG_NUMERIC if is_postgresql else param_types.NUMERIC),
        (datetime.datetime, param_types.TIMESTAMP),
        (datetime.date, param_types.DATE),
        (uuid.UUID, param_types.UUID if hasattr(param_types, "UUID") else param_types.STRING),
    ):
        if isinstance(value, kind):
            return type_
    return None
