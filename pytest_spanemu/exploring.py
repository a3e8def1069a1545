"""The function of `spanner_explore`, which explores the interleavings of functions of a test.

A schedule of the command line repeats one exploration of one test: the first, or the one whose
number stands before the schedule, as in `--spanner-schedule=2:ABBA`.
"""

from __future__ import annotations

import functools
import inspect
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from pytest_spanemu.databases.observation import Observation
from pytest_spanemu.settings import Settings
from spanemu.explorer import actors as explored
from spanemu.explorer import exploration, timeline

__tracebackhide__ = True  # pytest then shows the caller's line

FIXTURE = "spanner_explore"
Actor = Callable[..., Any]


class SpannerExplore:
    """The exploration of functions on the test's database, called as a function."""

    def __init__(self, observation: Observation, settings: Settings) -> None:
        self._observation = observation
        self._settings = settings
        self._count = 0  # of the explorations of the test

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
        self._count += 1
        own = self._settings
        given: dict[str, Any] = {
            "seconds": own.explore_seconds,
            "schedules": own.explore_schedules,
            "preemptions": own.explore_preemptions,
        } | options
        if (schedule := self._schedule()) is not None:
            given["schedule"] = schedule
        handle = self._observation.handle
        result: exploration.Explored = handle.explore(_closing_django(named), **given)
        if result.timeline is not None and self._count > 1:
            schedule = f"{self._count}:{result.timeline.schedule}"
            result.timeline = replace(result.timeline, schedule=schedule)
        self._note(result)
        if result.timeline is not None:
            raise pytest.fail.Exception(_text(result.timeline), pytrace=False)
        try:
            return result.check()
        except AssertionError as failure:  # It is not complete.
            raise pytest.fail.Exception(str(failure), pytrace=False) from None

    def _schedule(self) -> str | None:
        """Return the schedule of the command line if it repeats the current exploration."""
        if self._settings.schedule is None:
            return None
        number, schedule = numbered(self._settings.schedule)
        return schedule if self._count == number else None

    def _note(self, result: exploration.Explored) -> None:
        """Add the exploration to the report of the test."""
        failure = result.timeline
        self._observation.explorations.append(
            {
                "note": str(result),
                "warnings": list(result.warnings),
                "timeline": None if failure is None else failure.to_json(),
            }
        )

    @staticmethod
    def point(name: str) -> None:
        """Allow another actor to run here in an exploration; do nothing elsewhere."""
        explored.point(name)


def numbered(schedule: str) -> tuple[int, str]:
    """Return the number of an exploration in its test, and its schedule: (2, "ABBA") for 2:ABBA."""
    number, colon, rest = schedule.partition(":")
    return (int(number), rest) if colon and number.isdigit() else (1, schedule)


def _text(failure: timeline.Timeline) -> str:
    """Return the text of a failure: in columns, unless the terminal is too narrow for them."""
    in_columns = True
    if sys.__stdout__ is not None and sys.__stdout__.isatty():
        width = shutil.get_terminal_size().columns
        in_columns = timeline.columns_width(len(failure.actors)) <= width
    return timeline.timeline_text(failure, in_columns=in_columns)


def _closing_django(actors: Any) -> Any:
    """Return actors that close Django's connections at their ends, if Django is in use.

    Each actor has a thread of its own, which Django gives connections of its own.
    """
    database, conf = sys.modules.get("django.db"), sys.modules.get("django.conf")
    if database is None or conf is None or not conf.settings.configured:
        return actors

    def closing(actor: Actor) -> Actor:
        if inspect.iscoroutinefunction(actor):
            return actor

        @functools.wraps(actor)
        def run(*args: Any) -> Any:
            try:
                return actor(*args)
            finally:
                database.connections.close_all()

        return run

    if isinstance(actors, Mapping):
        return {name: closing(actor) for name, actor in actors.items()}
    return closing(actors) if callable(actors) else [closing(actor) for actor in actors]


def check_schedule(settings: Settings, items: list[pytest.Item]) -> None:
    """Raise pytest.UsageError for a schedule, unless one test that explores is selected."""
    if settings.schedule is None:
        return
    if len(items) != 1:
        raise pytest.UsageError(
            f"--spanner-schedule={settings.schedule} repeats one schedule of one test, but "
            f"{len(items)} tests are selected: name the test on the command line."
        )
    if FIXTURE not in getattr(items[0], "fixturenames", ()):
        raise pytest.UsageError(
            f"--spanner-schedule={settings.schedule} repeats a schedule of a test with the fixture "
            f"{FIXTURE}, which {items[0].nodeid} does not use."
        )
