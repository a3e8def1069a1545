"""Assertions about what a test does to its database: the methods of `spanner_assert`.

In reading order: `check` (one check of a block or of the test so far), `request_text` (recorded
requests as lines of a failure text), `conditions` (what the checks of requests look for), `plans`
(query plans), `hotspots`, `changes` (the records of change streams), `spanner_assert` (all
assertions).
"""
