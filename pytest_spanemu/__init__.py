"""pytest fixtures for code that uses Cloud Spanner: one emulator a run, one fresh database a test.

pytest loads `plugin`, which implements pytest's hooks. In reading order: `options` (what users can
set), `settings` (the settings of a run), `requested_options` and `markers` (what the markers of a
test ask for), `run` (the state of a pytest run, and an emulator before any conftest.py),
`session_fixtures`, `fixtures` and `factories`; `targets` (the server), `sources` (schemas), `seeds`
(rows), `databases` (templates, isolation), `rows` (row factories), `asserts` and `report`; then
`kept_facts` (files for later runs), `clean_errors`, `sql`, `exploring`, `migrator`, `lint`,
`builtin_checks`, `hookspecs`, `public_types` and `django`.

This module exports the types of the fixtures' values, for annotations. A type's module is imported
when the type is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import spanemu  # installs the finder of lazy modules  # noqa: F401

if TYPE_CHECKING:
    from pytest_spanemu.asserts.check import BlockCheck
    from pytest_spanemu.asserts.hotspots import InconclusiveHotspots
    from pytest_spanemu.asserts.spanner_assert import SpannerAssert
    from pytest_spanemu.databases.snapshots import SpannerSnapshot
    from pytest_spanemu.databases.template import Schema, Template
    from pytest_spanemu.django.setup import SpannerDjango
    from pytest_spanemu.migrator import SpannerMigrator
    from pytest_spanemu.public_types import (
        Change,
        Check,
        DatabaseHandle,
        DataChangeRecord,
        HotspotFinding,
        HotspotReport,
        HotspotWatch,
        PlanCheck,
        Row,
        SpannerChangeStream,
        SpannerChangeStreams,
        SpannerClock,
        SpannerFault,
        SpannerFaults,
        SpannerHotspots,
        SpannerModels,
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
    "BlockCheck",
    "Change",
    "Check",
    "DataChangeRecord",
    "DatabaseHandle",
    "HotspotFinding",
    "HotspotReport",
    "HotspotWatch",
    "InconclusiveHotspots",
    "PlanCheck",
    "Row",
    "Schema",
    "SpannerAssert",
    "SpannerChangeStream",
    "SpannerChangeStreams",
    "SpannerClock",
    "SpannerDjango",
    "SpannerEmulator",
    "SpannerFactory",
    "SpannerFault",
    "SpannerFaults",
    "SpannerHotspots",
    "SpannerMigrator",
    "SpannerModels",
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

_MODULES = {
    "BlockCheck": "pytest_spanemu.asserts.check",
    "Change": "pytest_spanemu.public_types",
    "Check": "pytest_spanemu.public_types",
    "DataChangeRecord": "pytest_spanemu.public_types",
    "DatabaseHandle": "pytest_spanemu.public_types",
    "HotspotFinding": "pytest_spanemu.public_types",
    "HotspotReport": "pytest_spanemu.public_types",
    "HotspotWatch": "pytest_spanemu.public_types",
    "InconclusiveHotspots": "pytest_spanemu.asserts.hotspots",
    "PlanCheck": "pytest_spanemu.public_types",
    "Row": "pytest_spanemu.public_types",
    "Schema": "pytest_spanemu.databases.template",
    "SpannerAssert": "pytest_spanemu.asserts.spanner_assert",
    "SpannerChangeStream": "pytest_spanemu.public_types",
    "SpannerChangeStreams": "pytest_spanemu.public_types",
    "SpannerClock": "pytest_spanemu.public_types",
    "SpannerDjango": "pytest_spanemu.django.setup",
    "SpannerEmulator": "pytest_spanemu.targets.target",
    "SpannerFactory": "pytest_spanemu.rows.factory",
    "SpannerFault": "pytest_spanemu.public_types",
    "SpannerFaults": "pytest_spanemu.public_types",
    "SpannerHotspots": "pytest_spanemu.public_types",
    "SpannerModels": "pytest_spanemu.public_types",
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

if not TYPE_CHECKING:  # so that type checkers report unknown names

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_MODULES[name]), name)
