"""Random queries and DML give the same rows in a PostgreSQL database and in a real PostgreSQL.

`python -m tests.differential.postgresql` compares as many as one likes.
"""

from __future__ import annotations

from tests.differential.postgresql import comparison


def test_random_statements_have_the_rows_of_postgresql() -> None:
    with comparison(seed=1) as both:
        differences = list(both.differences(range(200)))
        assert not differences, differences[0]
        assert both.refused < 20, "most statements must have rows to compare"
