"""The operations on a whole emulator: what runs, how to start over, and saving its state."""

from __future__ import annotations

from collections.abc import Callable

from spanemu.admin.instances import Instances
from spanemu.base.deferred import Once
from spanemu.base.process import OwnProcess
from spanemu.base.record import NamedTuple, dataclass
from spanemu.base.resource_names import InstanceName
from spanemu.control import injector
from spanemu.control.clock import EmbeddedClock
from spanemu.control.operation import ControlInterface, operation
from spanemu.models import registry

# mypy: disable-error-code="empty-body"


@dataclass(frozen=True, slots=True)
class EmulatorInfo:
    """An emulator: its version, the seed of its random choices, and its databases by full name.

    `project` and `instance` contain the databases that are created by a bare name.
    """

    version: str
    seed: int
    databases: tuple[str, ...]
    project: str
    instance: str


class EmulatorControl(ControlInterface):
    """The operations on a whole emulator."""

    PATH = "emulator"

    @operation("GetEmulator", "GET")
    def info(self) -> EmulatorInfo:
        """Return the version, the seed, the names of all databases, and the own instance."""

    @operation("ResetEmulator", "POST :reset")
    def reset(self) -> None:
        """Delete all instances with their databases and backups, and undo what tests have set.

        That is faults, answers of models, and moves of the clock. The emulator is then empty, as
        without `--instance`. Instance configurations stay.
        """


class ToolsOfTests(NamedTuple):
    """The tools other than the clock, created on first use: faults, and answers of models."""

    faults: Callable[[], injector.EmbeddedFaults]
    models: Once[registry.ModelRegistry]


class LocalEmulator(EmulatorControl):
    """The operations on an emulator in this process, and the parts that they need."""

    instances = OwnProcess[Instances]()

    def __init__(
        self,
        instances: Instances,
        clock: EmbeddedClock,
        tools: ToolsOfTests,
        seed: int,
        own: InstanceName,
    ) -> None:
        self.instances = instances
        self.clock = clock
        self.faults = tools.faults
        self.models = tools.models
        self._seed = seed
        self._own = own

    def info(self) -> EmulatorInfo:
        from importlib import metadata

        names = tuple(database.name for database in self.instances.all_databases())
        version, own = metadata.version("spanemu"), self._own
        return EmulatorInfo(version, self._seed, names, own.project, own.instance)

    def reset(self) -> None:
        self.faults().clear()
        if self.models.made is not None:
            self.models.made.clear()
        self.instances.clear()
        self.clock.reset()


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
            raise ValueError(
                "the emulator was started without a data directory: spanemu serve --data-dir"
            )
        return self._save()
