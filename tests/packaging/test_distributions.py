"""Wheel and sdist: what they hold, the same from every build, and complete by themselves."""

from __future__ import annotations

import email.message
import email.parser
import re
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import spanemu
from tests.packaging.distributions import ROOT, build, run

WHEEL_BYTES_MAX = 3_000_000
REQUIRED = {
    "click", "faker", "google-cloud-spanner", "google-re2", "grpcio", "rich", "sortedcontainers",
    "tzdata",
}  # fmt: skip
INFO = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    build(folder)
    return folder


@pytest.fixture
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture
def sdist(built: Path) -> Path:
    (path,) = built.glob("*.tar.gz")
    return path


def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as content:
        (name,) = (each for each in content.namelist() if each.endswith(".dist-info/METADATA"))
        return email.parser.Parser().parsestr(content.read(name).decode())


def test_the_wheel_holds_the_packages_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
    info = {name for name in names if ".dist-info/" in name}
    assert {name.partition("/")[2] for name in info} == INFO
    packages = {
        path.relative_to(ROOT).as_posix()
        for package in ("spanemu", "pytest_spanemu")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names - info == packages
    assert "spanemu/py.typed" in names
    assert "pytest_spanemu/py.typed" in names
    assert wheel.stat().st_size <= WHEEL_BYTES_MAX
    assert wheel.name == f"spanemu-{spanemu.__version__}-py3-none-any.whl"


def test_the_wheel_requires_little_and_describes_itself(wheel: Path) -> None:
    facts = metadata(wheel)
    requirements = [str(each) for each in facts.get_all("Requires-Dist", [])]
    plain = {re.split(r"[^\w.-]", each)[0] for each in requirements if "extra ==" not in each}
    assert plain == REQUIRED
    assert facts["Version"] == spanemu.__version__
    assert facts["License-Expression"] == "Apache-2.0"
    assert facts["Requires-Python"] == ">=3.11"
    assert facts["Description-Content-Type"] == "text/markdown"
    assert len(facts["Keywords"].split(",")) >= 5
    assert "License ::" not in str(facts.get_all("Classifier"))  # beside a License-Expression
    extras = set(facts.get_all("Provides-Extra", []))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert extras == set(project["optional-dependencies"])


def test_the_same_sources_make_the_same_files(built: Path, tmp_path: Path) -> None:
    build(tmp_path)
    for path in built.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_sdist_has_the_tests_and_all_that_they_need(sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as content:
        content.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    # Assertions are not rewritten: that takes longer than to collect the tests.
    pytest_ = [sys.executable, "-m", "pytest", "-q", "--assert=plain", "-p", "no:cacheprovider"]
    variables = {"PYTHONPATH": str(folder)}
    collected = run([*pytest_, "--collect-only", "tests"], variables, folder)
    assert collected.returncode == 0, collected.stdout[-3_000:]
    some = ["tests/tidy/test_commands.py", "tests/ci", "tests/unit/test_config.py"]
    done = run([*pytest_, "-rs", *some], variables, folder)
    assert done.returncode == 0, done.stdout[-3_000:]
    assert "an sdist has no dot-folders" in done.stdout
