"""Schemas of Avro records as statements, for exports that spanemu did not write.

A field without `sqlType` has the type that follows from its Avro type, as in Spanner's import.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from spanemu.interchange.avro.records import (
    EDGE_TABLE,
    NODE_TABLE,
    PROPERTY_GRAPH,
    without_null,
)
from spanemu.interchange.parts import SchemaParts
from spanemu.interchange.sql_text import quoter
from spanemu.schema.dependency_order import dependency_order
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.sql.dialects import dialect_of

Record = Mapping[str, Any]

# (GoogleSQL, PostgreSQL) types by logical type, or else by the type itself.
_INFERRED = {
    "boolean": ("BOOL", "boolean"),
    "int": ("INT64", "bigint"),
    "long": ("INT64", "bigint"),
    "float": ("FLOAT32", "real"),
    "double": ("FLOAT64", "double precision"),
    "string": ("STRING(MAX)", "text"),
    "enum": ("STRING(MAX)", "text"),
    "bytes": ("BYTES(MAX)", "bytea"),
    "fixed": ("BYTES(MAX)", "bytea"),
    "decimal": ("NUMERIC", "numeric"),
    "date": ("DATE", "date"),
    "uuid": ("UUID", "uuid"),
    "timestamp-millis": ("TIMESTAMP", "timestamptz"),
    "timestamp-micros": ("TIMESTAMP", "timestamptz"),
}


class UnknownDefinition(ValueError):
    """A record that defines nothing that can be created; the message names it."""


def schema_statements(records: Sequence[Record], dialect: DatabaseDialect) -> SchemaParts:
    """Return the statements before and after the rows. Raises UnknownDefinition."""
    writer = _Writer(dialect)
    tables: dict[str, Record] = {}
    first: list[str] = []
    views: list[str] = []
    streams: list[str] = []
    graphs: list[str] = []
    for record in records:
        if record.get("spannerEntity") == "spannerNamedSchema":
            first.insert(0, f"CREATE SCHEMA {writer.path(name_of(record))}")
        elif record.get("spannerEntity") == PROPERTY_GRAPH:
            graphs.append(writer.property_graph(record))
        elif entity := record.get("spannerEntity"):
            raise UnknownDefinition(f"{name_of(record)}: {entity} in an export is not implemented")
        elif "spannerViewQuery" in record:
            views.append(writer.view(record))
        elif "spannerChangeStreamForClause" in record:
            streams.append(writer.change_stream(record))
        elif "sequenceOption_0" in record or "sequenceKind" in record:
            first.append(writer.sequence(record))
        else:
            tables[name_of(record)] = record
    parents = {
        name: [parent] if (parent := record.get("spannerParent")) in tables else []
        for name, record in tables.items()
    }
    ordered = [tables[name] for group in dependency_order(parents) for name in group]
    indexes = [text for record in ordered for text in numbered(record, "spannerIndex_")]
    keys = [text for record in ordered for text in numbered(record, "spannerForeignKey_")]
    before = [*first, *map(writer.table, ordered), *indexes, *views, *graphs]
    return SchemaParts(before, [*keys, *streams])


def name_of(record: Record) -> str:
    """Return the name of a record's object, or of a field's column."""
    return str(record.get("spannerName") or record["name"])


def numbered(record: Record, prefix: str) -> list[str]:
    """Return the properties prefix0, prefix1, ... of a record."""
    texts = []
    for number in count():
        text = record.get(f"{prefix}{number}")
        if text is None:
            break
        texts.append(text.rstrip().removesuffix(";"))
    return texts


class _Writer:
    """The statements of one dialect."""

    def __init__(self, dialect: DatabaseDialect) -> None:
        self._is_postgresql = dialect is POSTGRESQL
        self._quote = quoter(dialect)
        self.path = dialect_of(dialect).quoted_path

    def view(self, record: Record) -> str:
        security = record.get("spannerViewSecurity") or "INVOKER"
        head = f"CREATE VIEW {self.path(name_of(record))} SQL SECURITY {security}"
        return f"{head} AS {record['spannerViewQuery']}"

    def change_stream(self, record: Record) -> str:
        clause = record["spannerChangeStreamForClause"]
        head = f"CREATE CHANGE STREAM {self.path(name_of(record))} {clause}".rstrip()
        options = ", ".join(numbered(record, "spannerOption_"))
        word = "WITH" if self._is_postgresql else "OPTIONS"
        return f"{head} {word} ({options})" if options else head

    def property_graph(self, record: Record) -> str:
        nodes = [self._element(record, prefix) for prefix in _prefixes(record, NODE_TABLE)]
        edges = [self._element(record, prefix) for prefix in _prefixes(record, EDGE_TABLE)]
        head = f"CREATE PROPERTY GRAPH {self.path(name_of(record))}"
        text = f"{head} NODE TABLES ({', '.join(nodes)})"
        return f"{text} EDGE TABLES ({', '.join(edges)})" if edges else text

    def _element(self, record: Record, prefix: str) -> str:
        table = self.path(_property(record, f"{prefix}_BASE_TABLE_NAME"))
        alias = self._quote(_property(record, f"{prefix}_NAME"))
        parts = [f"{table} AS {alias} KEY {self._columns(record, f'{prefix}_KEY_COLUMNS')}"]
        for word, end in (("SOURCE", "SOURCE"), ("DESTINATION", "TARGET")):
            node = record.get(f"{prefix}_{end}_NODE_TABLE_NAME")
            if node:
                own = self._columns(record, f"{prefix}_{end}_EDGE_KEY_COLUMNS")
                others = self._columns(record, f"{prefix}_{end}_NODE_KEY_COLUMNS")
                parts.append(f"{word} KEY {own} REFERENCES {self._quote(node)} {others}")
        for label in _prefixes(record, f"{prefix}_LABEL"):
            parts.append(f"LABEL {self._quote(record[f'{label}_NAME'])}")
            items = [
                f"{_property(record, f'{each}_VALUE')} AS {self._quote(record[f'{each}_NAME'])}"
                for each in _prefixes(record, f"{label}_PROPERTY")
            ]
            parts.append(f"PROPERTIES ({', '.join(items)})" if items else "NO PROPERTIES")
        return " ".join(parts)

    def _columns(self, record: Record, name: str) -> str:
        columns = [self._quote(column.strip()) for column in _property(record, name).split(",")]
        return f"({', '.join(columns)})"

    def sequence(self, record: Record) -> str:
        head = f"CREATE SEQUENCE {self.path(name_of(record))}"
        if options := numbered(record, "sequenceOption_"):
            return f"{head} OPTIONS ({', '.join(options)})"
        return f"{head} {self._counter(record)}".rstrip()

    def _counter(self, record: Record) -> str:
        words = []
        if _is_set(record, "sequenceKind"):
            words.append("BIT_REVERSED_POSITIVE")
        if _is_set(record, "skipRangeMin") and _is_set(record, "skipRangeMax"):
            separator = " " if self._is_postgresql else ", "
            words.append(f"SKIP RANGE {record['skipRangeMin']}{separator}{record['skipRangeMax']}")
        if _is_set(record, "counterStartValue"):
            word = "START COUNTER" if self._is_postgresql else "START COUNTER WITH"
            words.append(f"{word} {record['counterStartValue']}")
        return " ".join(words)

    def table(self, record: Record) -> str:
        name = self.path(name_of(record))
        elements = [self._column(field) for field in record["fields"]]
        elements += numbered(record, "spannerCheckConstraint_")
        parts = numbered(record, "spannerPrimaryKey_")
        key = ", ".join(parts) if parts else record.get("spannerPrimaryKey", "")
        if self._is_postgresql:
            # PostgreSQL's keys have no order.
            plain = [part.removesuffix(" ASC") for part in parts] or [key]
            elements += [f"PRIMARY KEY ({', '.join(plain)})"] if key else []
            return f"CREATE TABLE {name} ({', '.join(elements)}){self._interleave(record)}"
        separator = "," if record.get("spannerParent") else ""
        text = f"CREATE TABLE {name} ({', '.join(elements)}) PRIMARY KEY ({key})"
        return f"{text}{separator}{self._interleave(record)}"

    def _interleave(self, record: Record) -> str:
        if not (parent := record.get("spannerParent")):
            return ""
        if record.get("spannerInterleaveType", "IN PARENT").upper() == "IN":
            return f" INTERLEAVE IN {self.path(parent)}"
        action = str(record.get("spannerOnDeleteAction", "no action")).upper()
        return f" INTERLEAVE IN PARENT {self.path(parent)} ON DELETE {action}"

    def _column(self, field: Record) -> str:
        return " ".join([self._quote(name_of(field)), self._type(field), *self._clauses(field)])

    def _type(self, field: Record) -> str:
        return str(field.get("sqlType") or self._inferred(without_null(field["type"])))

    def _inferred(self, avro: Any) -> str:
        if isinstance(avro, dict) and avro.get("type") == "array":
            item = self._inferred(without_null(avro["items"]))
            return f"{item}[]" if self._is_postgresql else f"ARRAY<{item}>"
        kind = avro.get("logicalType") or avro["type"] if isinstance(avro, dict) else avro
        known = _INFERRED.get(kind if isinstance(kind, str) else "")
        if known is None:
            raise UnknownDefinition(f"there is no type for the Avro type {avro}")
        return known[self._is_postgresql]

    def _clauses(self, field: Record) -> Iterator[str]:
        nullable = field["type"] == "null" or without_null(field["type"]) is not field["type"]
        if field.get("notNull") == "true" or not nullable:
            yield "NOT NULL"
        if (expression := field.get("generationExpression")) is not None:
            always = "GENERATED ALWAYS " if self._is_postgresql else ""
            stored = field.get("stored", "true") == "true"
            virtual = "VIRTUAL" if self._is_postgresql else ""
            yield f"{always}AS ({expression}) {'STORED' if stored else virtual}".rstrip()
        elif field.get("identityColumn") == "true":
            counter = self._counter(field)
            words = f" ({counter})" if counter else ""
            yield f"GENERATED BY DEFAULT AS IDENTITY{words}"
        elif (default := field.get("defaultExpression")) is not None:
            yield f"DEFAULT ({default})"
        if not self._is_postgresql:
            if options := numbered(field, "spannerOption_"):
                yield f"OPTIONS ({', '.join(options)})"
            if field.get("hidden") == "true":
                yield "HIDDEN"


def _prefixes(record: Record, prefix: str) -> Iterator[str]:
    """Yield prefix_0, prefix_1, ... as long as the record has a property prefix_0_NAME, ..."""
    for number in count():
        numbered_prefix = f"{prefix}_{number}"
        if f"{numbered_prefix}_NAME" not in record:
            return
        yield numbered_prefix


def _property(record: Record, name: str) -> str:
    """Return a property. Raise UnknownDefinition for a record without it."""
    if name not in record:
        raise UnknownDefinition(f"{name_of(record)}: the property {name} is missing")
    return str(record[name])


def _is_set(record: Record, name: str) -> bool:
    return record.get(name) not in (None, "null", "")
