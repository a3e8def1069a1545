"""The tables of a database without rows, found by requests without the client's own work.

The client takes several times as long to read an empty table as the emulator does. A template of
many revisions has hundreds of tables, most of them empty.
"""

from __future__ import annotations

from typing import Any

from google.cloud.spanner_v1.types import PartialResultSet, ReadRequest

from pytest_spanemu.databases.catalog import Catalog

_READ = "/google.spanner.v1.Spanner/StreamingRead"


def empty_tables(database: Any, catalog: Catalog) -> frozenset[str]:
    """Return the names of the tables without rows. `database` is the client's `Database`."""
    request, reply = ReadRequest.pb(), PartialResultSet.pb()
    api = database.spanner_api
    session = api.create_session(database=database.name).name
    read = api.transport.grpc_channel.unary_stream(
        _READ,
        request_serializer=request.SerializeToString,
        response_deserializer=reply.FromString,
    )
    metadata = (("google-cloud-resource-prefix", database.name),)
    names = set()
    for table in catalog.insertion_order():
        one_row = request(session=session, table=table.name, columns=table.key[:1], limit=1)
        one_row.key_set.all_ = True
        if not any(result.values for result in read(one_row, metadata=metadata)):
            names.add(table.name)
    api.delete_session(name=session)
    return frozenset(names)
