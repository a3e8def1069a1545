"""The requests of actors: which of them are scheduled, and their lines in a timeline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

_TEXT_MAX = 120
_LITERAL = re.compile(r"""'[^']*'|"[^"]*"|\b\d[\w.]*""")


class Sent(NamedTuple):
    """A request before which an actor stops, or without a `method` another stop as a text."""

    method: str
    request: Any

    @property
    def text(self) -> str:
        """The line of a timeline."""
        return text_of(self.method, self.request) if self.method else str(self.request)

    @property
    def shape(self) -> str:
        """The request without values, which may differ where the same schedule is repeated."""
        return _shape(self.method, self.request) if self.method else str(self.request)


def text_of(method: str, request: Any) -> str:
    """Return a request as one line."""
    text = " ".join(_words(method, request).split())
    return text if len(text) <= _TEXT_MAX else f"{text[: _TEXT_MAX - 3]}..."


def _words(method: str, request: Any) -> str:
    if method in ("ExecuteSql", "ExecuteStreamingSql", "PartitionQuery"):
        params = ", ".join(
            f"@{name}={_value(value)}" for name, value in sorted(request.params.fields.items())
        )
        return f"{request.sql}  {params}"
    if method == "ExecuteBatchDml":
        return "; ".join(statement.sql for statement in request.statements)
    if method in ("Read", "StreamingRead", "PartitionRead"):
        source = f"{request.table}@{request.index}" if request.index else request.table
        return f"READ {source}({', '.join(request.columns)}) {_keys(request.key_set)}"
    if method == "Commit":
        return "COMMIT " + "; ".join(_mutations(request.mutations))
    if method == "BatchWrite":
        groups = ("; ".join(_mutations(group.mutations)) for group in request.mutation_groups)
        return "BATCH WRITE " + " | ".join(groups)
    return {"BeginTransaction": "BEGIN", "Rollback": "ROLLBACK"}[method]


def _mutations(mutations: Any) -> Iterator[str]:
    for mutation in mutations:
        kind = mutation.WhichOneof("operation")
        operation = getattr(mutation, kind)
        if kind == "delete":
            yield f"delete {operation.table} {_keys(operation.key_set)}"
        elif kind in ("insert", "update", "insert_or_update", "replace"):
            rows = ", ".join(map(_list, operation.values))
            yield f"{kind} {operation.table}({', '.join(operation.columns)}) {rows}"
        else:
            yield kind


def _keys(key_set: Any) -> str:
    """Return a set of keys: "(1), (2) to (4)", or "all keys"."""
    if key_set.all_:
        return "all keys"
    texts = [*map(_list, key_set.keys), *map(_range, key_set.ranges)]
    return ", ".join(texts) or "no key"


def _range(bounds: Any) -> str:
    """Return a range of keys, whose ends belong to it unless the text says otherwise."""
    low, high = bounds.WhichOneof("start_key_type"), bounds.WhichOneof("end_key_type")
    start = _list(getattr(bounds, low)) if low else "()"
    end = _list(getattr(bounds, high)) if high else "()"
    after = "after " if low == "start_open" else ""
    before = "before " if high == "end_open" else ""
    return f"{after}{start} to {before}{end}"


def _list(values: Any) -> str:
    return f"({', '.join(map(_value, values.values))})"


def _value(value: Any) -> str:
    kind = value.WhichOneof("kind")
    if kind == "null_value":
        return "NULL"
    if kind == "list_value":
        return f"[{', '.join(map(_value, value.list_value.values))}]"
    return repr(getattr(value, kind)) if kind else "?"


def _shape(method: str, request: Any) -> str:
    if method in ("ExecuteSql", "ExecuteStreamingSql", "PartitionQuery"):
        return f"{method} {_without_literals(request.sql)}"
    if method == "ExecuteBatchDml":
        texts = [_without_literals(statement.sql) for statement in request.statements]
        return f"{method} {'; '.join(texts)}"
    if method in ("Read", "StreamingRead", "PartitionRead"):
        return f"{method} {request.table}@{request.index}({', '.join(request.columns)})"
    if method == "Commit":
        return f"{method} {', '.join(_targets(request.mutations))}"
    if method == "BatchWrite":
        return f"{method} {[list(_targets(group.mutations)) for group in request.mutation_groups]}"
    return method


@lru_cache(maxsize=1024)
def _without_literals(sql: str) -> str:
    return _LITERAL.sub("?", sql)


def _targets(mutations: Any) -> Iterator[str]:
    for mutation in mutations:
        kind = mutation.WhichOneof("operation")
        yield f"{kind} {getattr(getattr(mutation, kind), 'table', '')}"


def unsupported(method: str) -> str | None:
    """Return the name of the feature of a request that explorations do not support, or None."""
    return None if method in SUPPORTED else UNSUPPORTED.get(method, method)


SUPPORTED = frozenset(
    (
        "BatchWrite", "BeginTransaction", "Commit", "ExecuteBatchDml", "ExecuteSql",
        "ExecuteStreamingSql", "PartitionQuery", "PartitionRead", "Read", "Rollback",
        "StreamingRead",
    )
)  # fmt: skip
UNSUPPORTED = {"UpdateDatabaseDdl": "DDL"}
UNSCHEDULED = frozenset(
    (
        "BatchCreateSessions", "CreateSession", "DeleteSession", "GetDatabase", "GetDatabaseDdl",
        "GetSession", "ListSessions",
    )
)  # fmt: skip
