"""Where Google-managed configurations keep copies of the data, as far as their ids tell.

    regional-us-central1    three read-write replicas in us-central1; read-only ones may be added
                            in regions of the table below
    others                  nothing is said

"instance-configurations.md", Regional configurations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

_REGIONAL = "regional-"
_REPLICAS = 3
_OPTIONAL_REGIONS: Mapping[str, tuple[str, ...]] = {
    "us-central1": (
        "asia-northeast1", "asia-south1", "europe-west1", "europe-west2", "europe-west9",
        "us-west3",
    ),
    "us-east1": ("us-central1", "us-west1", "europe-west1", "europe-west3"),
    "europe-west1": ("us-central1", "us-west1"),
}  # fmt: skip


class ReplicaKind(IntEnum):
    """What a replica does, by the number of the API's enumeration."""

    READ_WRITE = 1
    READ_ONLY = 2


@dataclass(frozen=True, slots=True)
class Replica:
    """Where a copy of the data would be; `kind` is a number of the API's enumeration."""

    location: str
    kind: int
    default_leader_location: bool = False


def region_of(config_id: str) -> str:
    """The region of a regional configuration, "" for others."""
    return config_id.removeprefix(_REGIONAL) if config_id.startswith(_REGIONAL) else ""


def base_replicas(config_id: str) -> tuple[Replica, ...]:
    """The replicas that every instance of a Google-managed configuration has."""
    region = region_of(config_id)
    if not region:
        return ()
    return tuple(
        Replica(region, ReplicaKind.READ_WRITE, default_leader_location=number == 0)
        for number in range(_REPLICAS)
    )


def optional_replicas(config_id: str) -> tuple[Replica, ...]:
    """The replicas that a user-managed configuration may add to a Google-managed one."""
    regions = _OPTIONAL_REGIONS.get(region_of(config_id), ())
    return tuple(Replica(region, ReplicaKind.READ_ONLY) for region in regions)
