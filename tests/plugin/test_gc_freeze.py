"""Full collections skip the objects of a run's emulator only if the setting says so."""

from __future__ import annotations

import pytest

SUITE = """
import gc

def test_it(spanner_database):
    own = [each for each in gc.callbacks if each.__module__ == "spanemu.base.collector"]
    assert (bool(own), gc.get_freeze_count() > 10_000) == ({expected}, {expected})
    with spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [[1, "Smith"]])
"""


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), False),
        (("--spanner-gc-freeze=auto",), False),
        (("--spanner-gc-freeze=off",), False),
        (("--spanner-gc-freeze=on",), True),
    ],
)
def test_the_setting_freezes_objects(music, arguments, expected):
    result = music.run_apart(SUITE.format(expected=expected), *arguments)
    result.assert_outcomes(passed=1)


def test_another_value_is_refused(music):
    result = music.run(SUITE.format(expected=False), "--spanner-gc-freeze=always")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
