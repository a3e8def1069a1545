"""The choice of the CPU on which a server runs."""

import pytest

from spanemu.cli.home_cpu import Load, better_home

ALLOWED = [0, 1, 2]


def after(*, own, busy):
    return better_home(0, ALLOWED, Load(1.0, dict(enumerate(busy)), own))


@pytest.mark.parametrize(
    ("own", "busy", "home"),
    [
        pytest.param(1.0, (1.0, 0.0, 0.0), 0, id="nobody else at home"),
        pytest.param(0.5, (1.0, 0.4, 0.1), 2, id="shared, and another is quieter"),
        pytest.param(0.5, (1.0, 0.4, 0.3), 0, id="shared, and elsewhere it is no better"),
        pytest.param(0.1, (0.6, 0.0, 0.0), 0, id="shared, and there is room"),
        pytest.param(0.5, (1.0, 0.0, 0.0), 1, id="the first of the quietest"),
    ],
)
def test_a_server_moves_from_a_busy_cpu_to_a_less_loaded_one(own, busy, home):
    assert after(own=own, busy=busy) == home
