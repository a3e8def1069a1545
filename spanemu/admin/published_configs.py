"""The instance configurations that Google publishes, as data.

    regional       three read-write replicas in one region
    dual-region    two read-write replicas and a witness in each of two regions of a country
    multi-region   two read-write replicas in each of two regions, read-only replicas, a witness

A row names regions, the default leader region first; `region*2` stands for two replicas. The source
is the page "Regional, dual-region, and multi-region configurations" of Spanner's documentation.

Most processes ask for none of these configurations, so the first call of `published_configs` makes
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache, partial

from spanemu.base.record import dataclass

STORAGE_LIMIT_PER_UNIT = 10_995_116_278  # bytes per processing unit


class ReplicaKind(IntEnum):
    """The role of a replica, by the number of the API's enumeration."""

    READ_WRITE = 1
    READ_ONLY = 2
    WITNESS = 3


class QuorumType(IntEnum):
    """The spread of the replicas that vote on a write, by the number of the API's enumeration."""

    UNSPECIFIED = 0
    REGION = 1
    DUAL_REGION = 2
    MULTI_REGION = 3


@dataclass(frozen=True, slots=True)
class Replica:
    """The location of a copy of the data; `kind` is a number of the API's enumeration."""

    location: str
    kind: int
    default_leader_location: bool = False


@dataclass(frozen=True, slots=True)
class PublishedConfig:
    """A configuration with its replicas, and those that user-managed configurations may add.

    `leader_options` are the regions that databases may choose as their leader region; a regional
    configuration offers no choice. `offers_free_instances` concerns free trial instances.
    """

    display_name: str
    quorum: QuorumType
    replicas: tuple[Replica, ...]
    optional_replicas: tuple[Replica, ...] = ()
    leader_options: tuple[str, ...] = ()
    offers_free_instances: bool = False


def _replicas(kind: ReplicaKind, regions: str) -> Iterator[Replica]:
    for item in regions.split():
        region, _, count = item.partition("*")
        for _ in range(int(count or 1)):
            yield Replica(region, kind)


def _with_leader(replicas: tuple[Replica, ...]) -> tuple[Replica, ...]:
    first, *others = replicas
    return (Replica(first.location, first.kind, default_leader_location=True), *others)


def _regional(region: str, optional: str = "", *, free: bool = True) -> PublishedConfig:
    return PublishedConfig(
        region,
        QuorumType.REGION,
        _with_leader(tuple(_replicas(ReplicaKind.READ_WRITE, f"{region}*3"))),
        tuple(_replicas(ReplicaKind.READ_ONLY, optional)),
        offers_free_instances=free,
    )


def _dual_region(country: str, first: str, second: str) -> PublishedConfig:
    voters = _replicas(ReplicaKind.READ_WRITE, f"{first}*2 {second}*2")
    witnesses = _replicas(ReplicaKind.WITNESS, f"{first} {second}")
    return PublishedConfig(
        f"{country} Dual Region",
        QuorumType.DUAL_REGION,
        _with_leader((*voters, *witnesses)),
        leader_options=tuple(sorted((first, second))),
    )


def _multi_region(
    name: str, read_write: str, *, witness: str = "", read_only: str = "", optional: str = ""
) -> PublishedConfig:
    voters = tuple(_replicas(ReplicaKind.READ_WRITE, read_write))
    readers = _replicas(ReplicaKind.READ_ONLY, read_only)
    witnesses = _replicas(ReplicaKind.WITNESS, witness)
    return PublishedConfig(
        name,
        QuorumType.MULTI_REGION,
        _with_leader((*voters, *readers, *witnesses)),
        tuple(_replicas(ReplicaKind.READ_ONLY, optional)),
        leader_options=tuple(sorted({replica.location for replica in voters})),
    )


_REGIONS = (
    "africa-south1",
    *("asia-east1", "asia-east2", "asia-northeast1", "asia-northeast2", "asia-northeast3"),
    *("asia-south1", "asia-south2", "asia-southeast1", "asia-southeast2", "asia-southeast3"),
    *("australia-southeast1", "australia-southeast2"),
    *("europe-central2", "europe-north1", "europe-north2", "europe-southwest1", "europe-west1"),
    *("europe-west2", "europe-west3", "europe-west4", "europe-west6", "europe-west8"),
    *("europe-west9", "europe-west10", "europe-west12"),
    *("me-central1", "me-central2", "me-west1"),
    *("northamerica-northeast1", "northamerica-northeast2", "northamerica-south1"),
    *("southamerica-east1", "southamerica-west1"),
    *("us-central1", "us-east1", "us-east4", "us-east5", "us-south1"),
    *("us-west1", "us-west2", "us-west3", "us-west4"),
)
_WITHOUT_FREE_INSTANCES = ("asia-southeast3", "europe-north2")
_OPTIONAL: Mapping[str, str] = {
    "us-central1": "asia-northeast1 asia-south1 europe-west1*2 europe-west2 europe-west9 us-west3",
    "us-east1": "us-central1 us-west1 europe-west1 europe-west3",
    "europe-west1": "us-central1 us-west1",
}

_DUAL_REGIONS = {
    "australia1": partial(
        _dual_region, "Australia", "australia-southeast1", "australia-southeast2"
    ),
    "canada1": partial(
        _dual_region, "Canada", "northamerica-northeast2", "northamerica-northeast1"
    ),
    "germany1": partial(_dual_region, "Germany", "europe-west10", "europe-west3"),
    "india1": partial(_dual_region, "India", "asia-south1", "asia-south2"),
    "japan1": partial(_dual_region, "Japan", "asia-northeast1", "asia-northeast2"),
}

_MULTI_REGIONS = {
    "asia1": partial(
        _multi_region,
        "Asia (Tokyo/Osaka/Seoul)",
        "asia-northeast1*2 asia-northeast2*2",
        witness="asia-northeast3",
        optional="us-west1 us-east5",
    ),
    "asia2": partial(
        _multi_region,
        "Asia (Mumbai/Delhi/Singapore)",
        "asia-south1*2 asia-south2*2 asia-southeast1",
    ),
    "eur3": partial(
        _multi_region,
        "Europe (Belgium/Netherlands)",
        "europe-west1*2 europe-west4*2",
        witness="europe-north1",
        optional="us-central1 us-east4",
    ),
    "eur5": partial(
        _multi_region,
        "Europe (London/Belgium/Netherlands)",
        "europe-west2*2 europe-west1*2",
        witness="europe-west4",
        optional="us-central1 us-east1",
    ),
    "eur6": partial(
        _multi_region,
        "Europe (Netherlands, Frankfurt)",
        "europe-west4*2 europe-west3*2",
        witness="europe-west6",
        optional="us-east1*2",
    ),
    "eur7": partial(
        _multi_region,
        "eur7 (Milan/Frankfurt/Turin)",
        "europe-west8*2 europe-west3*2",
        witness="europe-west12",
    ),
    "nam3": partial(
        _multi_region,
        "United States (Northern Virginia/South Carolina)",
        "us-east4*2 us-east1*2",
        witness="us-central1",
        optional="asia-south1 asia-southeast1 asia-southeast2 europe-west1 europe-west2"
        " europe-west4 europe-west9 us-east5 us-west1 us-west2 us-west4 us-west8",
    ),
    "nam6": partial(
        _multi_region,
        "United States (Iowa/South Carolina/Oregon/Los Angeles)",
        "us-central1*2 us-east1*2",
        read_only="us-west1 us-west2",
        witness="us-central2",
    ),
    "nam7": partial(
        _multi_region,
        "United States (Iowa, Northern Virginia, Oklahoma)",
        "us-central1*2 us-east4*2",
        witness="us-central2",
        optional="us-east1*2 us-south1 us-west1 europe-west1*2",
    ),
    "nam8": partial(
        _multi_region,
        "United States (Los Angeles, Oregon, Salt Lake City)",
        "us-west2*2 us-west1*2",
        witness="us-west3",
        optional="asia-northeast1*2 asia-southeast1*2 europe-west2*2 europe-west3*2 us-east5",
    ),
    "nam9": partial(
        _multi_region,
        "United States (Northern Virginia, Iowa, South Carolina, Oregon)",
        "us-east4*2 us-central1*2",
        read_only="us-west1*2",
        witness="us-east1",
    ),
    "nam10": partial(
        _multi_region,
        "United States (Iowa/Salt Lake/Oklahoma)",
        "us-central1*2 us-west3*2",
        witness="us-central2",
        optional="us-east4",
    ),
    "nam11": partial(
        _multi_region,
        "United States (Iowa, South Carolina, Oklahoma)",
        "us-central1*2 us-east1*2",
        witness="us-central2",
        optional="us-west1",
    ),
    "nam12": partial(
        _multi_region,
        "United States (Iowa, Northern Virginia, Oregon)",
        "us-central1*2 us-east4*2",
        read_only="us-west1*2",
        witness="us-central2",
    ),
    "nam13": partial(
        _multi_region,
        "United States (Iowa/Oklahoma/Salt Lake City)",
        "us-central2*2 us-central1*2",
        witness="us-west3",
    ),
    "nam14": partial(
        _multi_region,
        "North America (Northern Virginia/Montreal/South Carolina)",
        "us-east4*2 northamerica-northeast1*2",
        witness="us-east1",
    ),
    "nam15": partial(
        _multi_region,
        "United States (Dallas/Northern Virginia/Iowa)",
        "us-south1*2 us-east4*2",
        witness="us-central1",
        optional="us-east1 us-west3",
    ),
    "nam16": partial(
        _multi_region,
        "United States (Iowa/Northern Virginia/Columbus)",
        "us-central1*2 us-east4*2",
        witness="us-east5",
        optional="us-west2*2",
    ),
    "nam22": partial(
        _multi_region, "nam22", "us-east5*2 us-east1*2", witness="us-east4", optional="us-west1"
    ),
    "nam23": partial(
        _multi_region,
        "United States (Iowa/Las Vegas/Dallas)",
        "us-central1*2 us-west4*2",
        witness="us-south1",
        optional="asia-northeast1 australia-southeast2 europe-west1 europe-west3",
    ),
    "nam-eur-asia1": partial(
        _multi_region,
        "United States, Europe, and Asia (Iowa/Oklahoma/Belgium/Taiwan)",
        "us-central1*2 us-central2*2",
        read_only="europe-west1*2 asia-east1*2",
        witness="us-east1",
        optional="us-west2",
    ),
    "nam-eur-asia3": partial(
        _multi_region,
        "(Iowa/South Carolina/Belgium/Netherlands/Taiwan/Oklahoma)",
        "us-central1*2 us-east1*2",
        read_only="europe-west1 europe-west4 asia-east1*2",
        witness="us-central2",
    ),
}


@cache
def published_configs() -> Mapping[str, PublishedConfig]:
    """Return every configuration that Google publishes, by id."""
    regional = {
        f"regional-{region}": _regional(
            region, _OPTIONAL.get(region, ""), free=region not in _WITHOUT_FREE_INSTANCES
        )
        for region in _REGIONS
    }
    dual = {f"dual-region-{country}": make() for country, make in _DUAL_REGIONS.items()}
    return {**regional, **dual, **{name: make() for name, make in _MULTI_REGIONS.items()}}


@cache
def published_regions() -> tuple[str, ...]:
    """Return every region in which a published configuration has a replica, or may have one."""
    configs = published_configs().values()
    replicas = (
        each for config in configs for each in (*config.replicas, *config.optional_replicas)
    )
    return tuple(sorted({replica.location for replica in replicas}))
