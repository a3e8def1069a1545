"""Instance partitions: resources of an instance that placements assign rows to.

Each partition has whole nodes. Reads and writes do not depend on partitions: the rows of every
placement are stored in one process here. Partitions have different base configurations, except for
those that only emulators have, of which there is a single one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from spanemu.admin.errors import (
    CapacityIsAutoscaled,
    CapacityNotWholeNodes,
    InvalidDisplayName,
    InvalidNodeCount,
    InvalidUpdateMask,
    MissingField,
    ResourceChanged,
)
from spanemu.admin.instance import NODES_MAX, UNITS_PER_NODE, Autoscaling, check_autoscaling

DISPLAY_NAME_CHARS = range(4, 31)


@dataclass(frozen=True, slots=True)
class InstancePartition:
    """A partition; times are in nanoseconds. `version` changes with every update."""

    name: str
    config: str
    display_name: str
    processing_units: int
    create_time: int
    update_time: int
    in_nodes: bool = True  # the unit of the requested capacity
    autoscaling: Autoscaling | None = None
    version: int = 1


@dataclass(frozen=True, slots=True)
class PartitionSpec:
    """The properties of a partition that a caller sets; `expected` is the expected version."""

    name: str = ""
    config: str = ""
    display_name: str = ""
    node_count: int | None = None
    processing_units: int | None = None
    autoscaling: Autoscaling | None = None
    expected: int | None = None


def new_partition(name: str, spec: PartitionSpec, now: int) -> InstancePartition:
    """Return a partition with the properties of `spec`; raise if they are invalid."""
    _check_display_name(spec.display_name, name)
    if spec.autoscaling is not None:
        check_autoscaling(spec.autoscaling, name)
        if spec.node_count is not None or spec.processing_units is not None:
            raise CapacityIsAutoscaled(name)
        units = spec.autoscaling.capacity(0)
    else:
        units = _units(spec, name)
    return InstancePartition(
        name=name,
        config=spec.config,
        display_name=spec.display_name,
        processing_units=units,
        create_time=now,
        update_time=now,
        in_nodes=spec.processing_units is None,
        autoscaling=spec.autoscaling,
    )


def updated(
    partition: InstancePartition, spec: PartitionSpec, paths: Sequence[str], now: int
) -> InstancePartition:
    """Return the partition with the fields that `paths` name taken from `spec`.

    Raises MissingField without paths, InvalidUpdateMask for a field that cannot be changed, and
    ResourceChanged if the partition does not have the expected version.
    """
    if not paths:
        raise MissingField("UpdateInstancePartition", "field_mask")
    if spec.expected is not None and spec.expected != partition.version:
        raise ResourceChanged(partition.name)
    for path in paths:
        if path not in _UPDATES:
            raise InvalidUpdateMask(partition.name, path)
    for path, change in _UPDATES.items():
        if path in paths:
            partition = change(partition, spec)
    return replace(partition, update_time=now, version=partition.version + 1)


def _update_display_name(partition: InstancePartition, spec: PartitionSpec) -> InstancePartition:
    _check_display_name(spec.display_name, partition.name)
    return replace(partition, display_name=spec.display_name)


def _update_capacity(partition: InstancePartition, spec: PartitionSpec) -> InstancePartition:
    if partition.autoscaling is not None:
        raise CapacityIsAutoscaled(partition.name)
    units, in_nodes = _units(spec, partition.name), spec.processing_units is None
    return replace(partition, processing_units=units, in_nodes=in_nodes)


def _update_autoscaling(partition: InstancePartition, spec: PartitionSpec) -> InstancePartition:
    if spec.autoscaling is None:
        return replace(partition, autoscaling=None)
    check_autoscaling(spec.autoscaling, partition.name)
    units = spec.autoscaling.capacity(partition.processing_units)
    return replace(partition, autoscaling=spec.autoscaling, processing_units=units)


_UPDATES: Mapping[str, Callable[[InstancePartition, PartitionSpec], InstancePartition]] = {
    # First, so that a mask may turn autoscaling off and set a capacity at once.
    "autoscaling_config": _update_autoscaling,
    "display_name": _update_display_name,
    "node_count": _update_capacity,
    "processing_units": _update_capacity,
}


def _units(spec: PartitionSpec, name: str) -> int:
    if spec.processing_units is not None:
        units = spec.processing_units
        if units <= 0 or units % UNITS_PER_NODE:
            raise CapacityNotWholeNodes(name, units)
        return units
    if spec.node_count is None:
        raise MissingField("instance partition", "node_count or processing_units")
    if not 0 < spec.node_count <= NODES_MAX:
        raise InvalidNodeCount(name, spec.node_count)
    return spec.node_count * UNITS_PER_NODE


def _check_display_name(display_name: str, name: str) -> None:
    if len(display_name) not in DISPLAY_NAME_CHARS:
        raise InvalidDisplayName(name, display_name)
