"""A short run of what `python -m tests.stress.plugin` does for long."""

from tests.stress.plugin.campaign import Plan, campaign

ACTIONS = 11


def test_every_test_sees_the_template_and_nothing_else(tmp_path):
    verdict = campaign(Plan(tests=8 * ACTIONS, workers=2, seed=7), tmp_path)
    assert verdict.problems == ()
    assert verdict.passed == 8 * ACTIONS
