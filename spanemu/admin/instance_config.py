"""Instance configurations: those of the emulator, and user-managed ones based on them.

A user-managed configuration has the replicas of its base and additional replicas. Any replicas are
accepted, because all data is in one process.

CreateInstance may name any configuration, as on Google's emulator, because test suites name the
configurations of their production instances. A strict catalog accepts the configurations that it
offers, that Google publishes and that users created, as Spanner does. Instance partitions and
MoveInstance, which Google's emulator does not have, are always strict.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING

from sortedcontainers import SortedDict

from spanemu.base.deferred import deferred
from spanemu.base.paging import Page, PageRequest, page, under
from spanemu.base.resource_ids import check_instance_config_id, check_labels
from spanemu.base.resource_names import InstanceConfigName, ProjectName

if TYPE_CHECKING:
    from spanemu.admin import errors
else:
    errors = deferred("spanemu.admin.errors")


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
    """The role of a replica, by the number of the API's enumeration."""

    READ_WRITE = 1
    READ_ONLY = 2


@dataclass(frozen=True, slots=True)
class Replica:
    """The location of a copy of the data; `kind` is a number of the API's enumeration."""

    location: str
    kind: int
    default_leader_location: bool = False


def region_of(config_id: str) -> str:
    """Return the region of a regional configuration; "" for other configurations."""
    return config_id.removeprefix(_REGIONAL) if config_id.startswith(_REGIONAL) else ""


def base_replicas(config_id: str) -> tuple[Replica, ...]:
    """Return the replicas that every instance of a Google-managed configuration has."""
    region = region_of(config_id)
    if not region:
        return ()
    return tuple(
        Replica(region, ReplicaKind.READ_WRITE, default_leader_location=number == 0)
        for number in range(_REPLICAS)
    )


def optional_replicas(config_id: str) -> tuple[Replica, ...]:
    """Return the replicas that a user-managed configuration may add to a Google-managed one."""
    regions = _OPTIONAL_REGIONS.get(region_of(config_id), ())
    return tuple(Replica(region, ReplicaKind.READ_ONLY) for region in regions)


CUSTOM_CONFIGS_PER_PROJECT_MAX = 100


@dataclass(frozen=True, slots=True)
class InstanceConfig:
    """A configuration. `base` is empty unless the configuration is user-managed.

    `version` changes with every update; 0 is Google-managed.
    """

    name: str
    display_name: str
    base: str = ""
    replicas: tuple[Replica, ...] = ()
    optional_replicas: tuple[Replica, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    leader_options: tuple[str, ...] = ()
    version: int = 0


@dataclass(frozen=True, slots=True)
class ConfigSpec:
    """The properties of a configuration that a caller sets; `expected` is the expected version."""

    name: str = ""
    display_name: str = ""
    base: str = ""
    replicas: tuple[Replica, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    leader_options: tuple[str, ...] = ()
    expected: int | None = None


class InstanceConfigs:
    """The configurations; `offered` maps the ids of Google-managed ones to display names.

    With `strict`, instances may only name configurations that exist.
    """

    def __init__(
        self, offered: Mapping[str, str], mutex: threading.RLock, *, strict: bool = False
    ) -> None:
        self._offered = offered
        self._strict = strict
        self._mutex = mutex  # Guards the fields below.
        self._custom: SortedDict[str, InstanceConfig] = SortedDict()
        self._used: set[str] = set()  # the full names that instances and partitions have named

    def get(self, name: str) -> InstanceConfig:
        """Return the configuration `name`. Raises InvalidName or InstanceConfigNotFound."""
        config = InstanceConfigName.parse(name).config
        custom = self._custom.get(name)
        if custom is not None:
            return custom
        if config not in self._offered and config not in PUBLISHED_CONFIGS:
            with self._mutex:
                if name not in self._used:
                    raise errors.InstanceConfigNotFound(name)
        return InstanceConfig(
            name,
            self._offered.get(config, config),
            replicas=base_replicas(config),
            optional_replicas=optional_replicas(config),
            leader_options=tuple(filter(None, (region_of(config),))),
        )

    def check(self, given: str) -> None:
        """Raise if the catalog is strict and an instance may not name the configuration `given`."""
        if self._strict:
            self.get(given)

    def name_of(self, given: str, project: str) -> str:
        """Return the full name of the configuration that an instance of `project` names.

        Without a name the instance has the default configuration; text that is neither a full
        name nor an id stands for itself.
        """
        return str(InstanceConfigName.resolve(given, project) or given or self.first(project))

    def add_use(self, given: str, project: str) -> None:
        """Record that an instance of `project` names a configuration, which exists from now on."""
        name = InstanceConfigName.resolve(given, project)
        if name is not None:
            with self._mutex:
                self._used.add(str(name))

    @property
    def is_strict(self) -> bool:
        """True if instances may only name configurations that exist."""
        return self._strict

    def first(self, project: str) -> str:
        """Return the name of the configuration that a project's instances get by default."""
        return str(InstanceConfigName(project, next(iter(self._offered))))

    def listed(self, project: str, paging: PageRequest) -> Page[InstanceConfig]:
        """Return a page of the configurations that a project created or used, or is offered, by
        name.
        """
        project_name, start = ProjectName.parse(project), paging.start()
        prefix = f"{project_name}/instanceConfigs/"
        with self._mutex:
            names = [name for name, _ in under(self._custom, prefix)]
            names += [f"{prefix}{config}" for config in self._offered]
            names += [name for name in self._used if name.startswith(prefix)]
            configs = ((name, self.get(name)) for name in sorted(set(names)) if name >= start)
            return page(configs, paging.limit)

    def create(
        self, parent: str, config_id: str, spec: ConfigSpec, *, validate_only: bool
    ) -> InstanceConfig:
        """Create a user-managed configuration; with `validate_only` only validate the request."""
        project = ProjectName.parse(parent)
        check_instance_config_id(config_id)
        name = str(InstanceConfigName(project.project, config_id))
        if spec.name not in ("", name):
            raise errors.MismatchingName("instance config", spec.name, name)
        self._check_base(name, project, spec)
        check_labels(spec.labels)
        config = InstanceConfig(
            name,
            spec.display_name or config_id,
            spec.base,
            spec.replicas,
            labels=dict(spec.labels),
            leader_options=spec.leader_options,
            version=1,
        )
        with self._mutex:
            if name in self._custom or config_id in self._offered:
                raise errors.ResourceExists("Instance config", name)
            own = list(under(self._custom, f"{project}/instanceConfigs/"))
            if len(own) >= CUSTOM_CONFIGS_PER_PROJECT_MAX:
                raise errors.TooManyResources(
                    "custom instance configs", parent, CUSTOM_CONFIGS_PER_PROJECT_MAX
                )
            if not validate_only:
                self._custom[name] = config
        return config

    def update(
        self, spec: ConfigSpec, paths: Sequence[str], *, validate_only: bool
    ) -> InstanceConfig:
        """Change the fields that `paths` name; the display name and the labels are mutable."""
        if not paths:
            raise errors.MissingField("UpdateInstanceConfig", "update_mask")
        with self._mutex:
            config = self._managed_by_user(spec.name, spec.expected)
            for path in paths:
                change = _UPDATES.get(path)
                if change is None:
                    raise errors.InvalidUpdateMask(spec.name, path)
                config = change(config, spec)
            config = replace(config, version=config.version + 1)
            if not validate_only:
                self._custom[spec.name] = config
            return config

    def delete(self, name: str, expected: int | None, *, validate_only: bool) -> None:
        """Delete a user-managed configuration; the caller has checked that it is unused."""
        with self._mutex:
            self._managed_by_user(name, expected)
            if not validate_only:
                del self._custom[name]
                self._used.discard(name)

    def clear(self) -> None:
        """Delete the user-managed configurations."""
        with self._mutex:
            self._custom.clear()
            self._used.clear()

    def _managed_by_user(self, name: str, expected: int | None) -> InstanceConfig:
        config = self.get(name)
        if not config.base:
            raise errors.ConfigNotUserManaged(name)
        if expected is not None and expected != config.version:
            raise errors.ResourceChanged(name)
        return config

    def _check_base(self, name: str, project: ProjectName, spec: ConfigSpec) -> None:
        if not spec.base:
            raise errors.MissingField("CreateInstanceConfig", "instance_config.base_config")
        if self.get(spec.base).base:
            raise errors.ConfigBaseNotManaged(name, spec.base, "that is not Google-managed")
        if not spec.base.startswith(f"{project}/"):
            raise errors.ConfigBaseNotManaged(name, spec.base, "that is in another project")
        if not spec.replicas:
            raise errors.MissingField("CreateInstanceConfig", "instance_config.replicas")
        if not all(replica.location and replica.kind for replica in spec.replicas):
            raise errors.MissingField(
                "CreateInstanceConfig", "the location and type of each replica"
            )


def _update_display_name(config: InstanceConfig, spec: ConfigSpec) -> InstanceConfig:
    if not spec.display_name:
        raise errors.MissingField("UpdateInstanceConfig", "instance_config.display_name")
    return replace(config, display_name=spec.display_name)


def _update_labels(config: InstanceConfig, spec: ConfigSpec) -> InstanceConfig:
    check_labels(spec.labels)
    return replace(config, labels=dict(spec.labels))


_UPDATES: Mapping[str, Callable[[InstanceConfig, ConfigSpec], InstanceConfig]] = {
    "display_name": _update_display_name,
    "labels": _update_labels,
}
