"""Spanner's export in Avro: the folder that the export of Spanner's Dataflow template writes.

    spanner-export.json          the tables and other objects, each with a manifest
    Singers-manifest.json        the files of a table, with checksums
    Singers.avro-00000-of-00001  rows; the schema of the records has the table's definition
    schema.sql, ...              the whole schema as statements, which only spanemu reads

In reading order: `records` (cells of each type, and definitions as schemas of records),
`definitions` (schemas of records as statements), `export` (the folder). Needs the package
fastavro, which the extra `avro` installs.
"""
