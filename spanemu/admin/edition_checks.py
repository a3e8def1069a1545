"""The features of instances and databases that need a certain edition, where calls use them.

Schemas are checked where they change (`database.instance_rules`).
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.admin.instance import Instance
from spanemu.admin.instances import Instances
from spanemu.base.resource_names import InstanceName
from spanemu.database import errors
from spanemu.schema.editions import (
    GEO_PARTITIONING,
    INCREMENTAL_BACKUPS,
    MANAGED_AUTOSCALER,
    Edition,
    Feature,
    features_of,
)
from spanemu.schema.schema import Schema


def check_feature(instances: Instances, instance: str, feature: Feature) -> None:
    """Raise EditionTooLow unless the edition of an instance has a feature."""
    _check(instance, instances.edition_of(instance), feature)


def check_schema(instances: Instances, instance: str, schema: Schema) -> None:
    """Raise EditionTooLow if a schema uses more than the edition of an instance has."""
    edition = instances.edition_of(instance)
    if edition is not Edition.UNSPECIFIED:
        for feature in features_of(schema):
            _check(instance, edition, feature)


def check_config(instances: Instances, name: str, config: str, edition: int) -> None:
    """Raise EditionTooLow if a configuration needs a higher edition than the instance names."""
    used = instances.configs.used_by(config, InstanceName.parse(name).project)
    _check(name, instances.effective_edition(edition), Feature(used.name, used.least_edition))


def check_instance(instances: Instances, instance: Instance) -> None:
    """Raise EditionTooLow if an instance, as it is now or to be, uses more than its edition has."""
    edition = instances.effective_edition(instance.edition)
    if edition is Edition.UNSPECIFIED:
        return
    check_config(instances, instance.name, instance.config, instance.edition)
    if instance.autoscaling is not None:
        _check(instance.name, edition, MANAGED_AUTOSCALER)
    for feature in _features_in_use(instances, InstanceName.parse(instance.name)):
        if not feature.stays:
            _check(instance.name, edition, feature)


def _features_in_use(instances: Instances, name: InstanceName) -> Iterator[Feature]:
    if instances.partitions.of(name):
        yield GEO_PARTITIONING
    for database in instances.databases_of(name):
        yield from features_of(database.schema)
    for schedule in instances.schedules.all():
        if schedule.incremental and schedule.database.startswith(f"{name}/"):
            yield INCREMENTAL_BACKUPS


def _check(name: str, edition: Edition, feature: Feature) -> None:
    if not edition.has(feature.least):
        raise errors.EditionTooLow(name, feature.name, feature.least.name, edition.name)
