"""The operation that saves the state of an emulator in its data directory."""

from __future__ import annotations

from collections.abc import Callable

from spanemu.control.operation import ControlInterface, operation

# mypy: disable-error-code="empty-body"


class SavingControl(ControlInterface):
    """The data directory of an emulator."""

    PATH = "emulator"

    @operation("Save", "POST :save", "folder")
    def save(self) -> str:
        """Save the state of the emulator in its data directory; return the folder of the state.

        The saved state has every commit before the call. Raises ValueError if the emulator was
        started without a data directory.
        """


class LocalSaving(SavingControl):
    """The data directory of an emulator in this process; `save` saves the state."""

    def __init__(self, save: Callable[[], str] | None) -> None:
        self._save = save

    def save(self) -> str:
        if self._save is None:
            raise ValueError("the emulator was started without a data directory")
        return self._save()
