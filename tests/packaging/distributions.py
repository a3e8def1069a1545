"""Wheels and sdists of this project, and environments in which they are installed."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.installed import needs

ROOT = Path(__file__).parents[2]
EPOCH = "1767225600"  # 2026-01-01
INSTALL_SECONDS_MAX = 60


def build(folder: Path, *kinds: str, epoch: str = EPOCH) -> None:
    """Build the wheel and the sdist into a folder; skip the test where no backend is installed."""
    needs("build", "hatchling")
    command = [
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "-o",
        str(folder),
        *kinds,
        str(ROOT),
    ]
    done = run(command, {"SOURCE_DATE_EPOCH": epoch})
    assert done.returncode == 0, done.stdout + done.stderr


def run(
    command: Sequence[str | Path],
    variables: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command without this project's files in its path, and return what it printed."""
    left_out = ("PYTHON", "SPAN", "PYTEST", "VIRTUAL_ENV", "GOOGLE_")
    environ = {name: each for name, each in os.environ.items() if not name.startswith(left_out)}
    return subprocess.run(
        command, env={**environ, **(variables or {})}, cwd=cwd, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip


class Environment:
    """An empty environment in a folder, with the packages that are installed from the index."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=os.name != "nt", with_pip=True)
        self.programs = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.programs / "python"

    def install(self, *packages: str | Path) -> None:
        """Install packages; skip the test where the index cannot be reached."""
        command = [self.python, "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        done = run([*command, *packages])
        if done.returncode:
            pytest.skip(f"pip installs nothing here: {done.stderr.strip()[-300:]}")

    def run(
        self, program: str, *arguments: str | Path, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, in which a warning is an error."""
        variables = {"PYTHONWARNINGS": "error", "PATH": f"{self.programs}{os.pathsep}{os.defpath}"}
        return run([self.programs / program, *arguments], variables, cwd)
