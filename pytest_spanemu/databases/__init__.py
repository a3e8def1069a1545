"""Databases for tests: how they are made, lent, watched and put back.

In reading order: `catalog` and `contents` (tables and rows of one), `template` (schema and seeds,
made once), `template_cache` (kept between runs), `templates` (all of a run), `progress`;
`isolation` (how changes are kept from the next test), `observation` (what is watched), `leftovers`,
`lending` (a database for one test), `snapshots`, `pause`.

Modules: `allocation`.
"""
