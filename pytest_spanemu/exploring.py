"""The function of `spanner_explore`, which explores the interleavings of functions of a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from pytest_spanemu.settings import Settings
from spanemu.explorer import exploration, points

__tracebackhide__ = True  # pytest then shows the caller's line

Actor = Callable[..., Any]


class SpannerExplore:
    """The exploration of functions on the test's database, called as a function."""

    def __init__(self, handle: Any, settings: Settings, tests: int) -> None:
        self._handle = handle
        self._settings = settings
        self._tests = tests

    def __call__(
        self, *actors: Actor | Mapping[str, Actor], **options: Any
    ) -> exploration.Explored:
        """Explore the interleavings of some functions, or of a mapping with their names.

        Fails the test at the first schedule that no serial order explains. `options` are those of
        `Database.explore`; the settings of the run are the defaults of the budget.
        """
        __tracebackhide__ = True
        named: Any = actors[0] if len(actors) == 1 else list(actors)
        if len(actors) > 1 and any(isinstance(actor, Mapping) for actor in actors):
            raise TypeError("spanner_explore takes functions, or one mapping of names to functions")
        own = self._settings
        given: dict[str, Any] = {
            "seconds": own.explore_seconds,
            "schedules": own.explore_schedules,
            "preemptions": own.explore_preemptions,
        } | options
        if own.schedule is not None:
            if self._tests != 1:
                raise pytest.UsageError(
                    f"--spanner-schedule repeats one schedule of one test, but {self._tests} tests "
                    "are selected: name the test on the command line."
                )
            given["schedule"] = own.schedule
        result: exploration.Explored = self._handle.explore(named, **given)
        try:
            return result.check()
        except AssertionError as failure:
            raise pytest.fail.Exception(str(failure), pytrace=False) from None

    @staticmethod
    def point(name: str) -> None:
        """Let another actor run here, in an exploration; do nothing elsewhere."""
        points.point(name)
