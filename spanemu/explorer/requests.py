"""The requests of actors: which of them are scheduled, and their lines in a timeline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TEXT_MAX = 120


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
        keys = ", ".join(map(_list, request.key_set.keys)) or "ranges"
        return f"READ {source}({', '.join(request.columns)}) {keys}"
    if method == "Commit":
        return "COMMIT " + "; ".join(_mutations(request))
    return {"BeginTransaction": "BEGIN", "Rollback": "ROLLBACK"}[method]


def _mutations(request: Any) -> Iterator[str]:
    for mutation in request.mutations:
        kind = mutation.WhichOneof("operation")
        operation = getattr(mutation, kind)
        if kind == "delete":
            keys = ", ".join(map(_list, operation.key_set.keys)) or "ranges"
            yield f"delete {operation.table} {keys}"
        elif kind in ("insert", "update", "insert_or_update", "replace"):
            rows = ", ".join(map(_list, operation.values))
            yield f"{kind} {operation.table}({', '.join(operation.columns)}) {rows}"
        else:
            yield kind


def _list(values: Any) -> str:
    return f"({', '.join(map(_value, values.values))})"


def _value(value: Any) -> str:
    kind = value.WhichOneof("kind")
    if kind == "null_value":
        return "NULL"
    if kind == "list_value":
        return f"[{', '.join(map(_value, value.list_value.values))}]"
    return repr(getattr(value, kind)) if kind else "?"


def unsupported(method: str, request: Any) -> str | None:
    """Return the name of the feature of a request that explorations do not support, or None."""
    if method in SUPPORTED:
        if method == "BeginTransaction" and request.options.HasField("partitioned_dml"):
            return "partitioned DML"
        return None
    return UNSUPPORTED.get(method, method)


SUPPORTED = frozenset(
    (
        "BeginTransaction", "Commit", "ExecuteBatchDml", "ExecuteSql", "ExecuteStreamingSql",
        "PartitionQuery", "PartitionRead", "Read", "Rollback", "StreamingRead",
    )
)  # fmt: skip
UNSUPPORTED = {"BatchWrite": "BatchWrite", "UpdateDatabaseDdl": "DDL"}
UNSCHEDULED = frozenset(
    (
        "BatchCreateSessions", "CreateSession", "DeleteSession", "GetDatabase", "GetDatabaseDdl",
        "GetSession", "ListSessions",
    )
)  # fmt: skip
