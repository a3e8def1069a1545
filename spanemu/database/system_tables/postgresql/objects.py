"""Rows of information_schema about schemas, indexes, sequences, groups and functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.database.system_tables.declaration import Source
from spanemu.database.system_tables.postgresql.declaration import (
    PUBLIC,
    NamedRows,
    home_and_name,
)
from spanemu.database.system_tables.postgresql.oids import NAMESPACES, PG_CATALOG, named_oids
from spanemu.ddl.kinds.functions import queue_functions
from spanemu.ddl.kinds.sequences import SEQUENCE
from spanemu.sql.dialects import dialect_of

Rows = Iterator[tuple[Any, ...]]

SYSTEM_SCHEMAS = ("information_schema", "pg_catalog", "spanner_sys")
SPANNER = "spanner"  # the schema of Spanner's own functions
_FILE = Path(__file__).with_name("pg_proc.txt")
_UNUSED_SCHEMA = (None,) * 5  # schema_owner to sql_path


def catalog_name(source: Source) -> Rows:
    """Yield the row of information_schema_catalog_name."""
    yield (source.core.database_id,)


def schemata(source: Source) -> Rows:
    """Yield the default schema with its effective timestamp, then the others."""
    database = source.core.database_id
    yield database, PUBLIC, *_UNUSED_SCHEMA, source.effective_at // NANOS_PER_MICRO
    for name in (*SYSTEM_SCHEMAS, *source.schema.named_schemas.values()):
        yield database, name, *_UNUSED_SCHEMA, None


def sequences(source: Source) -> Rows:
    """Yield the sequences that users created."""
    for sequence in SEQUENCE.printed(source.schema):
        low, high = sequence.skip_range or (None, None)
        yield (
            source.core.database_id, *home_and_name(sequence.name), "int8", *[None] * 7, "NO",
            sequence.kind, start_of(sequence), low, high,
        )  # fmt: skip


def start_of(sequence: Any) -> int:
    """Return the first value of the counter of a sequence."""
    return 1 if sequence.start_counter is None else int(sequence.start_counter)


def locality_group_options(source: Source) -> Rows:
    """Yield the options of locality groups."""
    for group in source.schema.locality_groups.values():
        for name, value in group.options.items():
            yield group.name, name, str(value)


# ------------------------------------------------------------------------------ functions

_BYTEA, _JSONB = 17, 3802  # oids of the types of the records of a change stream
_ARRAY = "character varying[]"  # the only type of arrays among the parameters
# (name, data type, oid of the type) of the parameters of a read function.
_READ_PARAMETERS = (
    ("start_timestamp", "timestamp with time zone", 1184),
    ("end_timestamp", "timestamp with time zone", 1184),
    ("partition_token", "character varying", 25),
    ("heartbeat_milliseconds", "bigint", 20),
    ("read_options", _ARRAY, 1009),
)


# The data types of parameters of the functions of queues, where they have other names here.
_QUEUE_TYPES = {
    "INT64": "bigint",
    "STRING(MAX)": "character varying",
    "ARRAY<STRING(MAX)>": _ARRAY,
}


def _table_functions(source: Source) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Yield (name, data type, parameters with their types) of the table functions."""
    reading = [(parameter, type_) for parameter, type_, _ in _READ_PARAMETERS]
    for stream in source.schema.change_streams.values():
        name = stream.read_function(source.schema.dialect)
        yield name, "bytea" if stream.is_mutable else "jsonb", reading
    for name, written in queue_functions(source.schema):
        yield name, "record", [(parameter, _QUEUE_TYPES[type_]) for parameter, type_ in written]


def routines(source: Source) -> NamedRows:
    """Yield the table functions: those of change streams, then those of queues."""
    database = source.core.database_id
    for name, data_type, _ in _table_functions(source):
        yield {
            "specific_catalog": database,
            "specific_schema": SPANNER,
            "specific_name": name,
            "routine_catalog": database,
            "routine_schema": SPANNER,
            "routine_name": name,
            "routine_type": "FUNCTION",
            "data_type": data_type,
            "spanner_type": data_type,
            "routine_body": "EXTERNAL",
            "routine_definition": "",
            "security_type": "INVOKER",
        }


def parameters(source: Source) -> NamedRows:
    """Yield the parameters of the table functions."""
    for name, _, written in _table_functions(source):
        for position, (parameter, data_type) in enumerate(written, 1):
            yield {
                "specific_catalog": source.core.database_id,
                "specific_schema": SPANNER,
                "specific_name": name,
                "ordinal_position": position,
                "parameter_name": parameter,
                "data_type": "ARRAY" if data_type == _ARRAY else data_type,
                "spanner_type": data_type,
            }


def pg_proc(source: Source) -> NamedRows:
    """Yield the functions of the dialect, then those that read change streams."""
    catalog = dialect_of(source.schema.dialect).catalog
    for function in _functions():
        name = function["proname"]
        full_name = f"{SPANNER}.{name}" if function["pronamespace"] != PG_CATALOG else name
        if full_name in catalog.scalars or full_name in catalog.aggregates:
            yield function
    oids = named_oids(source)
    types = [oid for _, _, oid in _READ_PARAMETERS]
    for stream in source.schema.change_streams.values():
        oid, name = oids["change stream", stream.name], stream.read_function(source.schema.dialect)
        result = _BYTEA if stream.is_mutable else _JSONB
        yield _function(oid, f"{SPANNER}.{name}", "f", (result, *types), returns_set=True)


@cache
def _functions() -> Sequence[Mapping[str, Any]]:
    """Return the functions of the file `pg_proc.txt`.

    A line has the name, the oid, the kind, 1 if the function returns a set, the oid of the variadic
    type, the number of defaults, the oid of the result, and the oids of the arguments.
    """
    functions = []
    for line in _FILE.read_text(encoding="ascii").splitlines():
        name, oid, kind, *numbers = line.split()
        returns_set, variadic, defaults, *oids = map(int, numbers)
        function = _function(int(oid), name, kind, oids, returns_set=bool(returns_set))
        functions.append({**function, "provariadic": variadic, "pronargdefaults": defaults})
    return functions


def _function(
    oid: int, full_name: str, kind: str, types: Sequence[int], *, returns_set: bool
) -> Mapping[str, Any]:
    """Return the row of a function; `types` are the oids of the result and of the arguments."""
    home, _, name = full_name.rpartition(".")
    return {
        "oid": oid,
        "proname": name,
        "pronamespace": NAMESPACES[home or "pg_catalog"],
        "provariadic": 0,
        "prokind": kind,
        "proretset": returns_set,
        "pronargs": len(types) - 1,
        "pronargdefaults": 0,
        "prorettype": types[0],
        "proargtypes": list(types[1:]),
    }
