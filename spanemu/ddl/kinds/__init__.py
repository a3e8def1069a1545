"""The kinds of named objects without rows: one module and one description for each.

In reading order: `kind` (what a description says, and CREATE, ALTER and DROP of any kind), `rows`
(what descriptions share about INFORMATION_SCHEMA), the kinds in `placements`, `sequences`,
`functions` (with the table functions of change streams and queues), `search_indexes`,
`change_streams`, `models`, `views`, `property_graphs` and `roles`, and `table` (all descriptions in
the order of canonical text, with what concerns all of them).
"""
