"""pytest fixtures for code that talks to Cloud Spanner: one emulator per run, a fresh database
per test.

pytest loads `plugin`, and with it `plain_import`. In reading order: `kinds` and `options`
(what users set), `settings` (what it comes to), `requested_options` (what one test asks for),
`marker_checks` (mistakes in markers), `run` (what one pytest run holds), `early_start`,
`fixtures` and `factories`; `targets`, `sources` and `seeds`, `databases`, `rows`, `asserts`,
`report`; then `clean_errors`, `sql`, `migrator`, `fault_plan`, `lint`, `builtin_checks`,
`hookspecs`,
`public_types` and `django`.

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
    from pytest_spanemu.django.setup import SpannerDjango
    from pytest_spanemu.migrator import SpannerMigrator
    from pytest_spanemu.public_types import (
        Check,
        DatabaseHandle,
        HotspotFinding,
        HotspotReport,
        HotspotWatch,
        PlanCheck,
        Row,
        SpannerClock,
        SpannerFault,
        SpannerFaults,
        SpannerHotspots,
        SpannerRecord,
        SpannerRecorder,
        SpannerRecording,
        SpannerSplits,
        TableDiff,
        TableFactory,
    )
    from pytest_spanemu.rows.factory import SpannerFactory
    from pytest_spanemu.sql import SpannerSql
    from pytest_spanemu.targets.target import SpannerEmulator

__all__ = [
    "Check",
    "DatabaseHandle",
    "HotspotFinding",
    "HotspotReport",
    "HotspotWatch",
    "PlanCheck",
    "Row",
    "Schema",
    "SpannerAssert",
    "SpannerClock",
    "SpannerDjango",
    "SpannerEmulator",
    "SpannerFactory",
    "SpannerFault",
    "SpannerFaults",
    "SpannerHotspots",
    "SpannerMigrator",
    "SpannerRecord",
    "SpannerRecorder",
    "SpannerRecording",
    "SpannerSnapshot",
    "SpannerSplits",
    "SpannerSql",
    "TableDiff",
    "TableFactory",
    "Template",
]

_HOMES = {
    "Check": "pytest_spanemu.public_types",
    "DatabaseHandle": "pytest_spanemu.public_types",
    "HotspotFinding": "pytest_spanemu.public_types",
    "HotspotReport": "pytest_spanemu.public_types",
    "HotspotWatch": "pytest_spanemu.public_types",
    "PlanCheck": "pytest_spanemu.public_types",
    "Row": "pytest_spanemu.public_types",
    "Schema": "pytest_spanemu.databases.template",
    "SpannerAssert": "pytest_spanemu.asserts.spanner_assert",
    "SpannerClock": "pytest_spanemu.public_types",
    "SpannerDjango": "pytest_spanemu.django.setup",
    "SpannerEmulator": "pytest_spanemu.targets.target",
    "SpannerFactory": "pytest_spanemu.rows.factory",
    "SpannerFault": "pytest_spanemu.public_types",
    "SpannerFaults": "pytest_spanemu.public_types",
    "SpannerHotspots": "pytest_spanemu.public_types",
    "SpannerMigrator": "pytest_spanemu.migrator",
    "SpannerRecord": "pytest_spanemu.public_types",
    "SpannerRecorder": "pytest_spanemu.public_types",
    "SpannerRecording": "pytest_spanemu.public_types",
    "SpannerSnapshot": "pytest_spanemu.databases.snapshots",
    "SpannerSplits": "pytest_spanemu.public_types",
    "SpannerSql": "pytest_spanemu.sql",
    "TableDiff": "pytest_spanemu.public_types",
    "TableFactory": "pytest_spanemu.public_types",
    "Template": "pytest_spanemu.databases.template",
}

if not TYPE_CHECKING:  # A type checker is to find unknown names by itself.

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOMES[name]), name)
