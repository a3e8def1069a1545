"""The ids of the base instance configurations that Google publishes.

"instance-configurations.md": the tables of regional, dual-region and multi-region configurations.
"""

from __future__ import annotations

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
_COUNTRIES = ("australia1", "canada1", "germany1", "india1", "japan1")
_MULTI_REGIONS = (
    *("asia1", "asia2"),
    *("eur3", "eur5", "eur6", "eur7"),
    *("nam3", "nam6", "nam7", "nam8", "nam9", "nam10", "nam11", "nam12", "nam13", "nam14"),
    *("nam15", "nam16", "nam22", "nam23"),
    *("nam-eur-asia1", "nam-eur-asia3"),
)
PUBLISHED_CONFIGS = frozenset(
    {
        *(f"regional-{region}" for region in _REGIONS),
        *(f"dual-region-{country}" for country in _COUNTRIES),
        *_MULTI_REGIONS,
    }
)
