"""INFORMATION_SCHEMA and SPANNER_SYS: tables that a database computes about itself.

In reading order: `declaration` (a table as data: name, columns, what yields its rows), `source`
(what rows are made of: one schema generation at one timestamp), `information_schema` and
`spanner_sys` (the two sets of tables, each in one literal), `catalog` (lookup by name for the
analyzer, rows for the executor). Rows come from `relations` (tables, columns, views), `indexes`,
`constraints`, `options`, `objects`, `routines`, `privileges`, `maintenance`, `activity`, `heat`,
`sizes`, and `described` for what system tables say of themselves; `visibility` says who sees which;
`procedures` is what CALL does.

Rows are made when a statement scans the table, once per statement; nothing is kept up to date.
"""
