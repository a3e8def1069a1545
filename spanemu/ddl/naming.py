"""Names of objects: lookup of named objects, rules for the names of new ones, and generated names.

Unlike queries, DDL must spell names as they were created. In PostgreSQL, ALTER and DROP find a
column, constraint, sequence, change stream or schema in any letter case, quoted or not.

Spanner generates names for constraints without a name, and for what foreign keys and identity
columns need. The hexadecimal part depends only on the rest of the name, so that the same statements
give the same names in every database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import count
from typing import Any, TypeVar

from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import constraint_full_name
from spanemu.base.limits import IDENTIFIER_LENGTH_MAX
from spanemu.ddl.errors import objects as name_errors
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Check, Column, ForeignKey, Table
from spanemu.sql.syntax_tree import Identifier, Path

_HEX_DIGITS = 16

_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9_]*")

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

Constraint = TypeVar("Constraint", ForeignKey, Check)


def find_table(schema: Schema, path: Path) -> Table | None:
    """Return the table with exactly that name, or None; synonyms do not count.

    Raises QueueIsNoTable for the name of a queue.
    """
    table: Table | None = find_object(schema, "tables", str(path))
    if table is not None and table.is_queue:
        raise name_errors.QueueIsNoTable(table.name)
    return table


def find_queue(schema: Schema, path: Path) -> Table | None:
    """Return the queue with exactly that name, or None."""
    queue: Table | None = find_object(schema, "tables", str(path))
    return queue if queue is not None and queue.is_queue else None


def table_of(schema: Schema, path: Path) -> Table:
    """Return the table with exactly that name. Raises TableNotFound or QueueIsNoTable."""
    table = find_table(schema, path)
    if table is None:
        raise name_errors.TableNotFound(str(path))
    return table


def find_column(table: Table, name: str) -> Column | None:
    """Return the column with exactly that name, or None."""
    column = table.column(name)
    return column if column is not None and column.name == name else None


def column_of(table: Table, identifier: Identifier) -> Column:
    """Return the column with exactly that name. Raises ColumnNotFound."""
    column = find_column(table, identifier.name)
    if column is None:
        raise name_errors.ColumnNotFound(table.name, identifier.name)
    return column


def addressed_column(table: Table, identifier: Identifier) -> Column:
    """Return the column that ALTER names. Raises ColumnNotFound."""
    column = find_addressed_column(table, identifier.name)
    if column is None:
        raise name_errors.ColumnNotFound(table.name, identifier.name)
    return column


def find_addressed_column(table: Table, name: str) -> Column | None:
    """Return the column that ALTER names, or None."""
    exact = find_column(table, name)
    if exact is not None or table.fold is GOOGLE_STANDARD_SQL.fold:
        return exact
    return table.requested_column(name)


def find_index(schema: Schema, path: Path) -> SortedIndex | None:
    """Return the index with exactly that name, or None."""
    index: SortedIndex | None = find_object(schema, "indexes", str(path))
    return index


def index_of(schema: Schema, path: Path) -> SortedIndex:
    """Return the index with exactly that name. Raises IndexNotFound."""
    index = find_index(schema, path)
    if index is None:
        raise name_errors.IndexNotFound(str(path))
    return index


def schema_part(name: str) -> str:
    """Return the named schema of an object's name, "" for the default schema."""
    return name.rpartition(".")[0]


def find_object(schema: Schema, field: str, name: str) -> Any:
    """Return the object of a field of the schema with exactly that name, or None.

    Internal objects, such as the sequences of identity columns, have no name for users.
    """
    source = getattr(schema, field).get(schema.fold(name))
    if source is None or source.name != name or getattr(source, "internal", False):
        return None
    return source


def find_addressed(schema: Schema, field: str, name: str) -> Any:
    """Return the object that ALTER or DROP names, or None; in PostgreSQL in any letter case."""
    exact = find_object(schema, field, name)
    if exact is not None or schema.fold is GOOGLE_STANDARD_SQL.fold:
        return exact
    found = schema.in_any_case(getattr(schema, field), name)
    return None if found is None else find_object(schema, field, found.name)


def foreign_key_name(schema: Schema, table: str, referenced: str) -> str:
    """Return FK_<referencing>_<referenced>_<hex>_<n>."""
    return _numbered(schema, table, _foreign_key_base(table, referenced))


def check_name(schema: Schema, table: str) -> str:
    """Return CK_<table>_<hex>_<n>."""
    return _numbered(schema, table, _check_base(table))


def with_written_names(table: Table) -> Table:
    """Return a table of whose names only those count as generated that its statement makes again.

    The first generated name is numbered 1. After a table was renamed, or a constraint was dropped,
    the text of the table would make other names than it has.
    """
    numbers: Counter[str] = Counter()

    def seen(constraint: Constraint, base: str) -> Constraint:
        if not constraint.generated_name:
            return constraint
        if constraint.name != f"{base}_{numbers[base] + 1}":
            return replace(constraint, generated_name=False)
        numbers[base] += 1
        return constraint

    keys = [
        seen(key, _foreign_key_base(table.name, key.referenced_table)) for key in table.foreign_keys
    ]
    checks = [seen(check, _check_base(table.name)) for check in table.checks]
    return replace(table, foreign_keys=tuple(keys), checks=tuple(checks))


def managed_index_name(schema: Schema, table: str, columns: Sequence[str], kind: str) -> str:
    """Return IDX_<table>_<columns>_<kind>_<hex>, in the schema of the table.

    The hexadecimal part differs if the name is taken, for example by the index of a table that had
    this name before it was renamed.
    """
    home, _, name = table.rpartition(".")
    text = "_".join(["IDX", name, *columns, *([kind] if kind else [])])
    short = _cut(text, len(home) + 1 if home else 0)
    hashed = (f"{table}.{text}" + (f".{n}" if n else "") for n in count())
    names = (constraint_full_name(table, f"{short}_{_fingerprint(each)}") for each in hashed)
    return next(name for name in names if not schema.has_name(name))


def identity_sequence_name(id_: int) -> str:
    """Return the name of an identity column's sequence, which no user can create."""
    return f"_identity_seq_{id_:0{_HEX_DIGITS}x}"


def _foreign_key_base(table: str, referenced: str) -> str:
    return _base(f"FK_{_flat(table)}_{_flat(referenced)}")


def _check_base(table: str) -> str:
    return _base(f"CK_{_flat(table)}")


def _base(text: str) -> str:
    """Return a generated name without its number."""
    return f"{_cut(text, 4)}_{_fingerprint(text)}"


def _numbered(schema: Schema, table: str, base: str) -> str:
    """Return `base` with a number that makes the name free.

    The number follows a number that is taken. With n taken names, the search tests about 2*log2(n)
    numbers, because it doubles the number until a name is free and then halves the interval.
    """

    def is_taken(number: int) -> bool:
        return schema.has_name(constraint_full_name(table, f"{base}_{number}"))

    taken, free = 0, 1
    while is_taken(free):
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if is_taken(middle):
            taken = middle
        else:
            free = middle
    return f"{base}_{free}"


def _flat(name: str) -> str:
    return name.replace(".", "_")


def _cut(text: str, taken: int) -> str:
    """Return the part of `text` that leaves room for the fingerprint and `taken` characters."""
    return text[: IDENTIFIER_LENGTH_MAX - _HEX_DIGITS - 1 - taken]


def _fingerprint(text: str) -> str:
    return blake2b(text.encode(), digest_size=_HEX_DIGITS // 2).hexdigest().upper()


def is_name(text: str, dialect: DatabaseDialect) -> bool:
    """Return whether `text` may name an object."""
    if dialect.quotes_any_name:
        return 0 < len(text) <= IDENTIFIER_LENGTH_MAX and not text.startswith("_")
    return is_plain_name(text)


def is_plain_name(text: str) -> bool:
    """Return whether `text` may name an object whose name needs no quotes in any dialect."""
    return len(text) <= IDENTIFIER_LENGTH_MAX and _NAME.fullmatch(text) is not None


def object_name_problems(kind: str, name: str, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the name of a new object, in a named schema or not."""
    home = schema_part(name)
    if home and schema.named_schemas.get(schema.fold(home)) != home:
        yield name_errors.SchemaNotFound(home)
    if not is_name(name.rpartition(".")[2], schema.dialect):
        yield name_errors.InvalidObjectName(kind, name)
    if schema.has_name(name):
        yield name_errors.DuplicateName(name)


def index_name_problems(name: str, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the name of a new index."""
    own = name.rpartition(".")[2]
    if own.upper() == _INDEX_NAME:
        yield name_errors.ReservedIndexName(name)
    if own.lower().startswith(_INDEX_PREFIX):
        yield name_errors.InvalidObjectName("Index", name)
    yield from object_name_problems("Index", name, schema)


def constraint_name_problems(
    kind: str, name: str, table: str, schema: Schema
) -> Iterator[SpannerError]:
    """Yield the problems with the name of a new constraint of a table."""
    if not is_name(name, schema.dialect):
        yield name_errors.InvalidObjectName(kind, name)
    for prefix in _CONSTRAINT_PREFIXES:
        if name.upper().startswith(prefix):
            yield name_errors.ReservedPrefix(kind, name, prefix)
    full_name = constraint_full_name(table, name)
    if schema.has_name(full_name):
        yield name_errors.DuplicateName(full_name)


def schema_name_problems(name: str, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the name of a new named schema."""
    lowered = schema.fold(name)
    if (
        not is_name(name, schema.dialect)
        or lowered in _SCHEMA_NAMES
        or lowered.startswith(_SCHEMA_PREFIXES)
    ):
        yield name_errors.InvalidObjectName("Schema", name)
    if schema.has_name(name):
        yield name_errors.DuplicateName(name)


def column_name_problems(table: str, column: str, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the name of a column."""
    if not schema.dialect.quotes_any_name and not is_plain_name(column):
        yield name_errors.InvalidObjectName("Column", f"{table}.{column}")
