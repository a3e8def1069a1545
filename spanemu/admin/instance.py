"""An instance as plain data, and the rules for its fields.

Capacity is counted in processing units; a node is a thousand of them. No load scales an instance
here, so an autoscaled instance keeps its lowest capacity, or its previous capacity if that is
within the limits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field, replace

from spanemu.admin import errors
from spanemu.admin.published_configs import published_configs
from spanemu.base.errors import Unsupported
from spanemu.base.limits import DATABASES_PER_UNITS_STEP
from spanemu.base.record import dataclass
from spanemu.base.resource_names import check_labels
from spanemu.database import filters

UNITS_PER_NODE = 1000
NODES_MAX = (2**31 - 1) // UNITS_PER_NODE  # The wire has 32 bits for processing units.
UNITS_PER_STEP = 100  # Below one node, capacity comes in hundreds.
DISPLAY_NAME_CHARS = range(4, 31)
EMULATOR_CONFIG = "emulator-config"  # the configuration that only emulators have

# Of autoscaling.
MIN_SHARE = 10  # The lower limit is at least a tenth of the upper one.
CPU_PERCENTS = range(10, 91)
STORAGE_PERCENTS = range(10, 100)


@dataclass(frozen=True, slots=True)
class Autoscaling:
    """An autoscaling config. Limits are in nodes or in processing units, the same for both.

    A CPU target of 0 means no target. `asymmetric` is true if replicas are scaled separately.
    """

    low: int
    high: int
    low_in_nodes: bool
    high_in_nodes: bool
    high_priority_cpu_percent: int = 0
    total_cpu_percent: int = 0
    storage_percent: int = 0
    asymmetric: bool = False

    def capacity(self, units: int) -> int:
        """Return the processing units of an instance or partition that had `units` before."""
        factor = UNITS_PER_NODE if self.low_in_nodes else 1
        return max(self.low * factor, min(units, self.high * factor))


def check_autoscaling(scaling: Autoscaling, name: str) -> None:
    """Raise unless the autoscaling config is valid for an instance or partition."""
    if scaling.asymmetric:
        raise Unsupported("Asymmetric autoscaling of replicas")
    for problem in (_limits_problem(scaling), _targets_problem(scaling)):
        if problem:
            raise errors.InvalidAutoscaling(name, problem)


def _limits_problem(scaling: Autoscaling) -> str:
    step = 1 if scaling.low_in_nodes else UNITS_PER_NODE
    if scaling.low_in_nodes != scaling.high_in_nodes:
        return "both limits must be in nodes or in processing units"
    if scaling.low < step or scaling.low % step or scaling.high % step:
        return "limits must be whole nodes, at least one"
    if not scaling.low <= scaling.high <= NODES_MAX * step:
        return f"the maximum must not be less than the minimum, nor exceed {NODES_MAX} nodes"
    if scaling.low * MIN_SHARE < scaling.high:
        return "the minimum must be at least a tenth of the maximum"
    return ""


def _targets_problem(scaling: Autoscaling) -> str:
    for percent in (scaling.high_priority_cpu_percent, scaling.total_cpu_percent):
        if percent and percent not in CPU_PERCENTS:
            return "a CPU utilization target must be from 10 to 90 percent"
    if not scaling.high_priority_cpu_percent and not scaling.total_cpu_percent:
        return "a CPU utilization target is required"
    if scaling.storage_percent not in STORAGE_PERCENTS:
        return "storage_utilization_percent must be from 10 to 99"
    return ""


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance; times are in nanoseconds, `edition` is a number of the API's enumeration.

    With `default_schedules` each new database gets a daily backup schedule.
    """

    name: str
    config: str
    display_name: str
    processing_units: int
    labels: Mapping[str, str]
    create_time: int
    update_time: int
    edition: int = 0
    autoscaling: Autoscaling | None = None
    default_schedules: bool = False

    @property
    def node_count(self) -> int:
        """The number of whole nodes; 0 below one node."""
        return self.processing_units // UNITS_PER_NODE

    def fields(self) -> dict[str, filters.FieldValue]:
        """Return the fields that list filters can refer to."""
        labels = {f"labels.{key}": value for key, value in self.labels.items()}
        return {"name": self.name, "display_name": self.display_name, **labels}


@dataclass(frozen=True, slots=True)
class InstanceSpec:
    """The properties of an instance that a caller sets; empty fields are not set.

    `unsupported` names, by field name, the settings that spanemu does not have.
    """

    name: str = ""
    config: str = ""
    display_name: str = ""
    node_count: int = 0
    processing_units: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    edition: int = 0
    autoscaling: Autoscaling | None = None
    default_schedules: bool = False
    unsupported: Mapping[str, str] = field(default_factory=dict)


def is_instance_field(name: str) -> bool:
    """Return whether `name` is an instance field of list filters."""
    return name in ("name", "display_name") or name.startswith("labels.")


def check_spec(spec: InstanceSpec, name: str) -> None:
    """Raise unless `spec` may describe the new instance `name`."""
    for feature in spec.unsupported.values():
        raise Unsupported(feature)
    check_labels(spec.labels)
    if spec.display_name:
        _check_display_name(spec.display_name, name, spec.config)


def capacity(spec: InstanceSpec, name: str) -> int:
    """Return the processing units of a new instance; a node by default."""
    if spec.autoscaling is not None:
        check_autoscaling(spec.autoscaling, name)
        if spec.node_count or spec.processing_units:
            raise errors.CapacityIsAutoscaled(name)
        return spec.autoscaling.capacity(0)
    if spec.node_count and spec.processing_units:
        raise errors.CapacityGivenTwice(name, spec.node_count, spec.processing_units)
    if spec.processing_units:
        return _checked_units(spec.processing_units, name)
    return _units_of_nodes(spec.node_count, name) if spec.node_count else UNITS_PER_NODE


def updated(instance: Instance, spec: InstanceSpec, paths: tuple[str, ...]) -> Instance:
    """Return the instance with the fields that `paths` name taken from `spec`.

    Raises MissingField without paths, and InvalidUpdateMask for a field that cannot be changed.
    """
    if not paths:
        raise errors.MissingField("UpdateInstance", "field_mask")
    if {"node_count", "processing_units"} <= set(paths):
        raise errors.CapacityGivenTwice(instance.name, spec.node_count, spec.processing_units)
    for path in paths:
        if path.partition(".")[0] in spec.unsupported:
            raise Unsupported(spec.unsupported[path.partition(".")[0]])
        if path not in _UPDATES:
            raise errors.InvalidUpdateMask(instance.name, path)
    for path, change in _UPDATES.items():
        if path in paths:
            instance = change(instance, spec)
    return instance


def _update_display_name(instance: Instance, spec: InstanceSpec) -> Instance:
    if spec.display_name != instance.display_name:
        _check_display_name(spec.display_name, instance.name, instance.config)
    return replace(instance, display_name=spec.display_name)


def _update_labels(instance: Instance, spec: InstanceSpec) -> Instance:
    check_labels(spec.labels)
    return replace(instance, labels=dict(spec.labels))


def _update_autoscaling(instance: Instance, spec: InstanceSpec) -> Instance:
    if spec.autoscaling is None:
        return replace(instance, autoscaling=None)
    check_autoscaling(spec.autoscaling, instance.name)
    units = spec.autoscaling.capacity(instance.processing_units)
    return replace(instance, autoscaling=spec.autoscaling, processing_units=units)


def _update_default_schedules(instance: Instance, spec: InstanceSpec) -> Instance:
    return replace(instance, default_schedules=spec.default_schedules)


def _update_nodes(instance: Instance, spec: InstanceSpec) -> Instance:
    _check_not_scaled(instance)
    units = _units_of_nodes(spec.node_count, instance.name)
    return replace(instance, processing_units=units)


def _update_units(instance: Instance, spec: InstanceSpec) -> Instance:
    _check_not_scaled(instance)
    units = _checked_units(spec.processing_units, instance.name)
    return replace(instance, processing_units=units)


def _keep_config(instance: Instance, spec: InstanceSpec) -> Instance:
    # Clients include the field in update masks; only moving an instance can change it.
    if spec.config not in ("", instance.config):
        raise errors.InvalidUpdateMask(instance.name, "config")
    return instance


def _update_edition(instance: Instance, spec: InstanceSpec) -> Instance:
    return replace(instance, edition=spec.edition)


def _check_not_scaled(instance: Instance) -> None:
    if instance.autoscaling is not None:
        raise errors.CapacityIsAutoscaled(instance.name)


_UPDATES = {
    # First, so that a mask may turn autoscaling off and set a capacity at once.
    "autoscaling_config": _update_autoscaling,
    "config": _keep_config,
    "display_name": _update_display_name,
    "labels": _update_labels,
    "node_count": _update_nodes,
    "processing_units": _update_units,
    "edition": _update_edition,
    "default_backup_schedule_type": _update_default_schedules,
}


def _check_display_name(display_name: str, name: str, config: str) -> None:
    # Without a display name, client libraries send the instance's id, of any length. For an
    # emulator's configurations, scripts use display names of any length.
    is_id = name.endswith(f"/{display_name}")
    if is_id or len(display_name) in DISPLAY_NAME_CHARS:
        return
    if config.rpartition("/")[2] in published_configs():
        raise errors.InvalidDisplayName(name, display_name)


def _units_of_nodes(node_count: int, name: str) -> int:
    if not 0 < node_count <= NODES_MAX:
        raise errors.InvalidNodeCount(name, node_count)
    return node_count * UNITS_PER_NODE


def _checked_units(units: int, name: str) -> int:
    step = UNITS_PER_STEP if units <= UNITS_PER_NODE else UNITS_PER_NODE
    if units <= 0 or units % step:
        raise errors.InvalidProcessingUnits(name, units)
    return units


class DatabaseRoom:
    """The numbers of databases that count, by instance. Callers hold a mutex.

    Databases that are created or restored count, unless they are templates of tests or clones.

    `limit` is the maximal number for any instance. If it is `strict`, an instance of less than a
    node may have fewer.
    """

    def __init__(self, limit: int | None, *, strict: bool) -> None:
        self._limit = limit
        self._strict = strict
        self._counts: Counter[str] = Counter()
        self._instances: dict[str, str] = {}  # by database that counts

    def check(self, instance: Instance) -> None:
        """Raise TooManyDatabases unless an instance has room for another database."""
        limit = self._limit
        if self._strict and instance.node_count == 0:
            own = instance.processing_units // UNITS_PER_STEP * DATABASES_PER_UNITS_STEP
            limit = own if limit is None else min(limit, own)
        if limit is not None and self._counts[instance.name] >= limit:
            raise errors.TooManyDatabases(instance.name, limit)

    def take(self, instance: str, database: str) -> None:
        """Count a database of an instance."""
        self._instances[database] = instance
        self._counts[instance] += 1

    def free(self, database: str) -> None:
        """Count a database no more, if it was counted."""
        instance = self._instances.pop(database, None)
        if instance is not None:
            self._counts[instance] -= 1

    def clear(self) -> None:
        """Count no database."""
        self._instances.clear()
        self._counts.clear()
