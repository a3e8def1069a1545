"""Functions of the PostgreSQL dialect, by the names that PostgreSQL has for them.

`time` has date, timestamptz and interval. Values have the same Python forms as in GoogleSQL, and a
function that does what a GoogleSQL function does is declared with the same implementation.
"""
