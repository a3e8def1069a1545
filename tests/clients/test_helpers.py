"""The helpers for other languages isolate the tests of their samples, and inject faults."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spanemu.api.remote import inherited_environment
from tests.clients.test_clients import FETCH_SECONDS_MAX, STAY_HERE

HELPERS = Path(__file__).parents[2] / "docs" / "clients"
RUN_SECONDS_MAX = 600  # compilation included

# The tools, the command that downloads packages, and the command that runs the sample.
SAMPLES = {
    "go": (("go",), "go mod download", "go test -count=1 ./..."),
    "java": (("java", "mvn"), "mvn -B -q test-compile", "mvn -B -q test"),
    "node": (
        ("node", "npm"),
        "npm ci --prefer-offline --ignore-scripts --no-audit --no-fund",
        "node --test",
    ),
}


@pytest.mark.toolchain
@pytest.mark.skipif(
    "SPANEMU_TEST_HELPERS" not in os.environ,
    reason="takes two minutes: set SPANEMU_TEST_HELPERS",
)
@pytest.mark.parametrize("language", SAMPLES)
def test_the_sample_passes(language: str, tmp_path: Path) -> None:
    _, _, run = SAMPLES[language]
    ran = _shell(run, _fetched(language, tmp_path), RUN_SECONDS_MAX)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.toolchain
def test_the_helper_for_go_explores_races(tmp_path: Path) -> None:
    run = "go test -count=1 -v -run 'TestOneTransactionHasNoRace|TestALostUpdateIsFound' ./..."
    ran = _shell(run, _fetched("go", tmp_path), RUN_SECONDS_MAX)
    assert ran.stdout.count("--- PASS") == 2, ran.stdout + ran.stderr


def _fetched(language: str, folder: Path) -> Path:
    """Return a copy of a helper with its dependencies; skip the test where they are missing."""
    tools, fetch, _ = SAMPLES[language]
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)}: not installed here")
    home = shutil.copytree(HELPERS / language, folder / language)
    fetched = _shell(fetch, home, FETCH_SECONDS_MAX)
    if fetched.returncode:
        pytest.skip(f"no dependencies for {language}: {fetched.stderr.strip()[-500:]}")
    return home


def test_the_lock_file_names_no_hosts() -> None:
    packages = json.loads((HELPERS / "node" / "package-lock.json").read_text())["packages"]
    assert packages
    assert not [name for name, package in packages.items() if "resolved" in package]


def _shell(command: str, home: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    own = {"SPANEMU": f"{sys.executable} -m spanemu", "SPANNER_EMULATOR_HOST": ""}
    return subprocess.run(
        f"exec {command}",  # So that a time-out ends the tool, not its shell.
        shell=True,
        cwd=home,
        env=inherited_environment() | STAY_HERE | own | {"PWD": os.fspath(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
