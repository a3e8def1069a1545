"""The settings of a run, read once when the run starts.

Precedence: marker or factory argument, command line, environment, ini file, default. The settings
`spanner_report` and `spanner_compare_fail` say which reports a run writes, and their limits.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_spanemu.options import (
    ENDPOINT_FILE,
    FAIL_ON,
    OPTIONS,
    Dialect,
    GcFreeze,
    InstanceConfigs,
    Isolation,
    Option,
    Reuse,
    Start,
    Target,
    Unsupported,
)
from pytest_spanemu.targets.resource_names import (
    RUN_CHARS,
    RunIdentity,
    choose_target,
    resource_names,
)
from spanemu import config
from spanemu.api.endpoint_file import Endpoint, InvalidEndpointFile, reading_problem
from spanemu.base import resource_names as ids
from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import dataclass
from spanemu.base.suggestions import did_you_mean

TABLE_ROWS = 10
COUNTED = ("queries", "commits", "aborts", "mutations", "full_scans", "lock_waits")


_OTHER_TERMS = {"rollback": Isolation.RESTORE}  # of other plugins, by what they mean here


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The reports that a run writes: a table of at most `table_rows` tests, JSON and HTML files."""

    table_rows: int = TABLE_ROWS  # 0 for no table
    json: tuple[str, ...] = ()
    html: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: Sequence[str]) -> ReportOptions:
        """Parse words like "term:20" and "json:out.json". Raises pytest.UsageError."""
        rows = TABLE_ROWS
        files: dict[str, list[str]] = {"json": [], "html": []}
        for word in words:
            kind, _, rest = word.partition(":")
            if kind == "term" and (not rest or rest.isdecimal()):
                rows = int(rest or TABLE_ROWS)
            elif kind in files and rest:
                files[kind].append(rest)
            elif word == "none":
                rows = 0
            else:
                raise pytest.UsageError(
                    f"spanner_report: {word!r} is not one of term[:ROWS], json:PATH, "
                    "html:PATH, none."
                )
        return cls(rows, tuple(files["json"]), tuple(files["html"]))

    @property
    def has_files(self) -> bool:
        """Return whether a report is written to a file."""
        return bool(self.json or self.html)

    @property
    def needs_recordings(self) -> bool:
        """Return whether a report needs recordings of what tests do."""
        return bool(self.table_rows or self.has_files)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit for the rise of a count: a number, or a percentage of the saved count."""

    increase: float
    is_percent: bool

    def allows(self, before: int, after: int) -> bool:
        """Return whether a count may rise from `before` to `after`."""
        allowed = before * self.increase / 100 if self.is_percent else self.increase
        return after - before <= allowed


def limits_of(words: Sequence[str]) -> dict[str, Limit]:
    """Parse words like "commits:0" and "queries:10%". Raises pytest.UsageError."""
    limits = {}
    for word in words:
        name, _, increase = word.partition(":")
        number = increase.removesuffix("%")
        if name not in COUNTED or not number.isdecimal():
            raise pytest.UsageError(
                f"spanner_compare_fail: {word!r} is not COUNT:NUMBER or COUNT:NUMBER%, with a "
                f"count of {', '.join(COUNTED)}."
            )
        limits[name] = Limit(float(number), increase.endswith("%"))
    return limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one run."""

    target: Target
    host: str | None
    allow_cloud: str | None
    project: str
    instance: str
    instance_configs: InstanceConfigs
    database: str
    database_prefix: str
    dialect: Dialect
    schema: tuple[str, ...]
    seeds: tuple[str, ...]
    isolation: Isolation | None
    start: Start
    gc_freeze: GcFreeze
    reuse: Reuse
    seed: int
    unsupported: Unsupported
    fail_on: frozenset[str]
    report: ReportOptions
    validated_older_than: int | None
    save: str | None
    compare: str | None
    compare_fail: Mapping[str, Limit]
    queries: tuple[str, ...]
    models: tuple[str, ...]
    check: bool
    pause_on_fail: bool
    schedule: str | None
    explore_seconds: float
    explore_schedules: int
    explore_preemptions: int


@dataclass(frozen=True, slots=True)
class _Origins:
    """The origins of a run's settings.

    `options` is the parsed command line; `worker_input` is what xdist sends to a worker.
    """

    config: pytest.Config
    options: argparse.Namespace
    environ: Mapping[str, str]
    worker_input: Mapping[str, Any]


def read_settings(config: pytest.Config, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of a run. Raises pytest.UsageError for an invalid setting."""
    environ = os.environ if environ is None else environ
    worker_input: Mapping[str, Any] = getattr(config, "workerinput", {})
    return _settings(_Origins(config, config.option, environ, worker_input))


def read_early_settings(config: pytest.Config) -> Settings:
    """Read the settings before any conftest.py is imported. Raises pytest.UsageError.

    At that time, the environment names an xdist worker, but its configuration does not.
    """
    worker = {"workerid": "PYTEST_XDIST_WORKER", "testrunuid": "PYTEST_XDIST_TESTRUNUID"}
    worker_input = {name: os.environ.get(variable, "") for name, variable in worker.items()}
    return _settings(_Origins(config, config.known_args_namespace, os.environ, worker_input))


def read_start(config: pytest.Config) -> Start:
    """Read the setting `spanner_start`, before any conftest.py is imported."""
    (option,) = (option for option in OPTIONS if option.name == "start")
    return Start(_value(_Origins(config, config.known_args_namespace, os.environ, {}), option))


def _settings(origins: _Origins) -> Settings:
    values = {option.name.replace("-", "_"): _value(origins, option) for option in OPTIONS}
    target = choose_target(values)
    worker_input = origins.worker_input
    run_id = str(worker_input.get("testrunuid") or os.urandom(RUN_CHARS).hex())[:RUN_CHARS]
    run = RunIdentity(origins.environ, str(worker_input.get("workerid", "")), run_id)
    conditions = _split_commas(values["fail_on"])
    for condition in conditions:
        if condition not in FAIL_ON:
            raise pytest.UsageError(
                f"spanner_fail_on: {condition!r} is not one of {', '.join(sorted(FAIL_ON))}."
                f"{did_you_mean(condition, FAIL_ON)}"
            )
    return Settings(
        **values
        | {
            **resource_names(target, values, run),
            "target": target,
            "dialect": Dialect(values["dialect"]),
            "start": Start(values["start"]),
            "gc_freeze": GcFreeze(values["gc_freeze"]),
            "instance_configs": InstanceConfigs(values["instance_configs"]),
            "reuse": Reuse(values["reuse"]),
            "unsupported": Unsupported(values["unsupported"]),
            "isolation": None if values["isolation"] is None else Isolation(values["isolation"]),
            "seed": _seed(origins, values["seed"]),
            "validated_older_than": _days(values["validated_older_than"]),
            "fail_on": frozenset(conditions),
            "report": ReportOptions.of(values["report"]),
            "explore_seconds": float(values["explore_seconds"]),
            "explore_schedules": int(values["explore_schedules"]),
            "explore_preemptions": int(values["explore_preemptions"]),
            "compare_fail": limits_of(_split_commas(values["compare_fail"])),
        }
    )


def parse_isolation(word: object, where: str) -> Isolation:
    """Return the isolation that a marker or a factory names. Raises pytest.UsageError."""
    return Isolation(_choose(word, tuple(Isolation), where))


def parse_dialect(word: object, where: str) -> Dialect:
    """Return the dialect that a marker or a factory names. Raises pytest.UsageError."""
    return Dialect(_choose(word, tuple(Dialect), where))


def parse_target(word: object, where: str) -> Target:
    """Return the target that a marker names. Raises pytest.UsageError."""
    return Target(_choose(word, tuple(Target), where))


def _value(origins: _Origins, option: Option) -> Any:
    """Return the value of an option, from the first origin that has a value."""
    value = getattr(origins.options, option.key, None)
    if option.is_switch:
        return bool(value)
    where = option.flag
    if value is None:
        for variable in option.variables:
            if origins.environ.get(variable):
                value, where = origins.environ[variable], variable
                if variable == ENDPOINT_FILE:
                    value = _endpoint_uri(value)
                break
    if value is None and (written := origins.config.getini(option.key)) not in (None, "", []):
        value, where = written, option.key
    if value is None:
        value = option.default
    if option.many:
        return as_tuple(value) or ()
    if value is not None and option.choices:
        return _choose(str(value), option.choices, where)
    if value is not None and (check := _CHECKS.get(option.name)) is not None:
        try:
            check(str(value))
        except ValueError as problem:
            raise pytest.UsageError(f"{where}: {problem}") from None
    return value


def as_tuple(given: str | Collection[str] | None) -> tuple[str, ...] | None:
    """Return one text or several texts as a tuple; return None for None."""
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(str(each) for each in given)


def _split_commas(given: Sequence[str]) -> list[str]:
    """Split each text at its commas."""
    return [part for word in given for part in word.split(",") if part]


def _choose(word: object, choices: tuple[str, ...], where: str) -> str:
    if isinstance(word, str) and word in choices:
        return word
    hint = ""
    if isinstance(word, str):
        meant = _OTHER_TERMS.get(word)
        hint = f" Did you mean '{meant}'?" if meant else did_you_mean(word, choices)
    raise pytest.UsageError(f"{where}: {word!r} is not one of {', '.join(choices)}.{hint}")


# ---------------------------------------------------------------------------- values


def _check_host(text: str) -> None:
    address = config.HostPort.parse(text)
    if not address.port:
        raise ValueError(f"{text!r} has no port: write that of a server, as in localhost:9010")


def _check_project(text: str) -> None:
    if not _PROJECT.fullmatch(text):
        raise ValueError(f"{text!r} cannot be part of the name projects/PROJECT")


def _check_instance(text: str) -> None:
    if _LETTER.fullmatch(text):  # A real instance has a valid id, and an emulator checks it, too.
        return
    try:
        ids.check_instance_id(text)
    except ids.InvalidInstanceId as problem:
        raise ValueError(str(problem)) from problem


def _check_database(text: str) -> None:
    try:
        ids.check_database_id(text)
    except ids.InvalidDatabaseId as problem:
        raise ValueError(str(problem)) from problem


def _check_prefix(text: str) -> None:
    if not _PREFIX.fullmatch(text):
        raise ValueError(
            f"{text!r} cannot begin the id of a database: a lowercase letter, then at most "
            f"{PREFIX_CHARS_MAX - 1} lowercase letters, digits, hyphens and underscores."
        )


def _check_number(text: str) -> None:
    if not text.isdecimal():
        raise ValueError(f"{text!r} is not a whole number")


def _check_pattern(text: str) -> None:
    try:
        re.compile(text)
    except re.error as problem:
        raise ValueError(f"{text!r} is not a regular expression: {problem}") from problem


PREFIX_CHARS_MAX = 16  # of the 30 of an id
_PREFIX = lazy_pattern(rf"[a-z][-_a-z0-9]{{0,{PREFIX_CHARS_MAX - 1}}}")
_LETTER = lazy_pattern("[a-z]")
_PROJECT = lazy_pattern(r"[^/\s]+")
_CHECKS: Mapping[str, Callable[[str], None]] = {
    "allow-cloud": _check_pattern,
    "database": _check_database,
    "database-prefix": _check_prefix,
    "explore-preemptions": _check_number,
    "explore-schedules": _check_number,
    "explore-seconds": _check_number,
    "host": _check_host,
    "instance": _check_instance,
    "project": _check_project,
}


def _endpoint_uri(path: str) -> str:
    """Return the address of the emulator that has written an endpoint file."""
    try:
        return Endpoint.read(Path(path)).uri
    except (OSError, InvalidEndpointFile) as problem:
        shown = reading_problem(problem, Path(path))
        raise pytest.UsageError(f"{ENDPOINT_FILE}: {shown}") from None


def _days(given: str | None) -> int | None:
    """Parse a number of days, such as "90" or "90d"."""
    if given is None:
        return None
    if not re.fullmatch(r"\d{1,5}d?", given):
        raise pytest.UsageError(f"spanner_validated_older_than: {given!r} is not a number of days.")
    return int(given.removesuffix("d"))


def _seed(origins: _Origins, text: str | None) -> int:
    """Return the seed: the setting, in an xdist worker the controller's seed, or a random seed."""
    if text is not None:
        if not re.fullmatch(r"\d+", text):
            raise pytest.UsageError(f"spanner_seed: {text!r} is not a whole number.")
        return int(text)
    return int(origins.worker_input.get("spanner_seed") or int.from_bytes(os.urandom(4)))
