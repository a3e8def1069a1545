"""INFORMATION_SCHEMA and SPANNER_SYS: tables that a database computes about itself.

In reading order: `declaration` (a table as data: name, columns, row function; the tables of a
dialect by name), `information_schema` and `spanner_sys` (the two sets of tables, each as a
literal), `catalog` (the tables of each dialect, the rows in which they describe themselves, their
rows for the executor, and the procedures of CALL), `lookup` (the tables for the analyzer, which
imports all of that on first use). Rows come from `relations` (tables, columns, views, indexes),
`constraints`, `information_schema` (options, roles, privileges) and the kinds of named objects
(`ddl.kinds`); `visibility` filters rows by role. The tables of PostgreSQL databases are in
`postgresql`.

Rows are computed when a statement scans the table, once per statement; no table is materialized.
"""
