"""A request as those see it who pick out requests: its method, where it goes, what it touches.

Nothing is read from the message before it is asked for.
"""

from __future__ import annotations

import re
from functools import cached_property
from hashlib import blake2b
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.base.call import current
from spanemu.base.errors import SpannerError
from spanemu.database.options import StatementRequest
from spanemu.database.statements.footprint import Footprint
from spanemu.frontend.convert.requests import param_types_from_proto
from spanemu.frontend.method import Message

_DATABASE = re.compile(r"projects/[^/]+/instances/[^/]+/databases/[^/]+")
_RESOURCE_FIELDS = ("session", "database", "name", "parent")
_CLIENT_HEADERS = ("user-agent", "x-goog-api-client")


class Rpc:
    """One request for `method`, which is the name without its service."""

    def __init__(self, method: str, request: Message, instances: Instances) -> None:
        self.method = method
        self._request = request
        self._instances = instances

    @cached_property
    def database(self) -> str:
        """The full name of the database that it is about, "" for none."""
        for field in _RESOURCE_FIELDS:
            value = self._get(field)
            if isinstance(value, str) and (found := _DATABASE.match(value)):
                return found[0]
        return ""

    @property
    def session(self) -> str:
        """The full name of its session, or ""."""
        value = self._get("session")
        return value if isinstance(value, str) else ""

    @property
    def transaction_id(self) -> bytes:
        """The transaction that it names, or b""."""
        selector = self._get("transaction")
        named = self._get("transaction_id") or getattr(selector, "id", b"")
        return named if isinstance(named, bytes) else b""

    @property
    def begins(self) -> str:
        """The mode of the transaction that it begins, or has for itself; "" for neither."""
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
        """How a read-only transaction that it begins, or has for itself, chooses its timestamp.

        "strong", or the name of another bound; "" for other modes, and for one begun before.
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
        """The tag of its transaction, which clients send with each request."""
        return self._tag("transaction_tag")

    @property
    def client(self) -> str:
        """How the client library introduces itself."""
        metadata = getattr(current(), "metadata", ())
        return " ".join(str(value) for key, value in metadata if key in _CLIENT_HEADERS)

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Its SQL texts."""
        return tuple(one.sql for one in self._statement_messages)

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables that it reads or writes, in lower case; of faulty statements, none."""
        found = {str(self._get("table") or "").lower()}
        mutations = [*(self._get("mutations") or ())]
        for group in self._get("mutation_groups") or ():
            mutations += group.mutations
        for mutation in mutations:
            case = mutation.WhichOneof("operation")
            found.add(getattr(getattr(mutation, case or "", None), "table", "").lower())
        for statement in self._statement_messages:
            found |= {name.lower() for name in self._footprint_of(statement).tables}
        return frozenset(found - {""})

    @property
    def declared_tables(self) -> frozenset[str]:
        """`tables` in the spelling of their declarations."""
        return frozenset(map(self._declared, self.tables))

    @property
    def is_read(self) -> bool:
        """Whether the request reads a table by keys: Read, StreamingRead, PartitionRead."""
        return bool(self._get("table"))

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        """Return what each statement does, or the read; a faulty statement has an empty one."""
        if not self._get("table"):
            return tuple(self._footprint_of(one) for one in self._statement_messages)
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
    def read_columns(self) -> tuple[str, ...]:
        """The columns of a read by key."""
        return tuple(self._get("columns") or ())

    @property
    def fingerprint(self) -> bytes:
        """Equal for equal requests."""
        text = self._request.SerializeToString(deterministic=True)
        return blake2b(text, digest_size=16).digest()

    @cached_property
    def _statement_messages(self) -> tuple[Any, ...]:
        if self._get("sql"):
            return (self._request,)
        statements = self._get("statements") or ()
        return tuple(one for one in statements if hasattr(one, "sql"))

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
            found = self._instances.database(self.database).schema.table(table)
        except SpannerError:
            return table
        return table if found is None else found.name

    def _tag(self, name: str) -> str:
        return str(getattr(self._get("request_options"), name, ""))

    def _get(self, field: str) -> Any:
        """A field's value; None where the message has no such field, or it is not set."""
        described = self._request.DESCRIPTOR.fields_by_name.get(field)
        if described is None:
            return None
        if described.has_presence and not self._request.HasField(field):
            return None
        return getattr(self._request, field)
