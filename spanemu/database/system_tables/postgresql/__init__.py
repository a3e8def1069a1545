"""information_schema, pg_catalog and spanner_sys of a PostgreSQL database.

In reading order: `declaration` (the notation of the tables' columns, and tables with the rows of a
GoogleSQL table), `information_schema` (its tables as a literal, with the rows of its table of
columns and those of `objects`), `oids` (the numbers of objects and types), `pg_catalog` (its tables
as a literal, with the rows of `pg_class`), and `catalog`: all tables by name, with those of
spanner_sys and the rows that describe the tables themselves.

Names are in lower case, yes and no are text, and columns without content are NULL. A GoogleSQL
database imports nothing of this package.
"""
