"""Names of new objects."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spanemu.base.errors import SpannerError
from spanemu.base.limits import IDENTIFIER_LENGTH_MAX
from spanemu.ddl.errors.names import (
    DuplicateName,
    InvalidObjectName,
    ReservedIndexName,
    ReservedPrefix,
    SchemaNotFound,
)
from spanemu.ddl.lookup import schema_part
from spanemu.schema.names import constraint_full_name
from spanemu.schema.schema import Schema

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_INDEX_NAME = "PRIMARY_KEY"
_INDEX_PREFIX = "dir_"
_CONSTRAINT_PREFIXES = ("PK_", "CK_IS_NOT_NULL_")

_SCHEMA_PREFIXES = ("spanner_", "pg_")
_SCHEMA_NAMES = frozenset(
    {
        "aead", "default", "definition_schema", "hll_count", "information_schema", "keys",
        "kll_quantiles", "ml", "net", "pg", "pg_catalog", "pg_information_schema", "public",
        "safe", "spanner_placement", "spanner_sys",
    }
)  # fmt: skip


def is_name(text: str) -> bool:
    """Whether `text` may name an object or a column."""
    return len(text) <= IDENTIFIER_LENGTH_MAX and _NAME.fullmatch(text) is not None


def object_name_problems(kind: str, name: str, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with `name` for a new object, which may be in a named schema."""
    home = schema_part(name)
    if home and schema.named_schemas.get(schema.fold(home)) != home:
        yield SchemaNotFound(home)
    if not is_name(name.rpartition(".")[2]):
        yield InvalidObjectName(kind, name)
    if schema.has_name(name):
        yield DuplicateName(name)


def index_name_problems(name: str, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with `name` for a new index."""
    own = name.rpartition(".")[2]
    if own.upper() == _INDEX_NAME:
        yield ReservedIndexName(name)
    if own.lower().startswith(_INDEX_PREFIX):
        yield InvalidObjectName("Index", name)
    yield from object_name_problems("Index", name, schema)


def constraint_name_problems(
    kind: str, name: str, table: str, schema: Schema
) -> Iterator[SpannerError]:
    """What is wrong with `name` for a new constraint of a table, in whose schema it will be."""
    if not is_name(name):
        yield InvalidObjectName(kind, name)
    for prefix in _CONSTRAINT_PREFIXES:
        if name.upper().startswith(prefix):
            yield ReservedPrefix(kind, name, prefix)
    full_name = constraint_full_name(table, name)
    if schema.has_name(full_name):
        yield DuplicateName(full_name)


def schema_name_problems(name: str, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with `name` for a new named schema."""
    lowered = schema.fold(name)
    if not is_name(name) or lowered in _SCHEMA_NAMES or lowered.startswith(_SCHEMA_PREFIXES):
        yield InvalidObjectName("Schema", name)
    if schema.has_name(name):
        yield DuplicateName(name)


def column_name_problems(table: str, column: str) -> Iterator[SpannerError]:
    """What is wrong with the name of a column."""
    if not is_name(column):
        yield InvalidObjectName("Column", f"{table}.{column}")
