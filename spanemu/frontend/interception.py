"""Hooks between RPCs and their handlers, active only while an interceptor is installed.

    handler                     without an interceptor: this module costs nothing
    intercepted handler         asks the interceptor for the actions on each RPC, and runs them

An interceptor returns the actions to inject into an RPC. Each action runs before the handler, after
a number of rows of its stream, or after the handler has finished and before the reply is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from hashlib import blake2b
from itertools import chain
from typing import Any, Protocol

from spanemu.admin.instances import Instances
from spanemu.base.call import current
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import SpannerError
from spanemu.base.live import LiveRows
from spanemu.database.options import StatementRequest
from spanemu.database.statements.query_engine import Footprint
from spanemu.frontend.convert.chunks import StreamBroken
from spanemu.frontend.convert.requests import param_types_from_proto
from spanemu.frontend.dispatch import Endpoints, Handler, Message, Method

_DATABASE = lazy_pattern(r"projects/[^/]+/instances/[^/]+/databases/[^/]+")
_RESOURCE_FIELDS = ("session", "database", "name", "parent")
_CLIENT_HEADERS = ("user-agent", "x-goog-api-client")


class InterceptedRequest:
    """A request as an interceptor sees it. `method` is the RPC's name without its service."""

    def __init__(self, method: str, request: Message, instances: Instances) -> None:
        self.method = method
        self._request = request
        self._instances = instances

    @cached_property
    def database(self) -> str:
        """The full name of the database of the request, or ""."""
        for field in _RESOURCE_FIELDS:
            value = self._get(field)
            if isinstance(value, str) and (match := _DATABASE.match(value)):
                return match[0]
        return ""

    @property
    def session(self) -> str:
        """The full name of the session, or ""."""
        value = self._get("session")
        return value if isinstance(value, str) else ""

    @property
    def transaction_id(self) -> bytes:
        """The id of the transaction that the request names, or b""."""
        selector = self._get("transaction")
        named = self._get("transaction_id") or getattr(selector, "id", b"")
        return named if isinstance(named, bytes) else b""

    @property
    def begins(self) -> str:
        """The mode of the transaction that the request begins, or of its single-use one; or ""."""
        selector = self._get("transaction")
        case = None if selector is None else selector.WhichOneof("selector")
        if case in ("begin", "single_use"):
            options = getattr(selector, case)
        else:
            options = self._get("single_use_transaction") or self._get("options")
        if options is None or "mode" not in options.DESCRIPTOR.oneofs_by_name:
            return ""
        return options.WhichOneof("mode") or ""

    @property
    def bound(self) -> str:
        """The timestamp bound of the read-only transaction that the request begins or uses once.

        The value is "strong" or the name of another bound; "" for other modes and for an existing
        transaction.
        """
        selector = self._get("transaction")
        case = None if selector is None else selector.WhichOneof("selector")
        if case is None and self._get("options") is None:
            return "strong"
        options = self._get("options") if case is None else getattr(selector, case)
        if case == "id" or options.WhichOneof("mode") != "read_only":
            return ""
        return options.read_only.WhichOneof("timestamp_bound") or "strong"

    @property
    def request_tag(self) -> str:
        """The tag of the request."""
        return self._tag("request_tag")

    @property
    def transaction_tag(self) -> str:
        """The tag of the transaction, which clients send with each request."""
        return self._tag("transaction_tag")

    @property
    def client(self) -> str:
        """The names and versions by which the client library identifies itself."""
        metadata = getattr(current(), "metadata", ())
        return " ".join(str(value) for key, value in metadata if key in _CLIENT_HEADERS)

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """The SQL texts of the request."""
        return tuple(message.sql for message in self._statement_messages)

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables that the request reads or writes, in lower case; none for faulty ones."""
        tables = {self.read_table.lower(), *(table.lower() for _, table in self.written)}
        for statement in self._statement_messages:
            tables |= {name.lower() for name in self._footprint_of(statement).tables}
        return frozenset(tables - {""})

    @property
    def written(self) -> Iterator[tuple[str, str]]:
        """The operation, such as "insert", and the table or queue of each mutation."""
        groups = [self._get("mutations") or ()]
        groups += [group.mutations for group in self._get("mutation_groups") or ()]
        for mutation in chain.from_iterable(groups):
            case = mutation.WhichOneof("operation") or ""
            change = getattr(mutation, case, None)
            yield case, str(getattr(change, "table", "") or getattr(change, "queue", ""))

    @property
    def declared_tables(self) -> frozenset[str]:
        """The names of `tables`, spelled as in their declarations."""
        return frozenset(map(self._declared, self.tables))

    @property
    def is_read(self) -> bool:
        """Return whether the request reads a table by keys: Read, StreamingRead, PartitionRead."""
        return bool(self._get("table"))

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        """The footprint of each statement, or of the read; empty for a faulty statement."""
        if not self._get("table"):
            return tuple(map(self._footprint_of, self._statement_messages))
        table = self._declared(self._request.table)
        keys, index = self._request.key_set, self._get("index")
        whole = keys.all_ and not self._get("limit")
        return (
            Footprint(
                frozenset({table}),
                frozenset({table} if whole else ()),
                frozenset({index} if index else ()),
            ),
        )

    @property
    def read_table(self) -> str:
        """The table of a read by key, as the request spells it; or ""."""
        return str(self._get("table") or "")

    @property
    def read_index(self) -> str:
        """The index of a read by key, or ""."""
        return str(self._get("index") or "")

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns of a read by key."""
        return tuple(self._get("columns") or ())

    @property
    def size(self) -> int:
        """The size of the request in bytes."""
        return int(self._request.ByteSize())

    @property
    def fingerprint(self) -> bytes:
        """A hash that is equal for equal requests."""
        text = self._request.SerializeToString(deterministic=True)
        return blake2b(text, digest_size=16).digest()

    @cached_property
    def _statement_messages(self) -> tuple[Any, ...]:
        if self._get("sql"):
            return (self._request,)
        statements = self._get("statements") or ()
        return tuple(message for message in statements if hasattr(message, "sql"))

    def _footprint_of(self, statement: Any) -> Footprint:
        try:
            types = param_types_from_proto(statement)
            request = StatementRequest(statement.sql, parameter_types=types)
            return self._instances.database(self.database).footprint(request)
        except SpannerError:
            return Footprint()

    def _declared(self, table: str) -> str:
        """Return a table's name as its declaration spells it; unchanged where there is none."""
        try:
            declared = self._instances.database(self.database).schema.table(table)
        except SpannerError:
            return table
        return table if declared is None else declared.name

    def _tag(self, name: str) -> str:
        return str(getattr(self._get("request_options"), name, ""))

    def _get(self, field: str) -> Any:
        """Return a field's value; None where the message lacks it, or the field is not set."""
        described = self._request.DESCRIPTOR.fields_by_name.get(field)
        if described is None:
            return None
        if described.has_presence and not self._request.HasField(field):
            return None
        return getattr(self._request, field)


Rows = Iterator[Any]
_NO_ROW = object()


class InjectedAction(Protocol):
    """An action injected into one RPC."""

    @property
    def after_rows(self) -> int | None:
        """The number of rows to stream before the action; None for an action at another point."""
        ...

    @property
    def answers_first(self) -> bool:
        """Return whether the action runs after the handler, before the reply is sent."""
        ...

    def strike(self) -> None:
        """Run the action. A SpannerError fails the RPC; otherwise the RPC continues."""
        ...

    def spare(self) -> None:
        """Cancel the action, because the RPC ended first."""
        ...


class Interceptor(Protocol):
    """The source of the actions to inject into RPCs."""

    def meet(self, rpc: InterceptedRequest) -> Sequence[InjectedAction]:
        """Return the actions to inject into an RPC that has arrived."""
        ...


def intercept(endpoints: Endpoints, interceptor: Interceptor | None) -> None:
    """Intercept future RPCs with `interceptor`; None ends the interception."""
    endpoints.intercept(None if interceptor is None else partial(_intercepted, interceptor))


def _intercepted(interceptor: Interceptor, method: Method) -> Handler:
    """Return the handler of a method with `interceptor` in front of it."""

    def handle(instances: Any, request: Message) -> Any:
        actions = interceptor.meet(InterceptedRequest(method.name, request, instances))
        if not actions:
            return method.handler(instances, request)
        return _run_with_actions(method, instances, request, actions)

    return handle


def _run_with_actions(
    method: Method, instances: Any, request: Message, actions: Sequence[InjectedAction]
) -> Any:
    during = [action for action in actions if action.after_rows is not None]
    after = [action for action in actions if action.answers_first]
    for action in actions:
        if action.after_rows is None and not action.answers_first:
            try:
                action.strike()
            except BaseException:
                _cancel_all(during + after)
                raise
    try:
        if during:
            reply = method.handler(instances, request, _row_breaker(during))
        else:
            reply = method.handler(instances, request)
        if after and method.streams:
            reply = _computed(iter(reply))
    except BaseException:
        _cancel_all(after)
        raise
    for action in after:
        action.strike()
    return reply


def _computed(replies: Iterator[Any]) -> Iterator[Any]:
    """Compute the replies of a stream, up to the first that has to be waited for."""
    computed: list[Any] = []
    for reply in replies:
        computed.append(reply)
        if isinstance(reply, LiveRows):
            return chain(computed, replies)
    return iter(computed)


def _cancel_all(actions: Sequence[InjectedAction]) -> None:
    for action in actions:
        action.spare()


def _row_breaker(actions: Sequence[InjectedAction]) -> Callable[[Rows], Rows]:
    """Return a function that ends rows where the first of `actions` demands it."""

    def rows_until(rows: Rows) -> Rows:
        remaining = sorted(actions, key=lambda action: action.after_rows or 0)
        sent = 0
        try:
            while remaining:
                while sent < (remaining[0].after_rows or 0):
                    row = next(rows, _NO_ROW)
                    if row is _NO_ROW:
                        return
                    sent += not isinstance(row, LiveRows)  # No row exists yet.
                    yield row
                _strike(remaining.pop(0))
            yield from rows
        finally:
            _cancel_all(remaining)
            close = getattr(rows, "close", None)
            if close is not None:
                close()

    return rows_until


def _strike(action: InjectedAction) -> None:
    try:
        action.strike()
    except SpannerError as failure:
        raise StreamBroken(failure) from None
