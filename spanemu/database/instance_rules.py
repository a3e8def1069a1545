"""What a schema may use of the instance of its database: regions, partitions and an edition.

The catalog answers as an `InstanceOffer`; a database outside of a catalog has none, and no rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from spanemu.database import errors
from spanemu.ddl.errors import objects as ddl_errors
from spanemu.schema.editions import Edition, Feature, features_of
from spanemu.schema.objects import Placement
from spanemu.schema.schema import Schema


class Regions(Protocol):
    """The regions of an instance configuration."""

    @property
    def leaders(self) -> Sequence[str] | None:
        """The regions that may be the leader region; None for any region."""

    @property
    def readable(self) -> Sequence[str]:
        """The regions with replicas that serve reads."""


class InstanceOffer(Protocol):
    """The regions, partitions and edition that an instance offers to its databases."""

    @property
    def name(self) -> str:
        """The full name of the instance."""

    @property
    def edition(self) -> Edition:
        """The edition whose features the instance has; UNSPECIFIED for all features."""

    @property
    def regions(self) -> Regions:
        """The regions of the configuration of the instance."""

    @property
    def locations(self) -> Sequence[str]:
        """Every location that a directed read may name."""

    def partition(self, id_: str) -> Regions | None:
        """Return the regions of an instance partition, None if there is no such partition."""


def refuse_beyond_instance(offer: InstanceOffer, before: Schema, after: Schema) -> None:
    """Raise if a schema uses more than its instance offers and the schema before it did not."""
    if after.options is not before.options:
        _check_options(offer, before.options, after.options)
    for name, placement in after.placements.items():
        if placement != before.placements.get(name):
            _check_placement(offer, placement)
    if offer.edition is not Edition.UNSPECIFIED:
        _check_features(offer, before, after)


def check_edition(offer: InstanceOffer, feature: Feature) -> None:
    """Raise EditionTooLow unless the edition of the instance has a feature."""
    if not offer.edition.has(feature.least):
        raise errors.EditionTooLow(offer.name, feature.name, feature.least.name, offer.edition.name)


def _check_features(offer: InstanceOffer, before: Schema, after: Schema) -> None:
    for feature in sorted(set(features_of(after)) - set(features_of(before))):
        check_edition(offer, feature)


def _check_options(
    offer: InstanceOffer, before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    for option, problem_of in _REGION_OPTIONS.items():
        value = after.get(option)
        if value is None or value == before.get(option):
            continue
        if problem := problem_of(offer.regions, value):
            raise ddl_errors.BadDatabaseOption(option, value, f"{problem}.")


def _check_placement(offer: InstanceOffer, placement: Placement) -> None:
    id_ = str(placement.options["instance_partition"])
    regions = offer.partition(id_)
    if regions is None:
        raise errors.InstancePartitionNotFound(f"{offer.name}/instancePartitions/{id_}")
    for option, problem_of in _REGION_OPTIONS.items():
        value = placement.options.get(option)
        if value is not None and problem_of(regions, str(value)):
            supported = f"of the configuration of the instance partition {id_}"
            raise ddl_errors.BadObjectOption(
                "Placement", placement.name, option, str(value), supported
            )


def _leader_problem(regions: Regions, leader: str) -> str:
    allowed = regions.leaders
    if allowed is None or leader in allowed:
        return ""
    if not allowed:
        return "The instance's configuration has a single region"
    return f"The instance's configuration offers {', '.join(allowed)}"


def _leases_problem(regions: Regions, leases: str) -> str:
    allowed = regions.readable
    names = [name.strip() for name in leases.split(",")]
    unknown = [name for name in names if name not in allowed]
    if unknown:
        return f"The instance's configuration has no region {unknown[0]!r} that serves reads"
    if len(allowed) == 1:
        return "The instance's configuration has a single region"
    return ""


_REGION_OPTIONS = {"default_leader": _leader_problem, "read_lease_regions": _leases_problem}
