"""The table functions of a schema: those that read change streams, and those of queues."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.ddl.kinds.change_streams import READ_PARAMETERS, read_functions
from spanemu.schema.schema import Schema

Parameters = Sequence[tuple[str, str]]  # (name, type)

RECEIVE_PARAMETERS: Parameters = (
    ("max_batch_size", "INT64"),
    ("priority", "STRING(MAX)"),
    ("max_duration", "STRING(MAX)"),
)
RENEW_PARAMETERS: Parameters = (("lease_tokens", "ARRAY<STRING(MAX)>"),)


def table_functions(schema: Schema) -> Iterator[tuple[str, Parameters]]:
    """Yield the name and the parameters of each table function."""
    yield from ((name, READ_PARAMETERS) for name in read_functions(schema))
    yield from queue_functions(schema)


def queue_functions(schema: Schema) -> Iterator[tuple[str, Parameters]]:
    """Yield the name and the parameters of the functions that receive and that renew leases."""
    names = schema.dialect.queues
    for table in schema.tables.values():
        if table.is_queue:
            yield f"{names.receive}{table.name}", RECEIVE_PARAMETERS
            yield f"{names.renew}{table.name}", RENEW_PARAMETERS
