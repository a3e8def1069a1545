"""What an instance offers to its databases, from the catalog (`database.instance_rules`)."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.admin.instance_config import InstanceConfig
from spanemu.admin.instances import Instances
from spanemu.base.resource_names import DatabaseName
from spanemu.schema.editions import Edition
from spanemu.schema.objects import DEFAULT

# A directed read may name the leader region, or any other, by these words.
ROLES_OF_REGIONS = ("leader", "non-leader")


class CatalogOffer:
    """The offer of the instance of a database, as the catalog is at each call.

    Raises InstanceNotFound.
    """

    def __init__(self, instances: Instances, database: str) -> None:
        self._instances = instances
        self._instance = DatabaseName.parse(database).parent

    @property
    def name(self) -> str:
        """The full name of the instance."""
        return str(self._instance)

    @property
    def edition(self) -> Edition:
        """The edition whose features the instance has; UNSPECIFIED for all features."""
        return self._instances.edition_of(self.name)

    @property
    def regions(self) -> InstanceConfig:
        """The configuration of the instance."""
        return self._instances.config_of(self._instance)

    @property
    def locations(self) -> Sequence[str]:
        """Every location that a directed read may name.

        Spanner serves a read that names a region without a replica from the nearest region.
        """
        return (*ROLES_OF_REGIONS, *self._instances.configs.regions())

    def partition(self, id_: str) -> InstanceConfig | None:
        """Return the configuration of an instance partition, None if there is no such partition.

        While an instance of an emulator's own configuration has no partitions, every id is one of
        the instance itself, as on Google's emulator.
        """
        instances, instance = self._instances, self._instance
        own = instances.config_of(instance)
        if id_ == DEFAULT:
            return own
        partitions = instances.partitions.of(instance)
        name = str(instance.partition(id_))
        for partition in partitions:
            if partition.name == name:
                return instances.configs.used_by(partition.config, instance.project)
        return own if not partitions and own.published is None else None
