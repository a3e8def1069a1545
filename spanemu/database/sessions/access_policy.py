"""The access policy of a session: the requests that it permits, and the check of each.

A session with a database role is a `GuardedSession` (page "Fine-grained access control"). Every
public method of `Session` is a request and passes through the policy; the policy denies a request
that has no guard in `GUARDS`, so that a new request must be listed before a role can use it.

A statement is analyzed a second time, under a schema in which views are tables and generated
columns are ordinary columns, so that exactly the objects that the statement names are checked. For
a view with invoker's rights, the objects that its query names are checked as well; for a view with
definer's rights they are not. Privileges are those of the current schema.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.sessions.session import Session, SessionSpec
from spanemu.database.statements.table_functions import TableFunctionLookup
from spanemu.database.system_tables.lookup import SystemTableLookup
from spanemu.database.transactions.registry import Transactions
from spanemu.ddl import expressions
from spanemu.ddl.kinds import roles as role_kind
from spanemu.schema.objects import PUBLIC, SYS_READER, SYSTEM_ROLES, Grant
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.stream_query import StreamQuery
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.dialects import dialect_of
from spanemu.sql.usage import Usage, collect_usage
from spanemu.values.mutation import Ack, Delete, Mutation, WriteKind
from spanemu.values.types import Type

Run = Callable[..., Any]  # the request itself, with the arguments that the guard passes on
Guard = Callable[..., Any]  # (access, run, *arguments): checks the arguments, then runs

# The public methods of a session that are no requests of a client.
LIFECYCLE = frozenset({"restart_lifetime", "fields", "close"})


def _begin(access: Access, run: Run, options: Any, mutation_key: Mutation | None = None) -> Any:
    if mutation_key is not None:
        access.check_writes((mutation_key,))
    return run(options, mutation_key)


def _statement(access: Access, run: Run, request: StatementRequest, *rest: Any) -> Any:
    access.check_statement(request)
    return run(replace(request, role=access.role), *rest)


def _batch(access: Access, run: Run, requests: Sequence[StatementRequest], *rest: Any) -> Any:
    for request in requests:  # All of them first: none runs if one is denied.
        access.check_statement(request)
    return run(requests, *rest)


def _read(access: Access, run: Run, request: ReadRequest, *rest: Any) -> Any:
    access.check_read(request)
    return run(request, *rest)


def _commit(
    access: Access, run: Run, selector: Any, mutations: Sequence[Mutation], options: Any
) -> Any:
    access.check_writes(mutations)
    return run(selector, mutations, options)


def _batch_write(
    access: Access, run: Run, groups: Sequence[Sequence[Mutation] | SpannerError], *rest: Any
) -> Any:
    return run([_checked(access, group) for group in groups], *rest)


def _checked(
    access: Access, group: Sequence[Mutation] | SpannerError
) -> Sequence[Mutation] | SpannerError:
    """Return a group of mutations, or the error that denies the group."""
    if not isinstance(group, SpannerError):
        try:
            access.check_writes(group)
        except SpannerError as denial:
            return denial
    return group


def _unchecked(_access: Access, run: Run, *arguments: Any) -> Any:
    return run(*arguments)


GUARDS: Mapping[str, Guard] = {
    "begin": _begin,
    "execute": _statement,
    "execute_batch": _batch,
    "read": _read,
    "commit": _commit,
    "rollback": _unchecked,  # of the session's own transaction
    "batch_write": _batch_write,
    "partition_read": _read,
    "partition_query": _statement,
}


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The requests that a role may send, each with the check of its arguments."""

    access: Access
    guards: Mapping[str, Guard]

    def perform(self, name: str, run: Run, arguments: Sequence[Any]) -> Any:
        """Check a request and run it. Raises RequestDenied for a request without a guard."""
        guard = self.guards.get(name)
        if guard is None:
            raise errors.RequestDenied(self.access.role, name)
        return guard(self.access, run, *arguments)


def policy_of(core: DatabaseCore, role: str) -> AccessPolicy:
    """Return the policy of the sessions of a role. Raises RoleNotFound."""
    return AccessPolicy(Access(core, role), GUARDS)


def guard_requests(kind: type[GuardedSession]) -> type[GuardedSession]:
    """Send every request of a class of sessions through the policy of its instances."""
    for name in requests_of(kind):
        setattr(kind, name, _guarded(name, getattr(kind, name)))
    return kind


def requests_of(kind: type[Session]) -> Iterator[str]:
    """Yield the names of the requests: the public methods, except those of the lifecycle."""
    for name, _ in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and name not in LIFECYCLE:
            yield name


def _guarded(name: str, request: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(request)

    def perform(self: GuardedSession, *args: Any, **named: Any) -> Any:
        bound = signature.bind(self, *args, **named)
        return self.policy.perform(name, partial(request, self), bound.args[1:])

    return perform


@guard_requests
class GuardedSession(Session):
    """A session whose requests pass through an access policy."""

    def __init__(
        self,
        name: str,
        spec: SessionSpec,
        transactions: Transactions,
        create_time: int,
        policy: AccessPolicy,
    ) -> None:
        super().__init__(name, spec, transactions, create_time)
        self.policy = policy


_TABLE_KINDS = frozenset({"TABLE", "QUEUE"})
_PRIVILEGES_OF_WRITES = {
    WriteKind.INSERT: ("INSERT",),
    WriteKind.UPDATE: ("UPDATE",),
    WriteKind.INSERT_OR_UPDATE: ("INSERT", "UPDATE"),
    WriteKind.REPLACE: ("INSERT", "DELETE"),
}


@dataclass(frozen=True, eq=False, slots=True)
class Need:
    """A privilege on an object: on all of `columns`, or on any one column if `any_column`."""

    privilege: str
    kind: str
    name: str
    columns: frozenset[str] = frozenset()
    any_column: bool = False


class Access:
    """The rights of one role in one database."""

    def __init__(self, core: DatabaseCore, role: str) -> None:
        self._core = core
        self.role = role
        schema = core.generation.schema
        if role not in SYSTEM_ROLES and schema.fold(role) not in schema.roles:
            raise errors.RoleNotFound(role)

    def check_statement(self, request: StatementRequest) -> None:
        """Raise PrivilegeMissing unless the role may run the query or DML statement."""
        generation = self._core.generation
        self._check(_needs(generation, request, self), generation.schema)

    def check_read(self, request: ReadRequest) -> None:
        """Raise PrivilegeMissing unless the role may read the columns of the request."""
        schema, columns = self._core.generation.schema, frozenset(request.columns)
        need = Need("SELECT", _table_kind(request.table, schema), request.table, columns)
        self._check([need], schema)

    def check_writes(self, mutations: Sequence[Mutation]) -> None:
        """Raise PrivilegeMissing unless the role may apply the mutations."""
        schema = self._core.generation.schema
        self._check(
            (need for mutation in mutations for need in _write_needs(mutation, schema)), schema
        )

    def check_system_table(self, name: str) -> None:
        """Raise PrivilegeMissing unless the role may read the system table `name`."""
        if name.upper().startswith("SPANNER_SYS.") and SYS_READER not in self._roles():
            raise errors.PrivilegeMissing(self.role, "SELECT", "table", name)

    def _roles(self) -> set[str]:
        return role_kind.containing_roles(self._core.generation.schema, self.role) | {PUBLIC}

    def _check(self, needs: Iterable[Need], schema: Schema) -> None:
        roles = (schema.roles.get(schema.fold(name)) for name in self._roles())
        grants = [grant for role in roles if role is not None for grant in role.grants]
        for need in needs:
            if not _has(need, schema, grants):
                raise errors.PrivilegeMissing(
                    self.role, need.privilege, need.kind.lower(), need.name
                )


def _has(need: Need, schema: Schema, grants: Sequence[Grant]) -> bool:
    home, _, _ = need.name.rpartition(".")
    if home and not _grants_on(grants, "USAGE", "SCHEMA", home, schema):
        return False
    name = _declared_name(need, schema)
    mine = _grants_on(grants, need.privilege, need.kind, name, schema)
    if any(not grant.columns for grant in mine):
        return True
    held = {schema.fold(column) for grant in mine for column in grant.columns}
    if need.any_column or not need.columns:
        return need.any_column and bool(held)
    return {schema.fold(column) for column in need.columns} <= held


def _declared_name(need: Need, schema: Schema) -> str:
    """Return the declared name of the object; a request may use another spelling or a synonym."""
    if need.kind in _TABLE_KINDS:
        table = schema.requested_table(need.name)
        return need.name if table is None else table.name
    return need.name


def _grants_on(
    grants: Sequence[Grant], privilege: str, kind: str, name: str, schema: Schema
) -> list[Grant]:
    """Return the grants of a privilege on an object."""
    key = schema.fold(name)
    return [
        grant
        for grant in grants
        if (grant.privilege, grant.kind) == (privilege, kind) and schema.fold(grant.name) == key
    ]


# ---------------------------------------------------------------------------- required privileges


def _needs(generation: Generation, request: StatementRequest, access: Access) -> Iterator[Need]:
    try:
        usage = _compiled_usage(generation, request.sql, tuple(request.parameter_types.items()))
    except StreamQuery as query:
        yield Need(
            "SELECT", "CHANGE STREAM", generation.schema.change_streams[query.call.stream].name
        )
        yield Need("EXECUTE", "TABLE FUNCTION", query.call.function)
        return
    for name in usage.system_tables:
        access.check_system_table(name)
    yield from _use_needs(generation, usage)
    for privilege, table, columns in usage.writes:
        any_column = not columns and privilege != "DELETE"
        kind = _table_kind(table, generation.schema)
        yield Need(privilege, kind, table, columns, any_column=any_column)


def _use_needs(generation: Generation, usage: Usage) -> Iterator[Need]:
    """Yield what a query needs, and the queries of the views with the rights of the invoker."""
    for name, columns in usage.reads.items():
        view = generation.schema.view(name)
        if view is None:
            kind = _table_kind(name, generation.schema)
            yield Need("SELECT", kind, name, frozenset(columns), any_column=not columns)
            continue
        yield Need("SELECT", "VIEW", view.name)
        if view.invoker_rights:
            yield from _use_needs(generation, _compiled_usage(generation, view.query, ()))
    for function in usage.functions:
        yield Need("EXECUTE", "TABLE FUNCTION", function)
    for model in usage.models:
        yield Need("EXECUTE", "MODEL", model)
    for function in usage.remote_functions:
        yield Need("EXECUTE", "FUNCTION", function)
    for sequence, is_drawn_from in usage.sequences:
        yield Need("UPDATE" if is_drawn_from else "SELECT", "SEQUENCE", sequence)


def _compiled_usage(generation: Generation, sql: str, types: tuple[tuple[str, Type], ...]) -> Usage:
    """Return the objects that a statement uses, from the generation's cache or analyzed now."""
    usage: Usage = generation.compiled(
        (collect_usage, sql, types), lambda: _usage(generation, sql, dict(types))
    )
    return usage


def _usage(generation: Generation, sql: str, types: Mapping[str, Type]) -> Usage:
    schema: Schema = generation.compiled(_as_named, lambda: _as_named(generation.schema))
    lowered = {name.lower(): type_ for name, type_ in types.items()}
    functions = TableFunctionLookup(generation.schema)
    options = AnalyzerOptions(SystemTableLookup(schema.dialect), generation.limits, functions)
    return collect_usage(dialect_of(schema.dialect).resolve(sql, schema, lowered, options))


def _as_named(schema: Schema) -> Schema:
    """Return the schema with every view as a table and every generated column as a plain column."""
    rows = {key: expressions.element_row(schema, key) for key in (*schema.tables, *schema.views)}
    tables = {key: row for key, row in rows.items() if row is not None}
    return schema.next(tables=tables, views={})


def _table_kind(name: str, schema: Schema) -> str:
    """Return the kind of a table in privileges; a name that no table has counts as a table's."""
    table = schema.requested_table(name)
    return "TABLE" if table is None else table.words


def _write_needs(mutation: Mutation, schema: Schema) -> Iterator[Need]:
    table, name = schema.requested_table(mutation.table), mutation.table
    kind = _table_kind(name, schema)
    if isinstance(mutation, Delete | Ack):
        yield Need("DELETE", kind, name)
        return
    keys = set() if table is None else {schema.fold(column.name) for column in table.key_columns}
    named = frozenset(schema.fold(column) for column in mutation.columns)
    for privilege in _PRIVILEGES_OF_WRITES[mutation.kind]:
        columns = named - keys if privilege == "UPDATE" else named
        if privilege == "DELETE":
            yield Need(privilege, kind, name)
        else:
            yield Need(privilege, kind, name, columns, any_column=not columns)
