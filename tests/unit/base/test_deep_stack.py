"""The limit of recursion is higher inside, and as before afterwards."""

from __future__ import annotations

import sys

from spanemu.base.deep_stack import FRAMES_MAX, deep_stack


def depth(frames: int) -> int:
    return 0 if frames == 0 else 1 + depth(frames - 1)


def test_code_may_recurse_deeper() -> None:
    before = sys.getrecursionlimit()
    with deep_stack():
        with deep_stack():
            assert depth(FRAMES_MAX // 2) == FRAMES_MAX // 2
        assert sys.getrecursionlimit() == max(before, FRAMES_MAX)
    assert sys.getrecursionlimit() == before


def test_a_limit_that_was_set_inside_stays() -> None:
    before = sys.getrecursionlimit()
    try:
        with deep_stack():
            sys.setrecursionlimit(FRAMES_MAX + 1)
        assert sys.getrecursionlimit() == FRAMES_MAX + 1
    finally:
        sys.setrecursionlimit(before)
