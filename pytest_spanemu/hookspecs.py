"""Hooks that other plugins, and a project's conftest.py, may implement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest


@pytest.hookspec(firstresult=True)
def pytest_spanemu_load_schema(config: pytest.Config, source: str) -> Iterable[str] | None:
    """Statements for a schema source, a word of the setting `spanner_schema`; None for one that is
    not yours. Asked before the plugin looks at the word itself.
    """


@pytest.hookspec
def pytest_spanemu_providers(config: pytest.Config) -> Mapping[str, Callable[[Any], Any]] | None:
    """How `spanner_factory` makes values: a function that takes a Faker, by "Table.Column", the
    name of a column, or a type.
    """


@pytest.hookspec
def pytest_spanemu_report_row(
    config: pytest.Config, test: str, figures: Mapping[str, Any]
) -> str | None:
    """A note to show behind a test's row in the report; `figures` are its counts and findings.

    Called when the test's database is given back, in xdist in the worker.
    """


@pytest.hookspec
def pytest_spanemu_report(config: pytest.Config, report: Mapping[str, Any]) -> None:
    """The whole report, as `--spanner-report=json:PATH` has it; under xdist in the controller."""
