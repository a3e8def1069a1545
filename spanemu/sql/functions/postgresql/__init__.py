"""Functions of the PostgreSQL dialect, by the names that PostgreSQL has for them.

errors        the errors of functions and conversions
text_input    text -> value: literals of every type
text_output   value -> text
casts         the casts between types, with their contexts
shared        functions that GoogleSQL has under another name: hashes, sequences, UUIDs
comparison    = <> < <= > >= of every type, GREATEST and LEAST
numbers       arithmetic and mathematical functions
arrays        functions and operators on arrays, unnest and generate_series
json          functions and operators on JSONB
aggregates    aggregate functions
time          date, timestamptz and interval
text          text, bytea and patterns
regexp        regular expressions
formatting    to_char, to_number, to_date and to_timestamp
remote_calls  spanner.ml_predict_row
search        full-text search

A function that does what a GoogleSQL function does is declared with the same implementation.
"""
