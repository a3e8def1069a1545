"""Foundations without knowledge of databases, which every other package may import.

In reading order: `errors` (failures with a code and a text), `sql_states` (PostgreSQL's codes of
errors), `clock` (the only source of time, and its units and periods), `timers` (functions called at
times of a clock), `live` (rows of a result that appear over time, and the thread that wakes who
reads them), `rand` (the only source of randomness), `limits` (every published quota),
`resource_names` (paths, ids and labels of resources), `suggestions` (for unknown names), `excerpts`
(of statements, with a caret), `identifiers` (of SQL), `call` (the request in progress, its
deadline, what it waits for, and the line that made it), `request_mutex` (a mutex for which requests
wait), `lazy_import` (modules that run when they are used), `deferred` (functions looked up and
patterns compiled when used), `deadline_checks` (long loops
that check the deadline), `deep_stack` (room for code that recurses over a statement), `paging`
(pages of a listing), `record` (light classes for frozen data), `bits` (sets
of numbers as integers), `serialization` (objects and keys as
plain data), `text_files` (whose line ends may be values), `process` (the memory left, and
attributes that a forked child may not read), `collector` (blocks without garbage collections, and a
heap that they skip), `counts` (with their nouns), `severity` and `name_hints` (for the
linter and the hotspot detector).
"""
