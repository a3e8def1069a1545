"""Project, instance and database of each target, and the check that a cloud project is allowed.

embedded, subprocess    the names of the settings: the emulator belongs to this run
external                each xdist worker uses its own project, PROJECT-gw0
omni, cloud             the project is given, so each run and worker uses its own database ids,
                        PREFIX-RUN-gw0; the run drops no other database
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_spanemu.options import Target
from spanemu.base.record import dataclass

EMULATOR_HOST = "SPANNER_EMULATOR_HOST"
CLOUD_HOST = "spanner.googleapis.com:443"
DEFAULT_PROJECT = "emulator-project"
DEFAULT_INSTANCE = "emulator-instance"
OMNI_NAME = "default"  # Omni's only project, and its first instance
RUN_CHARS = 6


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The environment, the xdist worker ("" without xdist) and the id of a run."""

    environ: Mapping[str, str]
    worker: str
    id: str


def choose_target(given: Mapping[str, Any]) -> Target:
    """Return the target that the settings name; without one, external if a host is set."""
    named = given["target"]
    if named is None:
        return Target.EXTERNAL if given["host"] else Target.EMBEDDED
    return Target(named)


def resource_names(target: Target, given: Mapping[str, Any], run: RunIdentity) -> dict[str, Any]:
    """Return host, project, instance and database for a run. Raises pytest.UsageError."""
    chosen = {name: given[name] for name in ("host", "project", "instance", "database")}
    chosen["project"] = chosen["project"] or DEFAULT_PROJECT
    chosen["instance"] = chosen["instance"] or DEFAULT_INSTANCE
    return chosen | _OVERRIDES.get(target, _keep_settings)(given, run)


def _keep_settings(given: Mapping[str, Any], run: RunIdentity) -> dict[str, Any]:
    return {}


def _external(given: Mapping[str, Any], run: RunIdentity) -> dict[str, Any]:
    if not given["host"]:
        raise pytest.UsageError(
            "spanner_target is external, but neither --spanner-host nor SPANNER_EMULATOR_HOST is "
            "set to the HOST:PORT of the target."
        )
    project = given["project"] or DEFAULT_PROJECT
    return {"project": f"{project}-{run.worker}" if run.worker else project}


def _omni(given: Mapping[str, Any], run: RunIdentity) -> dict[str, Any]:
    _check_no_emulator(Target.OMNI, run)
    if not given["host"]:
        raise pytest.UsageError(
            "spanner_target is omni, but --spanner-host is not set to its HOST:PORT."
        )
    return {
        "project": OMNI_NAME,
        "instance": given["instance"] or OMNI_NAME,
        "database": _unique_id(given, run),
    }


def _cloud(given: Mapping[str, Any], run: RunIdentity) -> dict[str, Any]:
    _check_no_emulator(Target.CLOUD, run)
    project, allowed = given["project"], given["allow_cloud"]
    if not project or not given["instance"]:
        raise pytest.UsageError(
            "spanner_target is cloud, but --spanner-project and --spanner-instance are not both "
            "set; target cloud has no defaults."
        )
    if not allowed or not re.fullmatch(allowed, project):
        raise pytest.UsageError(
            f"spanner_target is cloud, and project {project} is not allowed: spanner_allow_cloud "
            f"is {allowed or 'empty'}; it is a regular expression for the whole project id."
        )
    return {"host": given["host"], "database": _unique_id(given, run)}


def _check_no_emulator(target: Target, run: RunIdentity) -> None:
    if run.environ.get(EMULATOR_HOST):
        raise pytest.UsageError(
            f"spanner_target is {target}, but {EMULATOR_HOST} is set, and every client would "
            "connect to that emulator instead."
        )


def _unique_id(given: Mapping[str, Any], run: RunIdentity) -> str:
    return "-".join(filter(None, (given["database_prefix"], run.id, run.worker)))


_OVERRIDES = {Target.EXTERNAL: _external, Target.OMNI: _omni, Target.CLOUD: _cloud}
