"""Versions of Python in the metadata, and the newest that is installed."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path

import pytest

from tests.versions.interpreters import named_versions, newest

ROOT = Path(__file__).parents[2]
THIS = "{}.{}".format(*sys.version_info)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="commands here are scripts of a shell")


def command(place: Path, name: str, script: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    made = place / name
    made.write_text(f"#!/bin/sh\n{script}\n")
    made.chmod(0o755)
    return made


def test_the_versions_named_are_those_of_the_classifiers_newest_first() -> None:
    classifiers = [f"Programming Language :: Python :: 3{each}" for each in ("", ".9", ".11")]
    assert named_versions({"classifiers": classifiers}) == ["3.11", "3.9"]


def test_this_project_admits_every_version_that_it_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f">={named_versions(project)[-1]}"


def test_a_command_that_starts_nothing_is_passed_over(tmp_path: Path) -> None:
    command(tmp_path / "bin", "python3.99", "exit 127")
    command(tmp_path / "bin", "python3.98", "echo 3.97")
    this = command(tmp_path / "bin", f"python{THIS}", f'exec {sys.executable} "$@"')
    environ = {"PATH": str(tmp_path / "bin"), "PYENV_ROOT": str(tmp_path)}
    assert newest(["3.99", "3.98", THIS], environ) == (THIS, this)
    assert newest(["3.99", "3.98"], environ) is None


def test_interpreters_of_pyenv_are_found(tmp_path: Path) -> None:
    place = tmp_path / "versions" / f"{THIS}.1" / "bin"
    this = command(place, f"python{THIS}", f'exec {sys.executable} "$@"')
    environ = {"PATH": str(tmp_path / "bin"), "PYENV_ROOT": str(tmp_path)}
    assert newest([THIS], environ) == (THIS, this)
