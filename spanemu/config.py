"""The settings of an emulator, validated when they are constructed."""

from __future__ import annotations

import ipaddress
from dataclasses import field
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any, Literal, TypedDict

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.limits import (
    DATABASES_PER_INSTANCE_MAX,
    DEFAULT_LIMITS,
    RETENTION_DEFAULT_NANOS,
    Limits,
)
from spanemu.base.record import dataclass
from spanemu.base.resource_names import InvalidInstanceId, check_instance_id

DEFAULT_PROJECT = "emulator-project"
DEFAULT_INSTANCE = "emulator-instance"
DEFAULT_INSTANCE_CONFIGS = {"emulator-config": "Emulator Instance Config"}
DEFAULT_RETENTION_SECONDS = RETENTION_DEFAULT_NANOS / NANOS_PER_SECOND
PORT_MAX = 65_535
PARTITION_CHURN_SECONDS_MIN = 0.001
LOG_FORMATS = ("text", "json")
GRPCIO = "grpcio"
H2 = "h2"
GRPC_SERVERS = (H2, GRPCIO)
AUTO: Literal["auto"] = "auto"


class InvalidConfig(ValueError):
    """A setting with an impossible value; the message names the setting."""


@dataclass(frozen=True, slots=True)
class HostPort:
    """The address of a server; port 0 means any free port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine can reach the address."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def reachable(self) -> HostPort:
        """The address to connect to; a server that listens on all addresses is at localhost."""
        return HostPort("localhost", self.port) if self.host in ("0.0.0.0", "::") else self

    @classmethod
    def parse(cls, text: str) -> HostPort:
        """Parse `HOST:PORT` or `[IPV6]:PORT`. Raises InvalidConfig."""
        host, separator, port = text.rpartition(":")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host and "/" not in host:
            raise InvalidConfig(f"{text!r}: write an IPv6 address in brackets, as in [::1]:9010")
        if not (separator and host and port.isascii() and port.isdigit()) or "/" in host:
            raise InvalidConfig(f"{text!r} is not of the form HOST:PORT, as in localhost:9010")
        if int(port) > PORT_MAX:
            raise InvalidConfig(f"{text!r}: there is no port above {PORT_MAX}")
        return cls(host, int(port))


class ProcessSettings(TypedDict, total=False):
    """The fields of EmulatorConfig that apply to an emulator in a subprocess."""

    host_port: str
    rest_host_port: str | None
    seed: int | None
    project: str
    instance: str
    strict_instance_configs: bool
    check_editions: bool
    databases_per_instance_max: int
    strict_database_limit: bool
    start_time: datetime | str | None
    partition_churn_seconds: float | None


class ConfigChanges(TypedDict, total=False):
    """The fields of EmulatorConfig, as keyword arguments."""

    host_port: str
    grpc_server: str
    rest_host_port: str | None
    allowed_hosts: tuple[str, ...]
    console: bool
    remote_control: bool
    embedded_channel: bool
    seed: int | None
    project: str
    instance: str
    instance_configs: dict[str, str]
    strict_instance_configs: bool
    check_editions: bool
    databases_per_instance_max: int | None
    strict_database_limit: bool
    version_retention_seconds: float
    abort_first_attempts: bool
    start_time: datetime | str | None
    partition_churn_seconds: float | None
    gc_freeze: bool | Literal["auto"]
    data_dir: Path | str | None
    import_from: Path | str | None
    export_on_exit: Path | str | None
    edited: bool
    limits: Limits
    log_requests: str | None
    log_slow_seconds: float
    metrics: bool
    tls_cert: str | None
    tls_key: str | None
    tracer_provider: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulatorConfig:
    """The configuration of an emulator. Raises InvalidConfig for an impossible value.

    `host_port` is the address to listen at; port 0 means any free port. `grpc_server` is "h2"
    for spanemu's own server, or "grpcio" for that of gRPC's library. `rest_host_port` is
    the address of the REST interface, None for no REST; `allowed_hosts` are further names by which
    clients may call that interface. With `remote_control`, clients on other machines may request
    control operations, such as snapshots and faults. With `embedded_channel`, clients in this
    process that connect to the address reach the emulator without sockets. `seed` reproduces all
    random behaviour; None picks a seed. `project` and `instance` contain the databases that are
    created by a bare name. `instance_configs` maps ids to display names; with
    `strict_instance_configs`, instances may only name these configurations, those that Google
    publishes, and those that users created. With `check_editions`, an instance that names the
    edition STANDARD or ENTERPRISE lacks the features of the editions above.
    `databases_per_instance_max` is the number of databases that clients may create in an instance,
    None for any number; with `strict_database_limit`, an instance of less than a node may have ten
    for each hundred processing units. `version_retention_seconds` is the version retention of
    databases whose schema sets none.
    `abort_first_attempts` aborts the first commit of every transaction, so that the retry loops of
    an application are exercised (`Faults.abort_first_attempts`). `start_time` is the initial time
    of the clock, with its time zone; None is the present. `partition_churn_seconds` is an interval
    of the clock at which the partitions of all change streams are split, merged and replaced; None
    leaves them to follow the splits. With `gc_freeze`, full garbage collections that Python starts
    skip the objects that exist at the start, and those that survive a long collection, until the
    emulator is closed (`base.collector`); "auto" begins with that when the emulators of the process
    hold many rows, and leaves the collector alone until then. `data_dir` is a directory from which
    the emulator loads its state when it starts, and in which `close` saves it.
    `import_from` is a directory with a
    state to load if `data_dir` has none, and `export_on_exit` is another directory in which `close`
    saves the state. With `edited`, a state is loaded although its files are not those that were
    saved. `limits` are the limits of requests. `log_requests` is "text" or "json" to
    write a line to standard error for each request that takes at least `log_slow_seconds`; None
    writes none. With `metrics`, the requests that /metrics of the REST interface shows are counted
    from the start, otherwise from its first request on. With `console`, that interface serves the
    web console. `tls_cert` and `tls_key` are PEM files with a certificate and its key, with which
    the gRPC server and the REST interface speak TLS only. `tracer_provider` is a `TracerProvider`
    of OpenTelemetry, with which each request makes a span; None makes none.
    """

    host_port: str = "127.0.0.1:0"
    grpc_server: str = H2
    rest_host_port: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    console: bool = True
    remote_control: bool = False
    embedded_channel: bool = True
    seed: int | None = None
    project: str = DEFAULT_PROJECT
    instance: str = DEFAULT_INSTANCE
    instance_configs: dict[str, str] = field(default_factory=lambda: dict(DEFAULT_INSTANCE_CONFIGS))
    strict_instance_configs: bool = False
    check_editions: bool = True
    databases_per_instance_max: int | None = DATABASES_PER_INSTANCE_MAX
    strict_database_limit: bool = False
    version_retention_seconds: float = DEFAULT_RETENTION_SECONDS
    abort_first_attempts: bool = False
    start_time: datetime | str | None = None
    partition_churn_seconds: float | None = None
    gc_freeze: bool | Literal["auto"] = AUTO
    data_dir: Path | str | None = None
    import_from: Path | str | None = None
    export_on_exit: Path | str | None = None
    edited: bool = False
    limits: Limits = DEFAULT_LIMITS
    log_requests: str | None = None
    log_slow_seconds: float = 0.0
    metrics: bool = False
    tls_cert: str | None = None
    tls_key: str | None = None
    tracer_provider: Any = None

    @property
    def has_directories(self) -> bool:
        """Return whether the emulator loads or saves its state."""
        return self.keeps_state or self.import_from is not None

    @property
    def keeps_state(self) -> bool:
        """Return whether the emulator saves its state when it is closed."""
        return self.data_dir is not None or self.export_on_exit is not None

    def __post_init__(self) -> None:
        for name in ("host_port", "rest_host_port"):
            if (address := getattr(self, name)) is not None:
                try:
                    HostPort.parse(address)
                except InvalidConfig as problem:
                    raise InvalidConfig(f"{name}: {problem}") from problem
        if not isinstance(self.seed, int | None):
            raise InvalidConfig(f"seed must be a whole number, not {self.seed!r}")
        if self.grpc_server not in GRPC_SERVERS:
            raise InvalidConfig(f"grpc_server must be one of {', '.join(GRPC_SERVERS)}")
        if not self.project or "/" in self.project or self.project.isspace():
            raise InvalidConfig(f"project {self.project!r} cannot be part of a resource name")
        try:
            check_instance_id(self.instance)
        except InvalidInstanceId as problem:
            raise InvalidConfig(str(problem)) from problem
        if not self.instance_configs:
            raise InvalidConfig("instance_configs must name at least one configuration")
        if self.databases_per_instance_max is not None and self.databases_per_instance_max < 0:
            raise InvalidConfig("databases_per_instance_max must not be negative")
        if not 0 < self.version_retention_seconds < inf:
            raise InvalidConfig("version_retention_seconds must be positive and finite")
        churn = self.partition_churn_seconds
        if churn is not None and not PARTITION_CHURN_SECONDS_MIN <= churn < inf:
            least = PARTITION_CHURN_SECONDS_MIN
            raise InvalidConfig(f"partition_churn_seconds must be at least {least} and finite")
        if (self.tls_cert is None) != (self.tls_key is None):
            raise InvalidConfig("tls_cert and tls_key are given together")
        if not isinstance(self.gc_freeze, bool) and self.gc_freeze != AUTO:
            raise InvalidConfig(f"gc_freeze must be True, False or {AUTO!r}")
        if self.log_requests not in (None, *LOG_FORMATS):
            raise InvalidConfig(f"log_requests must be None or one of {', '.join(LOG_FORMATS)}")
        if not 0 <= self.log_slow_seconds < inf:
            raise InvalidConfig("log_slow_seconds must not be negative and must be finite")
