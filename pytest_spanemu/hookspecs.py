"""Hooks that other plugins and a project's conftest.py may implement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest


@pytest.hookspec(firstresult=True)
def pytest_spanemu_load_schema(config: pytest.Config, source: str) -> Iterable[str] | None:
    """Return the statements of a schema source, given as a value of the setting `spanner_schema`;
    None for a source of another kind. Called before the plugin interprets the source.
    """


@pytest.hookspec
def pytest_spanemu_providers(config: pytest.Config) -> Mapping[str, Callable[[Any], Any]] | None:
    """Return functions that create the values of `spanner_factory` from a Faker, by "Table.Column",
    column name, or type.
    """


@pytest.hookspec
def pytest_spanemu_report_row(
    config: pytest.Config, test: str, figures: Mapping[str, Any]
) -> str | None:
    """Return a note for a test's row in the report, None for no note. `figures` are the counts and
    findings of the test. Called after the test; under xdist in the worker.
    """


@pytest.hookspec
def pytest_spanemu_report(config: pytest.Config, report: Mapping[str, Any]) -> None:
    """Receive the report, as in `--spanner-report=json:PATH`; under xdist in the controller."""
