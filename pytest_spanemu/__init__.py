"""pytest fixtures for code that talks to Cloud Spanner: one emulator per run, a fresh database
per test.

pytest loads `plugin`, and with it `plain_import`. In reading order: `kinds`, `options` and
`marker_arguments` (what users set), `settings` (what it comes to), `wishes` (what one test asks
for), `marker_checks` (mistakes in markers), `run` (what one pytest run holds), `early_start`,
`fixtures` and `factories`; `targets`, `sources` and `seeds`, `databases`, `rows`, `asserts`,
`report`; then `clean_errors`, `sql`, `migrator`, `fault_plan`, `lint`, `ready_made`, `hookspecs`,
and `django`.

The names below are the types of what fixtures give, for annotations; nothing is imported before one
is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_spanemu.asserts.spanner_assert import SpannerAssert
    from pytest_spanemu.databases.snapshots import SpannerSnapshot
    from pytest_spanemu.databases.template import Schema, Template
    from pytest_spanemu.migrator import SpannerMigrator
    from pytest_spanemu.rows.factory import SpannerFactory
    from pytest_spanemu.sql import SpannerSql
    from pytest_spanemu.targets.target import SpannerEmulator

__all__ = [
    "Schema",
    "SpannerAssert",
    "SpannerEmulator",
    "SpannerFactory",
    "SpannerMigrator",
    "SpannerSnapshot",
    "SpannerSql",
    "Template",
]

_HOMES = {
    "Schema": "pytest_spanemu.databases.template",
    "SpannerAssert": "pytest_spanemu.asserts.spanner_assert",
    "SpannerEmulator": "pytest_spanemu.targets.target",
    "SpannerFactory": "pytest_spanemu.rows.factory",
    "SpannerMigrator": "pytest_spanemu.migrator",
    "SpannerSnapshot": "pytest_spanemu.databases.snapshots",
    "SpannerSql": "pytest_spanemu.sql",
    "Template": "pytest_spanemu.databases.template",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
