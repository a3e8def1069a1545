"""The values of cells and their types.

In reading order: `types` (INT64, ARRAY<T>, STRUCT<...>: identity and printing; the error of a value
of none), `value` (conversion between wire form and Python form, by type), `value_bytes` (values as
bytes of protocol buffers, and rows, by generated functions), `numeric`, `floats`, `date`,
`timestamp` with its zones, `interval`, `uuid_text` and `json` (text and arithmetic of one type
each), `order` (order, groups and equality of values), `key` (order-preserving bytes and ranges of
them), `columns` (many values converted at once) with `document_columns` (those of JSON), `key_text`
(keys in error messages, values in dumps), `token_list` (what tokenizers make of texts) with
`token_finder`, `cell_mask` (masks of the cells of a row), `mutation` (writes as plain data),
`vector` (the packed form of a cell with `vector_length`) and `vector_rows` (rows by their vectors).
PostgreSQL databases have `pg_numeric` and `pg_jsonb` in place of `numeric` and `json`. Graph
queries have `graph_types` (types of elements and paths) and `graph` (their values and identifiers).

The Python form of each type; SQL NULL is always `None`:

    BOOL bool            INT64 int           FLOAT64 float     FLOAT32 float (rounded)
    NUMERIC Decimal      STRING str          BYTES bytes       DATE datetime.date
    TIMESTAMP int (nanoseconds since the epoch, UTC)           UUID uuid.UUID
    INTERVAL interval.Interval               JSON json.Json    ENUM int     PROTO bytes
    ARRAY tuple          STRUCT tuple        TOKENLIST bytes
    PG_NUMERIC Decimal   PG_JSONB Jsonb      PG_OID int
    GRAPH_NODE and GRAPH_EDGE graph.Element  GRAPH_PATH tuple of Element
"""
