"""The control operations that an emulator in this process serves to other processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spanemu.api import transfers
from spanemu.base.resource_names import DatabaseName
from spanemu.control.change_streams import ChangeStreamControl, LocalChangeStreams
from spanemu.control.clock import EmulatorClock
from spanemu.control.databases import (
    DatabaseControl,
    LocalDatabase,
    LocalSnapshots,
    SnapshotList,
    TransferControl,
)
from spanemu.control.dispatch import Dispatcher
from spanemu.control.emulator import EmulatorControl, LocalEmulator, LocalSaving, SavingControl
from spanemu.control.explorations import ExplorationHandle, ExplorationsControl
from spanemu.control.faults import Fault, Faults
from spanemu.control.hotspot_watch import Watch
from spanemu.control.hotspots import HotspotsHandle
from spanemu.control.models import EmbeddedModels, ModelControl
from spanemu.control.recording import Recorder, RecordingSource
from spanemu.control.request_log import RequestLog
from spanemu.control.splits import Splits, SplitsHandle


@dataclass(frozen=True, slots=True)
class EmulatorParts:
    """The parts of an emulator that have operations of their own, some of them made on first use.

    `recorder`, `hotspots` and `explorations` take the full name of a database.
    """

    emulator: LocalEmulator
    recorder: Callable[[str], Recorder]
    hotspots: Callable[[str], HotspotsHandle]
    explorations: Callable[[str], ExplorationsControl]
    request_log: Callable[[], RequestLog]
    saving: LocalSaving


def dispatcher_of(parts: EmulatorParts) -> Dispatcher:
    """Return the operations of an emulator."""
    emulator = parts.emulator
    instances, clock, faults = emulator.instances, emulator.clock, emulator.faults
    operations = Dispatcher()
    operations.add(EmulatorControl, lambda: emulator)
    operations.add(EmulatorClock, lambda: clock)
    operations.add(Faults, faults)
    operations.add(Fault, lambda number: faults().find(number))
    operations.add(
        DatabaseControl, lambda name: LocalDatabase(instances, clock, DatabaseName.parse(name))
    )
    operations.add(
        SnapshotList,
        lambda name: LocalSnapshots(operations.held("snapshot"), instances.database(name)),
    )
    operations.add(
        TransferControl, lambda name: transfers.LocalTransfers(instances, DatabaseName.parse(name))
    )
    operations.add(SplitsHandle, lambda name: Splits(instances.database(name)))
    operations.add(ChangeStreamControl, lambda name: LocalChangeStreams(instances.database(name)))
    operations.add(Recorder, parts.recorder)
    operations.add(RecordingSource)
    operations.add(HotspotsHandle, parts.hotspots)
    operations.add(Watch)
    operations.add(ExplorationsControl, parts.explorations)
    operations.add(ExplorationHandle)
    operations.add(RequestLog, parts.request_log)
    operations.add(ModelControl, lambda: EmbeddedModels(emulator.models()))
    operations.add(SavingControl, lambda: parts.saving)
    return operations
