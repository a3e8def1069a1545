"""Autoscaling of instances and instance partitions: the rules for its limits and targets.

Nothing here puts load on an instance, so an autoscaled one stays at its lowest capacity, or at
what it had when that is within the limits.
"""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.admin.errors.instances import InvalidAutoscaling
from spanemu.base.errors import Unsupported

UNITS_PER_NODE = 1000
NODES_MAX = (2**31 - 1) // UNITS_PER_NODE  # The wire has 32 bits for processing units.
MIN_SHARE = 10  # The lower limit is at least a tenth of the upper one.
CPU_PERCENTS = range(10, 91)
STORAGE_PERCENTS = range(10, 100)


@dataclass(frozen=True, slots=True)
class Autoscaling:
    """An autoscaling config. Limits are in nodes or in processing units, the same for both.

    A CPU target of 0 is none. `asymmetric` says that replicas are scaled by themselves.
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
        """The processing units of what had `units` before."""
        factor = UNITS_PER_NODE if self.low_in_nodes else 1
        return max(self.low * factor, min(units, self.high * factor))


def check_autoscaling(scaling: Autoscaling, name: str) -> None:
    """Raise unless an instance or a partition may be scaled like that."""
    if scaling.asymmetric:
        raise Unsupported("Asymmetric autoscaling of replicas")
    for problem in (_limits_problem(scaling), _targets_problem(scaling)):
        if problem:
            raise InvalidAutoscaling(name, problem)


def _limits_problem(scaling: Autoscaling) -> str:
    step = 1 if scaling.low_in_nodes else UNITS_PER_NODE
    if scaling.low_in_nodes != scaling.high_in_nodes:
        return "both limits must be in nodes or in processing units"
    if scaling.low < step or scaling.low % step or scaling.high % step:
        return "limits must be whole nodes, one at least"
    if not scaling.low <= scaling.high <= NODES_MAX * step:
        return "the maximum must not be less than the minimum, nor immense"
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
