"""The kinds of named objects without rows: one module and one description for each.

In reading order: `kind` (what a description says, and CREATE, ALTER and DROP of any kind), `rows`
(what descriptions share about INFORMATION_SCHEMA), the kinds in `placements`, `sequences`,
`functions`, `search_indexes`, `change_streams`, `models`, `views`, `property_graphs` and `roles`,
`table_functions` (those of change streams and queues), and `table` (all descriptions in the order
of canonical text, with what concerns all of them).
"""
