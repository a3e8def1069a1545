"""What the settings of a run come to, read once when it starts.

a marker or a factory's argument  >  command line  >  environment  >  ini file  >  default
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_spanemu.options import ENDPOINT_FILE, FAIL_ON, OPTIONS, Option
from pytest_spanemu.report.counts import Limit, limits_of
from pytest_spanemu.report.wanted import Reports
from pytest_spanemu.setting_values import (
    InstanceConfigs,
    Isolation,
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
from spanemu.api.endpoint_file import Endpoint, InvalidEndpointFile
from spanemu.base.suggestions import did_you_mean

_ALIASES = {"rollback": Isolation.RESTORE}  # the word of other plugins


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Settings:
    """The settings of one run. Never compared, so that loading the plugin takes less time."""

    target: Target
    host: str | None
    allow_cloud: str | None
    project: str
    instance: str
    instance_configs: InstanceConfigs
    database: str
    database_prefix: str
    schema: tuple[str, ...]
    seeds: tuple[str, ...]
    isolation: Isolation | None
    start: Start
    reuse: Reuse
    seed: int
    unsupported: Unsupported
    fail_on: frozenset[str]
    report: Reports
    validated_older_than: int | None
    save: str | None
    compare: str | None
    compare_fail: Mapping[str, Limit]
    queries: tuple[str, ...]
    models: tuple[str, ...]
    check: bool
    pause_on_fail: bool


@dataclass(frozen=True, slots=True)
class _Given:
    """Where the settings of a run are read from.

    `options` are the parsed command line; `handed` is what xdist tells a worker.
    """

    config: pytest.Config
    options: argparse.Namespace
    environ: Mapping[str, str]
    handed: Mapping[str, Any]


def read_settings(config: pytest.Config, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of a run. Raises pytest.UsageError for one that makes no sense."""
    surroundings = os.environ if environ is None else environ
    handed: Mapping[str, Any] = getattr(config, "workerinput", {})
    return _settings(_Given(config, config.option, surroundings, handed))


def read_early_settings(config: pytest.Config) -> Settings:
    """Read the settings before any conftest.py is imported. Raises pytest.UsageError.

    xdist names a worker in the environment before it gives the worker's configuration to it.
    """
    worker = {"workerid": "PYTEST_XDIST_WORKER", "testrunuid": "PYTEST_XDIST_TESTRUNUID"}
    handed = {name: os.environ.get(variable, "") for name, variable in worker.items()}
    return _settings(_Given(config, config.known_args_namespace, os.environ, handed))


def read_start(config: pytest.Config) -> Start:
    """Read when the emulator starts, before any conftest.py is imported."""
    (option,) = (option for option in OPTIONS if option.name == "start")
    return Start(_value(_Given(config, config.known_args_namespace, os.environ, {}), option))


def _settings(given: _Given) -> Settings:
    found = {option.name.replace("-", "_"): _value(given, option) for option in OPTIONS}
    target = choose_target(found)
    run = str(given.handed.get("testrunuid") or os.urandom(RUN_CHARS).hex())[:RUN_CHARS]
    runner = RunIdentity(given.environ, str(given.handed.get("workerid", "")), run)
    failing = _parts(found["fail_on"])
    for word in failing:
        if word not in FAIL_ON:
            raise pytest.UsageError(
                f"spanner_fail_on: {word!r} is not one of {', '.join(sorted(FAIL_ON))}."
            )
    return Settings(
        **found
        | {
            **resource_names(target, found, runner),
            "target": target,
            "start": Start(found["start"]),
            "instance_configs": InstanceConfigs(found["instance_configs"]),
            "reuse": Reuse(found["reuse"]),
            "unsupported": Unsupported(found["unsupported"]),
            "isolation": None if found["isolation"] is None else Isolation(found["isolation"]),
            "seed": _seed(given, found["seed"]),
            "validated_older_than": _days(found["validated_older_than"]),
            "fail_on": frozenset(failing),
            "report": Reports.of(found["report"]),
            "compare_fail": limits_of(_parts(found["compare_fail"])),
        }
    )


def isolation_named(word: str, where: str) -> Isolation:
    """The isolation that a marker or a factory asks for. Raises pytest.UsageError."""
    return Isolation(_chosen(word, tuple(Isolation), where))


def target_named(word: str, where: str) -> Target:
    """Return the target that a marker names. Raises pytest.UsageError."""
    return Target(_chosen(word, tuple(Target), where))


def _value(given: _Given, option: Option) -> Any:
    """Return the value of one option, from the first place that has it."""
    value = getattr(given.options, option.key, None)
    if option.is_switch:
        return bool(value)
    where = option.flag
    if value is None:
        for variable in option.variables:
            if given.environ.get(variable):
                value, where = given.environ[variable], variable
                if variable == ENDPOINT_FILE:
                    value = _published(value)
                break
    if value is None and (written := given.config.getini(option.key)) not in (None, "", []):
        value, where = written, option.key
    if value is None:
        value = option.default
    if option.many:
        return _words(value)
    if value is not None and option.choices:
        return _chosen(str(value), option.choices, where)
    return value


def words(given: str | Collection[str] | None) -> tuple[str, ...] | None:
    """One word or several, as a tuple; None stays None."""
    if given is None:
        return None
    return (given,) if isinstance(given, str) else tuple(str(each) for each in given)


def _words(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """A list as the ini file, the environment or repeated flags give it."""
    if given is None:
        return ()
    listed = [given] if isinstance(given, str) else list(given)
    return tuple(str(each) for each in listed)


def _parts(given: Sequence[str]) -> list[str]:
    """The words of a list whose entries may hold several, with commas between."""
    return [part for word in given for part in word.split(",") if part]


def _chosen(word: str, choices: tuple[str, ...], where: str) -> str:
    word = _ALIASES.get(word, word)
    if word not in choices:
        hint = did_you_mean(str(word), choices)
        raise pytest.UsageError(f"{where}: {word!r} is not one of {', '.join(choices)}.{hint}")
    return word


def _published(path: str) -> str:
    """Where the emulator listens that has written an endpoint file."""
    try:
        return Endpoint.read(Path(path)).uri
    except (OSError, InvalidEndpointFile) as problem:
        raise pytest.UsageError(f"{ENDPOINT_FILE}: {problem}") from None


def _days(given: str | None) -> int | None:
    """A number of days, with or without the d for days behind it."""
    if given is None:
        return None
    if not re.fullmatch(r"\d{1,5}d?", given):
        raise pytest.UsageError(f"spanner_validated_older_than: {given!r} is no number of days.")
    return int(given.removesuffix("d"))


def _seed(given: _Given, text: str | None) -> int:
    """Return the seed: as given; in an xdist worker the controller's; or drawn."""
    if text is not None:
        if not re.fullmatch(r"\d+", text):
            raise pytest.UsageError(f"spanner_seed: {text!r} is not a whole number.")
        return int(text)
    return int(given.handed.get("spanner_seed") or int.from_bytes(os.urandom(4)))
