"""Functions of the PostgreSQL dialect, by the names that PostgreSQL has for them.

In reading order: `errors`, `text_input` and `text_output` (the text forms of types;
`array_text` that of arrays), `casts`; `time` has date, timestamptz and interval;
`conditional` and `aggregates` are chapters. A function that
does what a GoogleSQL function does is declared with the same implementation.
"""
