"""The check of how many rows a test sends to models, AI functions and remote functions."""

from __future__ import annotations

from pytest_spanemu.asserts.check import Check, FindProblem
from pytest_spanemu.asserts.conditions import count_problem
from pytest_spanemu.databases.observation import Observation


def predictions_check(
    observation: Observation, before: int, n: int | None, limit: int | None
) -> Check:
    """Return the check that exactly `n`, or at most `limit`, rows were sent.

    `before` is the number of rows that were sent before the test.
    """

    def since(start: int) -> str | None:
        sent = observation.predictions() - start
        return count_problem("prediction", "predictions", sent, n, limit)

    def begin() -> FindProblem:
        start = observation.predictions()
        return lambda: since(start)

    return Check("predictions", lambda: since(before), begin)
