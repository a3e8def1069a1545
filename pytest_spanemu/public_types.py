"""The types of the fixtures' values, for annotations in tests.

A test imports the types from `pytest_spanemu`. They are the same for emulators in this process and
in other processes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_spanemu.asserts.check import Check
from pytest_spanemu.asserts.plans import PlanCheck
from pytest_spanemu.databases.snapshots import TableDiff
from pytest_spanemu.rows.factory import TableFactory
from spanemu.api.change_streams import (
    Change,
    ChangeStreamHandle,
    ChangeStreamsHandle,
    DataChangeRecord,
)
from spanemu.api.handles import DatabaseHandle
from spanemu.control.clock import EmulatorClock
from spanemu.control.faults import Fault, Faults
from spanemu.control.hotspot_watch import Watch
from spanemu.control.hotspots import HotspotsHandle
from spanemu.control.models import ModelControl
from spanemu.control.recording import Recorder, Recording
from spanemu.control.splits import SplitsHandle
from spanemu.hotspots.finding import Finding
from spanemu.hotspots.report import Report

Row = dict[str, Any]  # a row of spanner_factory and spanner_sql

SpannerClock = EmulatorClock
SpannerFaults = Faults
SpannerFault = Fault
SpannerHotspots = HotspotsHandle
HotspotWatch = Watch
HotspotReport = Report
HotspotFinding = Finding
SpannerModels = ModelControl
SpannerRecorder = Recorder
SpannerRecording = Recording
SpannerRecord = Callable[[], SpannerRecorder]
SpannerSplits = SplitsHandle
SpannerChangeStreams = ChangeStreamsHandle
SpannerChangeStream = ChangeStreamHandle

__all__ = [
    "Change",
    "Check",
    "DataChangeRecord",
    "DatabaseHandle",
    "HotspotFinding",
    "HotspotReport",
    "HotspotWatch",
    "PlanCheck",
    "Row",
    "SpannerChangeStream",
    "SpannerChangeStreams",
    "SpannerClock",
    "SpannerFault",
    "SpannerFaults",
    "SpannerHotspots",
    "SpannerModels",
    "SpannerRecord",
    "SpannerRecorder",
    "SpannerRecording",
    "SpannerSplits",
    "TableDiff",
    "TableFactory",
]
