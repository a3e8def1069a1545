"""A short history; `python -m tests.stress.server.history` is the long one."""

from __future__ import annotations

import sys

import pytest

from tests.stress.server.history import LIVE_GROWTH_MAX, ROWS, run


@pytest.mark.skipif(sys.platform != "linux", reason="reads its memory from /proc")
def test_old_versions_do_not_slow_reads_and_are_discarded() -> None:
    result = run(10_000, turns=1, hours=1)
    print(result)
    assert result.versions == (ROWS, ROWS + 10_000, ROWS)
    assert result.live[1] < result.live[0] * LIVE_GROWTH_MAX
    # A busy machine blurs a few percent; a walk over ten versions would show.
    assert result.strong[1] < result.strong[0] * 1.5
    assert result.scan[1] < result.scan[0] * 1.5
