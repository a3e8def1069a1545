"""Databases for tests: building, allocating, observing and resetting them.

In reading order: `catalog_queries` (the queries that read a schema, for each dialect), `catalog`
(tables and rows of a database), `template` (a database with schema and seeds, built once),
`template_cache` (templates kept between runs), `kept_revisions` (states between the revisions of
Alembic, kept as well), `templates` (all templates of a run), `progress` (display of a long build);
`isolation` (how each test's changes are undone), `observation` (what is recorded of a test),
`allocation` (a database for each test), `snapshots` (`spanner_snapshot`: named snapshots within a
test).
"""
