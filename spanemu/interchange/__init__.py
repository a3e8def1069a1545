"""Data in and out: dumps of databases as files, and loads of files into databases.

In reading order: `connection` (what a dump needs of a database, as protocols), `parts` (the parts
of a database to dump or load, and their order), `errors`, `sql_text` (SQL), `sql_checksum` (its
first and its last line), `statements` (the statements of large SQL files), `insert_rows` (INSERT
statements as rows), `row_files` (JSON lines and CSV), `inventory` (the checksums of a folder),
`folder` (a dump as a folder), `transfer` (loads), `files` (the formats by name). `avro` is another
form of folder: the export of Spanner itself.
"""
