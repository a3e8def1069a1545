"""Autoscaling of instances and instance partitions: the rules for its limits and targets.

No load scales an instance here, so an autoscaled instance keeps its lowest capacity, or its
previous capacity if that is within the limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred
from spanemu.base.errors import Unsupported
from spanemu.base.record import dataclass

if TYPE_CHECKING:
    from spanemu.admin import errors
else:
    errors = deferred("spanemu.admin.errors")


UNITS_PER_NODE = 1000
NODES_MAX = (2**31 - 1) // UNITS_PER_NODE  # The wire has 32 bits for processing units.
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
