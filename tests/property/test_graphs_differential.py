"""Random graph queries answer as the enumeration of all matches does.

A tenth of what `python -m tests.differential.graphs` runs, always with the same seeds.
"""

from __future__ import annotations

from tests.differential.graphs.campaign import Campaign

STATEMENTS = 1_000


def test_random_graph_queries_agree_with_an_enumeration():
    with Campaign() as campaign:
        assert "\n".join(campaign.differences(range(STATEMENTS))) == ""
