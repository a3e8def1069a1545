"""Loads the state of an emulator at its start, and saves it at its end and on request."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from spanemu.admin.instances import Instances
from spanemu.api.saving.directory import DataDirectory, InvalidState, StateNotSaved, newest_state
from spanemu.api.saving.state import load_state, save_state
from spanemu.base.clock import SystemClock
from spanemu.config import EmulatorConfig


class StateKeeper:
    """The directories of an emulator's states, locked until `close`.

    Raises DirectoryInUse or OSError.
    """

    def __init__(self, config: EmulatorConfig, instances: Instances) -> None:
        self._instances = instances
        self._import_from = config.import_from
        self._edited = config.edited
        self._data: DataDirectory | None = None
        self._mutex = threading.Lock()  # Held while a state is written.
        self._directories: list[DataDirectory] = []
        try:
            paths = (config.data_dir, config.export_on_exit)
            for path in dict.fromkeys(Path(each).resolve() for each in paths if each is not None):
                self._directories.append(DataDirectory(path))
        except BaseException:
            self.close()
            raise
        if config.data_dir is not None:
            self._data = self._directories[0]

    def load(self, clock: SystemClock) -> bool:
        """Load the newest state of the data directory, or else the state to import.

        Return whether there is a state. Raises InvalidState or OSError.
        """
        state = None if self._data is None else self._data.current
        if state is None and self._import_from is not None:
            path = Path(self._import_from)
            state = newest_state(path) if path.is_dir() else None
            if state is None:
                raise InvalidState(f"{path} has no saved state to import")
        if state is not None:
            load_state(self._instances, clock, state, edited=self._edited)
        return state is not None

    def save(self) -> str:
        """Save the current state in the data directory, and return its folder.

        Raises ValueError without a data directory, and StateNotSaved.
        """
        if self._data is None:
            raise ValueError(
                "the emulator was started without a data directory: spanemu serve --data-dir"
            )
        try:
            return str(self._save(self._data))
        except OSError as problem:
            raise StateNotSaved(str(problem)) from problem

    def save_all(self) -> None:
        """Save the last state in every directory. Raises OSError."""
        for directory in self._directories:
            self._save(directory)

    def close(self) -> None:
        """Release the directories for other emulators."""
        for directory in self._directories:
            directory.close()

    def _save(self, directory: DataDirectory) -> Path:
        with self._mutex:
            return directory.save(partial(save_state, self._instances))
