"""What a cell can hold.

In reading order: `types` (INT64, ARRAY<T>, STRUCT<...>: identity and printing), `value` (each
type's wire form to its Python form and back), `numeric`, `timestamp` and `zone`, `date`,
`interval`, `json`, `uuid_text`, `float64`, `float32` (text and arithmetic, one per type that
needs it), `grisu` (the digits of doubles in JSON), `order` (order, groups and
equality of values), `key` and `key_part` (order-preserving bytes and ranges of them), `key_text`
(of error messages), `value_text` (of dumps),
`cell_mask` (which cells of a row are meant), `mutation` (writes as plain data), `errors`.

The Python form of each type; SQL NULL is always `None`:

    BOOL bool            INT64 int           FLOAT64 float     FLOAT32 float (rounded)
    NUMERIC Decimal      STRING str          BYTES bytes       DATE datetime.date
    TIMESTAMP int (nanoseconds since the epoch, UTC)           UUID uuid.UUID
    INTERVAL interval.Interval               JSON json.Json    ENUM int     PROTO bytes
    ARRAY tuple          STRUCT tuple        TOKENLIST bytes

Modules: `floats`.
"""
