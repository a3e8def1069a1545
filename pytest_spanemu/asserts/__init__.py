"""What is judged of a test: `spanner_assert`, and the markers that judge without being asked.

In reading order: `check` (one judgement: the protocol that all share), `listing` (what is shown
when one fails), `statement_calls` (a judgement that nobody asks for), `plans`, `load`, `findings`
and `hot` (hotspots), `spanner_assert` (the door), `budget` (`@pytest.mark.spanner_budget`).
"""
