"""A short run of what `python -m tests.torture` does for long."""

from tests.torture.torture import Plan, torture

ACTIONS = 11


def test_every_test_sees_the_template_and_nothing_else(tmp_path):
    verdict = torture(Plan(tests=8 * ACTIONS, workers=2, seed=7), tmp_path)
    assert verdict.problems == ()
    assert verdict.passed == 8 * ACTIONS
