"""Definitions of tables, views, sequences and change streams as schemas of Avro records.

The properties are those of Spanner's export; all are text. Named schemas are part of them. Other
objects (models, property graphs, roles, ...) have no record: the statements beside the
export have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from spanemu.ddl.schema_text import schema_writer, user_indexes
from spanemu.interchange.avro.cells import avro_type
from spanemu.interchange.sql_text import quoter
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.objects import ChangeStream, Sequence, View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity, Interleave, Table
from spanemu.schema.table_text import option_value
from spanemu.sql.dialects import dialect_of

Record = dict[str, Any]
NAMESPACE = "spannerexport"
FORMAT_VERSION = "1.0.0"


def table_record(table: Table, schema: Schema) -> Record:
    """Return the record schema of a table, whose records are its rows."""
    properties: Record = {}
    if table.parent is not None:
        in_parent = table.interleave is Interleave.IN_PARENT
        properties["spannerParent"] = table.parent
        properties["spannerInterleaveType"] = "IN PARENT" if in_parent else "IN"
        properties["spannerOnDeleteAction"] = "cascade" if table.cascade else "no action"
    quote, writer = quoter(schema.dialect), schema_writer(schema)
    parts = [
        f"{quote(part.column.name)} {'DESC' if part.order.descending else 'ASC'}"
        for part in table.key
    ]
    properties["spannerPrimaryKey"] = ",".join(parts)
    properties |= _numbered("spannerPrimaryKey_", parts)
    indexes = user_indexes(schema).get(table.name, [])
    properties |= _numbered("spannerIndex_", map(writer.index, indexes))
    properties |= _numbered("spannerForeignKey_", map(writer.foreign_key, table.foreign_keys))
    checks = [
        f"CONSTRAINT {quote(check.name)} CHECK ({check.expression})" for check in table.checks
    ]
    properties |= _numbered("spannerCheckConstraint_", checks)
    fields = [_field(column, schema) for column in table.columns]
    return _record(table.name, properties, fields)


def _field(column: Column, schema: Schema) -> Record:
    field: Record = {
        "name": avro_name(column.name),
        "type": avro_type(column),
        "sqlType": dialect_of(schema.dialect).column_type(column),
        "hidden": _text(column.hidden),
    }
    if field["name"] != column.name:
        field["spannerName"] = column.name
    field |= _numbered("spannerOption_", _options(column.options))
    if column.generated is not None:
        return field | {
            "type": "null",
            "default": None,
            "notNull": _text(column.not_null),
            "generationExpression": column.generated,
            "stored": _text(column.stored),
        }
    if column.identity is not None:
        return field | {"identityColumn": "true"} | _counter(column.identity)
    if column.default is not None:
        field["defaultExpression"] = column.default
    return field


def _counter(source: Identity | Sequence) -> Record:
    low, high = source.skip_range or (None, None)
    values = {
        "sequenceKind": source.kind,
        "counterStartValue": source.start_counter,
        "skipRangeMin": low,
        "skipRangeMax": high,
    }
    return {name: str(value) for name, value in values.items() if value is not None}


def object_records(schema: Schema) -> Iterator[tuple[str, Record]]:
    """Yield the record schemas of other objects, with the list of the export that names them."""
    for sequence in schema.sequences.values():
        if not sequence.internal:
            yield "sequences", _sequence(sequence, schema)
    for view in schema.views.values():
        yield "tables", _view(view)
    for stream in schema.change_streams.values():
        yield "changeStreams", _change_stream(stream, schema)
    for name in schema.named_schemas.values():
        yield "tables", _record(name, {"spannerEntity": "spannerNamedSchema"})


def _sequence(sequence: Sequence, schema: Schema) -> Record:
    properties = _counter(sequence)
    if schema.dialect is not POSTGRESQL:
        names = {
            "sequence_kind": sequence.kind,
            "skip_range_min": sequence.skip_range and sequence.skip_range[0],
            "skip_range_max": sequence.skip_range and sequence.skip_range[1],
            "start_with_counter": sequence.start_counter,
        }
        options = {name: value for name, value in names.items() if value is not None}
        properties = _numbered("sequenceOption_", _options(options))
    return _record(sequence.name, properties)


def _view(view: View) -> Record:
    security = "INVOKER" if view.invoker_rights else "DEFINER"
    return _record(view.name, {"spannerViewQuery": view.query, "spannerViewSecurity": security})


def _change_stream(stream: ChangeStream, schema: Schema) -> Record:
    quote = quoter(schema.dialect)
    watched = [
        dialect_of(schema.dialect).quoted_path(table.table)
        + ("" if table.columns is None else f"({', '.join(map(quote, table.columns))})")
        for table in stream.tables
    ]
    clause = "FOR ALL" if stream.watches_all else f"FOR {', '.join(watched)}" if watched else ""
    options = _numbered("spannerOption_", _options(stream.options))
    return _record(stream.name, {"spannerChangeStreamForClause": clause} | options)


def _record(name: str, properties: Record, fields: Iterable[Record] = ()) -> Record:
    return {
        "type": "record",
        "name": avro_name(name),
        "namespace": NAMESPACE,
        "spannerName": name,
        "googleFormatVersion": FORMAT_VERSION,
        "googleStorage": "CloudSpanner",
        **properties,
        "fields": list(fields),
    }


def avro_name(name: str) -> str:
    """Return a name with the characters that Avro permits."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{text}" if text[0].isdigit() else text


def _options(options: Any) -> list[str]:
    return [f"{name}={option_value(value)}" for name, value in options.items()]


def _numbered(prefix: str, texts: Iterable[str]) -> Record:
    return {f"{prefix}{number}": text for number, text in enumerate(texts)}


def _text(flag: bool) -> str:
    return "true" if flag else "false"
