"""What SQL can call: every function and operator, as data.

In reading order: `registry` (what a function is), `notation` (how one is declared, as text),
`errors`, `value_size` (how large a value may become), `catalog` (the table of all), `operators`
(symbols and keywords as hidden functions);
`comparison`, `conversion_rules` and `conversion`, `conditional`; the folders `numbers`, `text`,
`time`, `json` and `aggregates`; and the chapters that are one module each: `array` (with
`array_generate` and `subscript`), `hash`, `compression`, `utility`, `debugging`, `introspection`.
`messages` and `nested_dml` hold functions that have no name in SQL.

An implementation takes and returns values in Python form (`values.value`); a NULL argument does
not reach it, unless its declaration says so.
"""
