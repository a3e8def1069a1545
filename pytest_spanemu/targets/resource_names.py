"""Where the test databases are and what they are called, for each target; and the guard that keeps
a run from Cloud Spanner unless it is let in by name.

    embedded, subprocess    as the settings say: nobody else is there
    external                each xdist worker has a project of its own, P-gw0
    omni, cloud             the project is given, so each run and worker has names of its own:
                            PREFIX-RUN-gw0; nothing else is ever dropped
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_spanemu.setting_values import Target

EMULATOR_HOST = "SPANNER_EMULATOR_HOST"
DEFAULT_PROJECT = "emulator-project"
DEFAULT_INSTANCE = "emulator-instance"
OMNI_NAME = "default"  # Omni's only project, and the instance that it comes with
RUN_CHARS = 6


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """Who asks: the environment, xdist's worker ("" without), and what tells runs apart."""

    environ: Mapping[str, str]
    worker: str
    run: str


def choose_target(found: Mapping[str, Any]) -> Target:
    """The target of settings: the one they name, or what a host suggests."""
    named = found["target"]
    if named is None:
        return Target.EXTERNAL if found["host"] else Target.EMBEDDED
    return Target(named)


def resource_names(target: Target, found: Mapping[str, Any], runner: RunIdentity) -> dict[str, Any]:
    """host, project, instance and database for a run. Raises pytest.UsageError."""
    chosen = {name: found[name] for name in ("host", "project", "instance", "database")}
    chosen["project"] = chosen["project"] or DEFAULT_PROJECT
    chosen["instance"] = chosen["instance"] or DEFAULT_INSTANCE
    return chosen | _OTHER.get(target, _as_they_are)(found, runner)


def _as_they_are(found: Mapping[str, Any], runner: RunIdentity) -> dict[str, Any]:
    return {}


def _external(found: Mapping[str, Any], runner: RunIdentity) -> dict[str, Any]:
    if not found["host"]:
        raise pytest.UsageError(
            "spanner_target is external, but neither --spanner-host nor SPANNER_EMULATOR_HOST "
            "says where it listens."
        )
    project = found["project"] or DEFAULT_PROJECT
    return {"project": f"{project}-{runner.worker}" if runner.worker else project}


def _omni(found: Mapping[str, Any], runner: RunIdentity) -> dict[str, Any]:
    _check_no_emulator(Target.OMNI, runner)
    if not found["host"]:
        raise pytest.UsageError("spanner_target is omni: --spanner-host says where it listens.")
    return {
        "project": OMNI_NAME,
        "instance": found["instance"] or OMNI_NAME,
        "database": _own_name(found, runner),
    }


def _cloud(found: Mapping[str, Any], runner: RunIdentity) -> dict[str, Any]:
    _check_no_emulator(Target.CLOUD, runner)
    project, allowed = found["project"], found["allow_cloud"]
    if not project or not found["instance"]:
        raise pytest.UsageError(
            "spanner_target is cloud: --spanner-project and --spanner-instance say where; there "
            "are no defaults."
        )
    if not allowed or not re.fullmatch(allowed, project):
        raise pytest.UsageError(
            f"spanner_target is cloud, and project {project} is not let in: spanner_allow_cloud "
            f"is {allowed or 'empty'}; it is a regular expression for the whole project id."
        )
    return {"host": found["host"], "database": _own_name(found, runner)}


def _check_no_emulator(target: Target, runner: RunIdentity) -> None:
    if runner.environ.get(EMULATOR_HOST):
        raise pytest.UsageError(
            f"spanner_target is {target}, but {EMULATOR_HOST} is set, and every client would go "
            "there instead."
        )


def _own_name(found: Mapping[str, Any], runner: RunIdentity) -> str:
    return "-".join(filter(None, (found["database_prefix"], runner.run, runner.worker)))


_OTHER = {Target.EXTERNAL: _external, Target.OMNI: _omni, Target.CLOUD: _cloud}
