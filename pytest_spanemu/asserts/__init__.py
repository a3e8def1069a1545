"""Assertions about what a test does to its database: `spanner_assert` and the markers like it.

In reading order: `check` (one check of a block or of the test so far), `listing` (recorded requests
as lines of a failure text), `plans` (query plans), `findings` and `hot` (hotspots), `load`,
`spanner_assert` (all assertions), `budget` (`@pytest.mark.spanner_budget`).
"""
