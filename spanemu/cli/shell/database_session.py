"""A session with one database over the official client: statements, plans and one transaction.

Without an open transaction, a query reads the current rows, and a DML statement commits.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from google.api_core.exceptions import Aborted, GoogleAPIError, NotFound, ServiceUnavailable
from google.api_core.retry import Retry, if_exception_type
from google.cloud.spanner import Client
from google.cloud.spanner_v1 import ExecuteSqlRequest

from spanemu.api.client import official_database, server_message
from spanemu.api.data_connection import DIALECT_QUERY, cell_of, dialect_declared
from spanemu.base.limits import REQUEST_SECONDS_MAX
from spanemu.base.resource_names import DatabaseName
from spanemu.cli.shell.failures import ShellFailure
from spanemu.interchange.connection import Cell, Row
from spanemu.schema.dialect import DATABASE_DIALECTS, POSTGRESQL, DatabaseDialect

RETRY_SECONDS = 10.0  # while the server does not answer; the client alone would retry for an hour

_Mode = ExecuteSqlRequest.QueryMode
_SESSION_IS_GONE = ("Session not found", "Database not found")
_RETRY = Retry(predicate=if_exception_type(ServiceUnavailable), timeout=RETRY_SECONDS)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A query parameter: its type as the server sent it, and its cell."""

    type: Any
    cell: Cell


Parameters = Mapping[str, Parameter]


@dataclass(slots=True)
class Result:
    """The result of a statement. `stats` is complete when the rows have been read.

    `fields` are the columns, with `name` and `type_`; empty for DML that returns no rows.
    """

    fields: Sequence[Any]
    rows: Iterator[Row]
    _stats: Callable[[], Any]

    @property
    def row_count(self) -> int | None:
        """The number of rows that DML changed, None for a query."""
        stats = self._stats()
        if stats is None or "row_count_exact" not in stats:
            return None
        return int(stats.row_count_exact)

    @property
    def stats(self) -> Any:
        """The message ResultSetStats, None if the server sent none."""
        return self._stats()


class DatabaseSession:
    """A session with a database, which has at most one open transaction."""

    def __init__(self, client: Client, name: DatabaseName) -> None:
        self.name = name
        self.client = client
        self._database = official_database(client, name.instance, name.database)
        self._created: Any = None
        self._dialect: DatabaseDialect | None = None
        self._transaction: Any = None
        self.is_read_only = False

    @property
    def dialect(self) -> DatabaseDialect:
        """The dialect of the database. Raises GoogleAPICallError."""
        if self._dialect is None:
            api = self.client.database_admin_api
            number = api.get_database(name=str(self.name), retry=_RETRY).database_dialect
            self._dialect = DATABASE_DIALECTS[number] if number else self._declared_dialect()
        return self._dialect

    def _declared_dialect(self) -> DatabaseDialect:
        ((name,),) = self.query(DIALECT_QUERY, {}).rows
        return dialect_declared(name)

    @property
    def is_postgresql(self) -> bool:
        """True if the dialect is PostgreSQL."""
        return self.dialect is POSTGRESQL

    def close(self) -> None:
        """Roll back the open transaction, and delete the session."""
        with suppress(GoogleAPIError):
            if self._created is not None:
                self._check_server()
                if self.in_transaction:
                    self.rollback()
                if not self._created.is_multiplexed:
                    self._created.delete()
        self._created = self._transaction = None

    # ------------------------------------------------------------------ statements

    def query(self, sql: str, parameters: Parameters, mode: Any = _Mode.NORMAL) -> Result:
        """Run a query, in the open transaction if there is one. Raises GoogleAPICallError."""
        with self._current():
            source = self._transaction or self._session.snapshot()
            return _execute(source, sql, parameters, mode)

    def dml(self, sql: str, parameters: Parameters, mode: Any = _Mode.NORMAL) -> Result:
        """Run a DML statement, and commit it if no transaction is open."""
        with self._current():
            if self._transaction is not None:
                return _complete(_execute(self._transaction, sql, parameters, mode))
            return self._session.run_in_transaction(  # type: ignore[no-any-return]
                lambda transaction: _complete(_execute(transaction, sql, parameters, mode))
            )

    def plan(self, sql: str, parameters: Parameters, *, is_dml: bool) -> Result:
        """Return the plan of a statement without running it."""
        if self._transaction is not None or not is_dml:
            return _complete(self.query(sql, parameters, _Mode.PLAN))
        transaction = self._session.transaction()
        transaction.begin()
        try:
            return _complete(_execute(transaction, sql, parameters, _Mode.PLAN))
        finally:
            transaction.rollback()

    def profile(self, sql: str, parameters: Parameters, *, is_dml: bool) -> Result:
        """Run a statement and return its plan with figures."""
        run = self.dml if is_dml else self.query
        return _complete(run(sql, parameters, _Mode.PROFILE))

    def ddl(self, statement: str) -> None:
        """Run a schema statement and wait for its end."""
        if self.in_transaction:
            raise ShellFailure("a schema statement cannot run in a transaction; COMMIT first")
        operation = self.client.database_admin_api.update_database_ddl(
            database=str(self.name), statements=[statement], retry=_RETRY
        )
        operation.result(timeout=REQUEST_SECONDS_MAX)

    def ddl_statements(self) -> list[str]:
        """Return the statements of the schema."""
        api = self.client.database_admin_api
        return list(api.get_database_ddl(database=str(self.name), retry=_RETRY).statements)

    # ------------------------------------------------------------------ transactions

    @property
    def in_transaction(self) -> bool:
        """True while a transaction is open."""
        return self._transaction is not None

    def begin(self, *, read_only: bool, bound: str = "") -> None:
        """Begin a transaction; `bound` is the staleness or the timestamp of a read-only one."""
        if self.in_transaction:
            raise ShellFailure("a transaction is open; COMMIT or ROLLBACK first")
        if read_only:
            transaction = self._session.snapshot(multi_use=True, **_bound(bound))
        else:
            transaction = self._session.transaction()
        with self._current():
            transaction.begin()
        self._transaction, self.is_read_only = transaction, read_only

    def commit(self) -> Any:
        """Commit, and return the commit timestamp; None after a read-only transaction."""
        if self.in_transaction and not self.is_read_only:
            self._check_server()
        transaction = self._end()
        return None if self.is_read_only else transaction.commit()

    def rollback(self) -> None:
        """Roll back."""
        transaction = self._end()
        if not self.is_read_only:
            transaction.rollback()

    def _end(self) -> Any:
        if self._transaction is None:
            raise ShellFailure("no transaction is open")
        transaction, self._transaction = self._transaction, None
        return transaction

    def _check_server(self) -> None:
        """Raise GoogleAPIError unless the server answers: the client would call it for an hour."""
        api = self.client.database_admin_api
        api.get_database(name=str(self.name), retry=None, timeout=RETRY_SECONDS)

    @property
    def _session(self) -> Any:
        if self._created is None:
            self._check_server()
            session = self._database.session()
            session.create()
            self._created = session
        return self._created

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Forget a transaction that the server aborts, and a session that it does not know.

        A server that was started again knows no session of the last one.
        """
        try:
            yield
        except Aborted:
            self._transaction = None
            raise
        except NotFound as problem:
            if server_message(problem).startswith(_SESSION_IS_GONE):
                self._created = self._transaction = None
            raise


def _execute(source: Any, sql: str, parameters: Parameters, mode: Any) -> Result:
    results = source.execute_sql(
        sql,
        params={name: each.cell for name, each in parameters.items()} or None,
        param_types={name: each.type for name, each in parameters.items()} or None,
        query_mode=mode,
        lazy_decode=True,
        retry=_RETRY,
        timeout=REQUEST_SECONDS_MAX,
    )
    cells = ([cell_of(value) for value in row] for row in results)
    first = list(islice(cells, 1))  # with which the columns are known
    fields = [] if results.metadata is None else list(results.fields)
    return Result(fields, chain(first, cells), lambda: results.stats)


def _complete(result: Result) -> Result:
    """Read all rows of a result into memory."""
    result.rows = iter(list(result.rows))
    return result


def _bound(text: str) -> dict[str, Any]:
    """Return the client's timestamp bound for a number of seconds or a timestamp."""
    if not text:
        return {}
    try:
        return {"exact_staleness": datetime.timedelta(seconds=float(text.removesuffix("s")))}
    except (ValueError, OverflowError):
        pass
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ShellFailure(f"{text} is neither a number of seconds nor a timestamp") from None
    if moment.tzinfo is None:
        raise ShellFailure(f"the timestamp {text} has no zone; append Z for UTC")
    return {"read_timestamp": moment}
