"""The functions, operators and aggregates of SQL, as data that all dialects share.

In reading order: `registry` (the description of a function), `notation` (declarations as text),
`chapters` (the search for a function among the modules), `errors`, `value_size` (limits on the size
of values), `comparison_operators` and `operators` (symbols and keywords as hidden functions);
`comparison` (with `compound_membership`), `conversion_rules`, `conversion` and `conditional`; the
packages `numbers`, `text`, `time`, `json`, `search`, `graph` (elements and paths) and `aggregates`;
and the chapters that are one module each: `array`, `hash` (with `farm_hash`), `compression`,
`utility` (also introspection) and `remote_calls`. `messages` holds functions that have no name in
SQL. `postgresql` has the functions that only PostgreSQL databases know.

An implementation takes and returns values in Python form (`values.value`). A NULL argument does
not reach an implementation unless its declaration asks for NULLs.
"""
