"""The kinds of named objects without rows: one module and one description for each.

In reading order: `kind` (what a description says, and CREATE, ALTER and DROP of any kind), `rows`
(what descriptions share about INFORMATION_SCHEMA), and `table`, which imports the modules of the
kinds and lists all descriptions in the order of canonical text.
"""
