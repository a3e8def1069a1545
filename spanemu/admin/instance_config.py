"""Instance configurations: Google-managed ones, and user-managed ones based on them.

A user-managed configuration has the replicas of its base and at least one of the replicas that the
base offers as optional. The replicas of `emulator-config` are unknown, so that configurations
based on it may have any.

CreateInstance may name any configuration, as on Google's emulator, because test suites name the
configurations of their production instances. A strict catalog accepts the configurations that it
offers, that Google publishes and that users created, as Spanner does. Instance partitions and
MoveInstance, which Google's emulator does not have, are always strict.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from sortedcontainers import SortedDict

from spanemu.admin import errors
from spanemu.admin.published_configs import (
    PublishedConfig,
    QuorumType,
    Replica,
    ReplicaKind,
    published_configs,
    published_regions,
)
from spanemu.base.errors import SpannerError
from spanemu.base.paging import Page, PageRequest, page, under
from spanemu.base.record import dataclass
from spanemu.base.resource_names import (
    InstanceConfigName,
    ProjectName,
    check_instance_config_id,
    check_labels,
)
from spanemu.schema.editions import Edition

CUSTOM_CONFIGS_PER_PROJECT_MAX = 100


@dataclass(frozen=True, slots=True)
class InstanceConfig:
    """A configuration. `base` is empty unless the configuration is user-managed.

    `version` changes with every update; 0 is Google-managed. `published` is the description of the
    configuration, or of its base, by Google; None for configurations that only an emulator has.
    """

    name: str
    display_name: str
    base: str = ""
    replicas: tuple[Replica, ...] = ()
    optional_replicas: tuple[Replica, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    leader_options: tuple[str, ...] = ()
    version: int = 0
    published: PublishedConfig | None = None

    @property
    def quorum(self) -> QuorumType:
        """The spread of the replicas that vote on a write."""
        return QuorumType.UNSPECIFIED if self.published is None else self.published.quorum

    @property
    def offers_free_instances(self) -> bool:
        """True if Google offers free trial instances with the configuration."""
        return self.published is not None and not self.base and self.published.offers_free_instances

    @property
    def leaders(self) -> tuple[str, ...] | None:
        """The regions that databases may choose as leader region; None for any region."""
        if self.published is None and not self.leader_options:
            return None
        return self.leader_options

    @property
    def readable(self) -> tuple[str, ...]:
        """The regions with replicas that serve reads: any region if the replicas are unknown."""
        if not self.replicas:
            return published_regions()
        serving = (each.location for each in self.replicas if each.kind != ReplicaKind.WITNESS)
        return tuple(dict.fromkeys(serving))

    @property
    def least_edition(self) -> Edition:
        """The least edition of an instance of the configuration."""
        if self.quorum in (QuorumType.DUAL_REGION, QuorumType.MULTI_REGION):
            return Edition.ENTERPRISE_PLUS
        return Edition.ENTERPRISE if self.base else Edition.UNSPECIFIED


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
        published = published_configs().get(config)
        if published is None and config not in self._offered:
            with self._mutex:
                if name not in self._used:
                    raise errors.InstanceConfigNotFound(name)
        display_name = self._offered.get(config, config)
        if published is None:
            return InstanceConfig(name, display_name)
        return InstanceConfig(
            name,
            published.display_name if display_name == config else display_name,
            replicas=published.replicas,
            optional_replicas=published.optional_replicas,
            leader_options=published.leader_options,
            published=published,
        )

    def used_by(self, given: str, project: str) -> InstanceConfig:
        """Return the configuration that an instance of `project` names, even an unknown one."""
        name = self.name_of(given, project)
        try:
            return self.get(name)
        except SpannerError:
            return InstanceConfig(name, name)

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
        base = self._checked_base(name, project, spec)
        check_labels(spec.labels)
        config = InstanceConfig(
            name,
            spec.display_name or config_id,
            spec.base,
            _with_default_leader(spec.replicas, base),
            labels=dict(spec.labels),
            leader_options=spec.leader_options or base.leader_options,
            version=1,
            published=base.published,
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

    def regions(self) -> tuple[str, ...]:
        """Return every region with a replica of a published or user-managed configuration."""
        own = (each.location for config in self.custom() for each in config.replicas)
        return (*published_regions(), *own)

    def custom(self) -> tuple[InstanceConfig, ...]:
        """Return the user-managed configurations, by name."""
        with self._mutex:
            return tuple(self._custom.values())

    def used(self) -> tuple[str, ...]:
        """Return the full names that instances and partitions have named."""
        with self._mutex:
            return tuple(sorted(self._used))

    def restore(self, custom: Iterable[InstanceConfig], used: Iterable[str]) -> None:
        """Add configurations that were saved."""
        with self._mutex:
            self._custom.update((config.name, config) for config in custom)
            self._used.update(used)

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

    def _checked_base(self, name: str, project: ProjectName, spec: ConfigSpec) -> InstanceConfig:
        """Return the base of a new configuration. Raise unless the configuration extends it."""
        if not spec.base:
            raise errors.MissingField("CreateInstanceConfig", "instance_config.base_config")
        base = self.get(spec.base)
        if base.base:
            raise errors.ConfigBaseRefused(name, spec.base, "that is not Google-managed")
        if not spec.base.startswith(f"{project}/"):
            raise errors.ConfigBaseRefused(name, spec.base, "that is in another project")
        if base.quorum == QuorumType.DUAL_REGION:
            raise errors.ConfigBaseRefused(name, spec.base, "that is a dual-region config")
        if not spec.replicas and base.replicas:
            raise errors.MissingField("CreateInstanceConfig", "instance_config.replicas")
        if not all(replica.location and replica.kind for replica in spec.replicas):
            raise errors.MissingField(
                "CreateInstanceConfig", "the location and type of each replica"
            )
        if base.published is not None:
            for problem in _replica_problems(spec.replicas, base):
                raise errors.ConfigBaseRefused(name, spec.base, problem)
            for region in spec.leader_options:
                if region not in base.leader_options:
                    reason = f"{region} is no leader option of the base"
                    raise errors.ConfigBaseRefused(name, spec.base, reason)
        return base


def _replica_problems(replicas: Sequence[Replica], base: InstanceConfig) -> Iterator[str]:
    """Yield why `replicas` are not those of the base and some of its optional replicas."""
    given = _counts(replicas)
    required, optional = _counts(base.replicas), _counts(base.optional_replicas)
    for location, kind in required - given:
        yield f"the replica {_text(location, kind)} of the base is missing"
    for location, kind in given - required - optional:
        yield f"the base does not offer the optional replica {_text(location, kind)}"
    if given == required:
        yield "at least one optional replica is required"


def _counts(replicas: Iterable[Replica]) -> Counter[tuple[str, int]]:
    return Counter((replica.location, replica.kind) for replica in replicas)


def _text(location: str, kind: int) -> str:
    names = {number.value: number.name for number in ReplicaKind}
    return f"{location} {names.get(kind, kind)}"


def _with_default_leader(
    replicas: tuple[Replica, ...], base: InstanceConfig
) -> tuple[Replica, ...]:
    """Return the replicas with the default leader of the base, if none is marked as such."""
    leader = next((replica for replica in base.replicas if replica.default_leader_location), None)
    if leader is None or any(replica.default_leader_location for replica in replicas):
        return replicas
    unmarked = replace(leader, default_leader_location=False)
    position = replicas.index(unmarked)
    return (*replicas[:position], leader, *replicas[position + 1 :])


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
