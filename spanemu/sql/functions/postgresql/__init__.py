"""Functions of the PostgreSQL dialect, by the names that PostgreSQL has for them.

errors        the errors of functions and conversions
text_input    text -> value: literals of every type
text_output   value -> text
array_text    the text form of arrays
casts         the casts between types, with their contexts
shared        implementations that GoogleSQL has under another name
comparison    = <> < <= > >= of every type
numbers       arithmetic and mathematical functions
arrays        functions and operators on arrays
json          functions and operators on JSONB
hash          hash functions
conditional   GREATEST and LEAST
set_returning unnest and generate_series
utility       sequences, UUIDs and tokenizers
aggregates    aggregate functions
time          date, timestamptz and interval
text          text, bytea and patterns
regexp        regular expressions
formatting    to_char, to_number, to_date and to_timestamp

A function that does what a GoogleSQL function does is declared with the same implementation.
"""
