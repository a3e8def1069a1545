"""A directory of saved states. The newest state is complete at any moment.

A state is written to a folder of another name, which becomes a state by a rename when all its files
are on disk. Older states are deleted after that. So a process may be killed at any moment: the
newest state is the last that was saved completely.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from spanemu.base.errors import Code, SpannerError


class UnusableState(Exception):
    """A directory from which an emulator cannot start; the message names it and the reason."""


class DirectoryInUse(UnusableState):
    """A directory that another emulator uses."""


class InvalidState(UnusableState):
    """The error of a saved state that cannot be loaded."""


class StateNotSaved(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The state of the emulator cannot be saved: {reason}."
    reason: str


LOCK = "lock"
_STATE = re.compile(r"state-(\d{6,})")
_UNFINISHED = ".unfinished"


class DataDirectory:
    """A directory that this emulator alone uses, until `close`.

    Makes the directory if it does not exist, and deletes what an interrupted save left behind.
    Raises DirectoryInUse or OSError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._lock: int | None = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(self._lock)
        except OSError as problem:
            os.close(self._lock)
            raise DirectoryInUse(f"{path} is the data directory of another emulator") from problem
        self._delete_all_but(self.current)

    @property
    def current(self) -> Path | None:
        """The folder of the newest state; None if there is none."""
        return newest_state(self.path)

    def save(self, write: Callable[[Path], None]) -> Path:
        """Make the files that `write` writes into a folder the newest state; return its folder.

        Raises what `write` raises, and OSError; the state before then stays the newest.
        """
        number = 1 if self.current is None else 1 + _number(self.current)
        state = self.path / f"state-{number:06}"
        unfinished = state.with_name(state.name + _UNFINISHED)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        try:
            write(unfinished)
            sync(unfinished)
            unfinished.rename(state)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        _sync_folder(self.path)
        self._delete_all_but(state)
        return state

    def close(self) -> None:
        """Release the directory for other emulators."""
        if self._lock is not None:
            with suppress(OSError):
                _unlock(self._lock)
            os.close(self._lock)
            self._lock = None

    def _delete_all_but(self, current: Path | None) -> None:
        for path in self.path.iterdir():
            is_state = _STATE.fullmatch(path.name.removesuffix(_UNFINISHED)) is not None
            if is_state and path != current:
                shutil.rmtree(path, ignore_errors=True)


def newest_state(path: Path) -> Path | None:
    """Return the newest state in a directory, None if there is none. Raises OSError."""
    return max(_states(path), key=_number, default=None)


def _states(path: Path) -> Iterator[Path]:
    return (each for each in path.iterdir() if _STATE.fullmatch(each.name))


def _number(state: Path) -> int:
    return int(state.name.partition("-")[2])


# ---------------------------------------------------------------------------- the disk


def sync(folder: Path) -> None:
    """Write the files of a folder and its folders to the disk."""
    for path in folder.iterdir():
        if path.is_dir():
            sync(path)
        else:
            with path.open("rb+") as file:
                os.fsync(file.fileno())
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows writes the entries of folders by itself.
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


if os.name == "nt":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

    def _unlock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:
    import fcntl

    # A lock of this kind ends with the process, even by a crash.
    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
