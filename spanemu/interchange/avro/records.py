"""Avro records: the values and types of cells, and definitions of objects as schemas of records.

Tables, views, sequences, change streams and property graphs have a record. Its properties are
those of Spanner's export; all are text. Named schemas are part of them. Other objects (models,
roles, ...) have no record: the statements beside the export have them. They also have what a
record of Spanner's export does not say, such as the dynamic labels of a graph.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any

from spanemu.ddl.schema_text import schema_writer, user_indexes
from spanemu.interchange.connection import Cell
from spanemu.interchange.sql_text import quoter
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.objects import ChangeStream, Element, Endpoint, PropertyGraph, Sequence, View
from spanemu.schema.option_text import option_value
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity, Interleave, Table
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type, TypeCode

Record = dict[str, Any]
NAMESPACE = "spannerexport"
FORMAT_VERSION = "1.0.0"
# Of a property graph: the entity, and prefixes of the properties of its element tables.
PROPERTY_GRAPH, NODE_TABLE, EDGE_TABLE = (
    "PropertyGraph", "spannerGraphNodeTable", "spannerGraphEdgeTable",
)  # fmt: skip

Convert = Callable[[Any], Any]

_SCALE, _PRECISION = 9, 38
_PG_SCALE, _PG_PRECISION = 16_383, 147_455
_SCALE_BYTES = 4  # of PostgreSQL's numeric: the number of fractional digits
_PG_NUMBER, _PG_NAN = b"\0", b"\1"
_EXACT = Context(prec=_PG_PRECISION)
_EPOCH, _EPOCH_DATE = datetime(1970, 1, 1, tzinfo=UTC), date(1970, 1, 1)
_NANOS_DIGITS = 9

_AVRO_TYPES: Mapping[TypeCode, Any] = {
    TypeCode.BOOL: "boolean",
    TypeCode.INT64: "long",
    TypeCode.ENUM: "long",
    TypeCode.FLOAT32: "float",
    TypeCode.FLOAT64: "double",
    TypeCode.BYTES: "bytes",
    TypeCode.PROTO: "bytes",
    TypeCode.UUID: {"type": "string", "logicalType": "uuid"},
    TypeCode.NUMERIC: {
        "type": "bytes",
        "logicalType": "decimal",
        "precision": _PRECISION,
        "scale": _SCALE,
    },
    TypeCode.PG_NUMERIC: {
        "type": "bytes",
        "logicalType": "decimal",
        "precision": _PG_PRECISION,
        "scale": _PG_SCALE,
    },
}


def avro_type(column: Column) -> Any:
    """Return the Avro type of a column: plain if the column is NOT NULL, else a union with null."""
    plain = _avro_type(column.type)
    return plain if column.not_null else ["null", plain]


def _avro_type(type_: Type) -> Any:
    if type_.is_array:
        return {"type": "array", "items": ["null", _avro_type(type_.item())]}
    return _AVRO_TYPES.get(type_.code, "string")


# ---------------------------------------------------------------------------- to Avro


def writer_of(type_: Type) -> Convert | None:
    """Return the function from a cell, not NULL, to the Avro value; None if they are equal."""
    if type_.is_array:
        write = writer_of(type_.item())
        if write is None:
            return None
        return lambda cell: [None if item is None else write(item) for item in cell]
    return _WRITERS.get(type_.code)


def _numeric_bytes(cell: str) -> bytes:
    return _integer_bytes(int(Decimal(cell).scaleb(_SCALE, _EXACT)))


def _pg_numeric_bytes(cell: str) -> bytes:
    """Return a flag for NaN, the number of fractional digits, and the digits as an integer."""
    number = Decimal(cell)
    if number.is_nan():
        return _PG_NAN
    exponent = number.as_tuple().exponent
    scale = -exponent if isinstance(exponent, int) else 0
    digits = int(number.scaleb(scale, _EXACT))
    return _PG_NUMBER + scale.to_bytes(_SCALE_BYTES, signed=True) + _integer_bytes(digits)


def _integer_bytes(number: int) -> bytes:
    return number.to_bytes((number + (number < 0)).bit_length() // 8 + 1, signed=True)


_WRITERS: Mapping[TypeCode, Convert] = {
    TypeCode.INT64: int,
    TypeCode.ENUM: int,
    TypeCode.FLOAT32: float,
    TypeCode.FLOAT64: float,
    TypeCode.BYTES: base64.b64decode,
    TypeCode.PROTO: base64.b64decode,
    TypeCode.NUMERIC: _numeric_bytes,
    TypeCode.PG_NUMERIC: _pg_numeric_bytes,
}

# ---------------------------------------------------------------------------- from Avro


def reader_of(type_: Type, avro: Any) -> Convert:
    """Return the function from a value, not null, of the Avro type `avro` to a cell of a column."""
    avro = without_null(avro)
    if type_.is_array and isinstance(avro, dict) and avro.get("type") == "array":
        read = reader_of(type_.item(), avro["items"])
        return lambda value: [None if item is None else read(item) for item in value]
    return _reader(type_.code, avro)


def without_null(avro: Any) -> Any:
    """Return the other type of a union with null; any other type as it is."""
    if isinstance(avro, list):
        others = [each for each in avro if each != "null"]
        return others[0] if len(others) == 1 else avro
    return avro


def _reader(code: TypeCode, avro: Any) -> Convert:
    logical = avro.get("logicalType") if isinstance(avro, dict) else None
    if code is TypeCode.TIMESTAMP and logical in _TIMESTAMP_UNITS:
        unit = _TIMESTAMP_UNITS[logical]
        return lambda value: _timestamp(value * unit)
    if code is TypeCode.DATE and logical == "date":
        return lambda value: (_EPOCH_DATE + timedelta(days=value)).isoformat()
    if code is TypeCode.NUMERIC and logical == "decimal":
        scale = avro.get("scale", 0)
        return lambda value: _decimal_text(int.from_bytes(value, signed=True), scale)
    return _READERS.get(code, _plain)


def _plain(value: Any) -> Cell:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)


def _float(value: Any) -> Cell:
    number = float(value)
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def _numeric(value: Any) -> Cell:
    if isinstance(value, bytes):
        return _decimal_text(int.from_bytes(value, signed=True), _SCALE)
    return str(value)


def _pg_numeric(value: Any) -> Cell:
    if not isinstance(value, bytes):
        return str(value)
    if value[:1] == _PG_NAN:
        return "NaN"
    scale = int.from_bytes(value[1 : 1 + _SCALE_BYTES], signed=True)
    return _decimal_text(int.from_bytes(value[1 + _SCALE_BYTES :], signed=True), scale)


def _decimal_text(digits: int, scale: int) -> str:
    return format(Decimal(digits).scaleb(-scale, _EXACT), "f")


def _timestamp(nanos: int) -> str:
    seconds, fraction = divmod(nanos, 10**_NANOS_DIGITS)
    moment = _EPOCH + timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction:0{_NANOS_DIGITS}}Z"


_TIMESTAMP_UNITS = {"timestamp-millis": 1_000_000, "timestamp-micros": 1_000}
_READERS: Mapping[TypeCode, Convert] = {
    TypeCode.BOOL: lambda value: value,
    TypeCode.FLOAT32: _float,
    TypeCode.FLOAT64: _float,
    TypeCode.NUMERIC: _numeric,
    TypeCode.PG_NUMERIC: _pg_numeric,
}


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
    for graph in schema.graphs.values():
        yield "propertyGraphs", _property_graph(graph)
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


def _property_graph(graph: PropertyGraph) -> Record:
    properties: Record = {"spannerEntity": PROPERTY_GRAPH}
    for prefix, elements in ((NODE_TABLE, graph.nodes), (EDGE_TABLE, graph.edges)):
        for number, element in enumerate(elements):
            properties |= _element(f"{prefix}_{number}", element)
    types: dict[str, str] = {}
    labels: dict[str, list[str]] = {}
    for label in (label for element in graph.elements for label in element.labels):
        labels.setdefault(label.name, [declared.name for declared in label.properties])
        types |= {declared.name: str(declared.type) for declared in label.properties}
    for number, (name, type_) in enumerate(types.items()):
        prefix = f"spannerGraphPropertyDeclaration_{number}"
        properties |= {f"{prefix}_NAME": name, f"{prefix}_TYPE": type_}
    for number, (name, names) in enumerate(labels.items()):
        prefix = f"spannerGraphLabel_{number}"
        properties |= {f"{prefix}_NAME": name} | _numbered(f"{prefix}_PROPERTY_", names)
    return _record(graph.name, properties)


def _element(prefix: str, element: Element) -> Record:
    """Return the properties of an element table of a property graph."""
    properties: Record = {
        f"{prefix}_NAME": element.name,
        f"{prefix}_BASE_TABLE_NAME": element.table,
        f"{prefix}_KIND": "NODE" if element.source is None else "EDGE",
        f"{prefix}_KEY_COLUMNS": ",".join(element.key),
    }
    for word, end in (("SOURCE", element.source), ("TARGET", element.destination)):
        properties |= {} if end is None else _endpoint(f"{prefix}_{word}", end)
    for number, label in enumerate(element.labels):
        of_label = f"{prefix}_LABEL_{number}"
        properties[f"{of_label}_NAME"] = label.name
        for position, declared in enumerate(label.properties):
            properties[f"{of_label}_PROPERTY_{position}_NAME"] = declared.name
            properties[f"{of_label}_PROPERTY_{position}_VALUE"] = declared.expression
    return properties


def _endpoint(prefix: str, end: Endpoint) -> Record:
    return {
        f"{prefix}_NODE_TABLE_NAME": end.node,
        f"{prefix}_NODE_KEY_COLUMNS": ",".join(end.node_columns),
        f"{prefix}_EDGE_KEY_COLUMNS": ",".join(end.columns),
    }


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
