"""The catalog of instance partitions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from sortedcontainers import SortedDict

from spanemu.base.deferred import deferred
from spanemu.base.paging import Page, PageRequest, page, under
from spanemu.base.resource_names import InstanceName, InstancePartitionName

if TYPE_CHECKING:
    from spanemu.admin import errors, instance_partition
else:
    errors = deferred("spanemu.admin.errors")
    instance_partition = deferred("spanemu.admin.instance_partition")

PARTITIONS_PER_INSTANCE_MAX = 20


class InstancePartitions:
    """The instance partitions of an emulator; safe to use from several threads."""

    def __init__(self, mutex: threading.RLock) -> None:
        self._mutex = mutex  # Guards the field below.
        self._by_name: SortedDict[str, instance_partition.InstancePartition] = SortedDict()

    def get(self, name: str) -> instance_partition.InstancePartition:
        """Return the partition `name`.

        Raises InvalidName and InstancePartitionNotFound.
        """
        InstancePartitionName.parse(name)
        partition = self._by_name.get(name)
        if partition is None:
            raise errors.InstancePartitionNotFound(name)
        return partition

    def add(
        self, partition: instance_partition.InstancePartition
    ) -> instance_partition.InstancePartition:
        """Add a partition.

        Raises ResourceExists and TooManyResources.
        """
        parent = InstancePartitionName.parse(partition.name).parent
        with self._mutex:
            if partition.name in self._by_name:
                raise errors.ResourceExists("Instance partition", partition.name)
            if len(self.of(parent)) >= PARTITIONS_PER_INSTANCE_MAX:
                raise errors.TooManyResources(
                    "instance partitions", str(parent), PARTITIONS_PER_INSTANCE_MAX
                )
            self._by_name[partition.name] = partition
            return partition

    def change(
        self,
        name: str,
        change: Callable[
            [instance_partition.InstancePartition], instance_partition.InstancePartition
        ],
    ) -> instance_partition.InstancePartition:
        """Replace a partition by the result of `change`; raise as `get` does."""
        with self._mutex:
            changed = self._by_name[name] = change(self.get(name))
            return changed

    def delete(self, name: str, expected: int | None) -> None:
        """Delete a partition; the caller has checked that it is unused."""
        with self._mutex:
            if expected is not None and expected != self.get(name).version:
                raise errors.ResourceChanged(name)
            del self._by_name[name]

    def of(self, instance: InstanceName) -> list[instance_partition.InstancePartition]:
        """Return the partitions of an instance, by name."""
        with self._mutex:
            found = under(self._by_name, f"{instance}/instancePartitions/")
            return [partition for _, partition in found]

    def all(self) -> list[instance_partition.InstancePartition]:
        """Return every partition, by name."""
        with self._mutex:
            return [*self._by_name.values()]

    def listed(
        self, instance: InstanceName, paging: PageRequest
    ) -> Page[instance_partition.InstancePartition]:
        """Return a page of the partitions of an instance, or of a whole project for the instance
        `-`.
        """
        start = paging.start()
        prefix = f"{instance}/instancePartitions/"
        if instance.instance == "-":
            prefix = prefix.partition("-/")[0]
        with self._mutex:
            return page(under(self._by_name, prefix, start), paging.limit)

    def drop_under(self, resource: str) -> None:
        """Delete the partitions of an instance."""
        with self._mutex:
            for name, _ in list(under(self._by_name, f"{resource}/")):
                del self._by_name[name]
