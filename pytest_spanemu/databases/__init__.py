"""Databases for tests: making, allocating, observing and resetting them.

In reading order: `catalog` and `contents` (tables and rows of a database), `template` (schema and
seeds, made once), `template_cache` (kept between runs), `templates` (all templates of a run),
`progress`; `isolation` (how changes are kept from the next test), `observation` (what is recorded
of a test), `allocation` (a database for one test), `snapshots`, `pause`.
"""
