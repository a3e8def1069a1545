"""Assertions about what a test does to its database: `spanner_assert` and the markers like it.

In reading order: `check` (one check of a block or of the test so far), `request_text` (recorded
requests as lines of a failure text), `plans` (query plans), `hotspots`, `changes` (the records of
change streams), `spanner_assert` (all assertions), `markers` (`spanner_budget` and
`spanner_hotspots`).
"""
