"""The workflows of continuous integration: valid, and their steps succeed in a fresh clone.

A step that begins with "# remote:" needs a registry or a container engine, and one that begins with
"# long:" is run in full by `.ci/run`: both are only parsed. pytest only collects.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from spanemu import __version__
from tests.pages.environments import NOT_HERE, ROOT, create

FOLDER = ROOT / ".github" / "workflows"
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"
PARSED_ONLY = ("# remote:", "# long:")
STEP_SECONDS_MAX = 540
_EXPRESSION = re.compile(r"\$\{\{ *([\w.]+) *\}\}")

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="an sdist has no dot-folders")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the steps are those of Linux")


class Step(NamedTuple):
    """A step with a script: the workflow and the job that it is a part of."""

    workflow: str
    job: str
    script: str
    matrix: dict[str, str]

    @property
    def is_parsed_only(self) -> bool:
        return self.script.startswith(PARSED_ONLY)

    @property
    def text(self) -> str:
        """The script, with the values of the first run of its matrix."""
        return _EXPRESSION.sub(lambda each: self.matrix[each[1]], self.script)

    def __str__(self) -> str:
        return f"{self.workflow}-{self.job}: {self.script.splitlines()[-1]}"


def workflows() -> dict[str, Any]:
    """Return the workflows by name."""
    return {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FOLDER.glob("*.yml")}


def steps() -> Iterator[Step]:
    """Yield each step that has a script, once."""
    done = set()
    for name, workflow in sorted(workflows().items()):
        for job_name, job in workflow["jobs"].items():
            for step in job["steps"]:
                if "run" in step and step["run"] not in done:
                    done.add(step["run"])
                    yield Step(name, job_name, step["run"], _first_run(job))


def _first_run(job: dict[str, Any]) -> dict[str, str]:
    matrix = job.get("strategy", {}).get("matrix", {})
    if "include" in matrix:
        first = matrix["include"][0]
    else:
        first = {name: values[0] for name, values in matrix.items()}
    return {f"matrix.{name}": value for name, value in first.items()}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a fresh clone of the last commit, beside an environment without packages."""
    folder = tmp_path_factory.mktemp("ci")
    command = ["git", "clone", "-q", "--depth", "1", f"file://{ROOT}", str(folder / "clone")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no clone can be made here: {done.stderr.strip()}")
    create(folder / "environment")
    return folder / "clone"


def environ(clone: Path) -> dict[str, str]:
    """Return the variables of a runner, whose pip takes packages from this environment."""
    path = [clone.parent / "environment" / "bin", Path(sys.executable).parent]
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": str(clone),
        "PATH": ":".join([*map(str, path), "/usr/bin", "/bin"]),
        "GITHUB_REF_NAME": f"v{__version__}",
        "PYTEST_ADDOPTS": "--collect-only -q --assert=plain -p no:cacheprovider",
        "PYTEST_XDIST_AUTO_NUM_WORKERS": "0",  # It is enough to collect the tests once.
    }


@on_linux
@pytest.mark.timeout(STEP_SECONDS_MAX + 60)
@pytest.mark.parametrize("step", list(steps()) if FOLDER.exists() else [], ids=str)
def test_a_step_succeeds_in_a_fresh_clone(step: Step, clone: Path) -> None:
    options = ["-n"] if step.is_parsed_only else ["-eo", "pipefail"]
    done = subprocess.run(
        ["bash", *options, "-c", step.text], cwd=clone, env=environ(clone), text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=STEP_SECONDS_MAX,
    )  # fmt: skip
    if done.returncode == NOT_HERE:
        pytest.skip(done.stdout.splitlines()[-1])
    assert done.returncode == 0, done.stdout[-5_000:]


def test_long_steps_belong_to_the_whole_check() -> None:
    whole = (ROOT / ".ci" / "run").read_text("utf-8")
    for step in steps():
        if step.script.startswith("# long:"):
            for line in step.text.splitlines()[1:]:
                command = line.removesuffix(step.matrix.get("matrix.set", "")).strip()
                assert command.removeprefix("python ") in whole


def test_tests_run_on_each_system_and_each_named_version_of_python() -> None:
    matrix = workflows()["ci"]["jobs"]["tests"]["strategy"]["matrix"]
    assert {each.partition("-")[0] for each in matrix["os"]} == {"ubuntu", "macos", "windows"}
    classifiers = (ROOT / "pyproject.toml").read_text("utf-8")
    named = re.findall(r"Python :: (3\.\d+)", classifiers)
    assert matrix["python"] == named


def test_jobs_have_least_permissions_and_a_timeout() -> None:
    for workflow in workflows().values():
        assert workflow["permissions"] == {"contents": "read"}
        for job in workflow["jobs"].values():
            assert "timeout-minutes" in job
            assert set(job.get("permissions", {})) <= {"id-token"}


@pytest.mark.toolchain
def test_actionlint_accepts_the_workflows(tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("actionlint needs Go, which is not installed here")
    built = subprocess.run(
        ["go", "install", ACTIONLINT], env={**os.environ, "GOBIN": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if built.returncode:
        pytest.skip(f"actionlint cannot be fetched here: {built.stderr.strip()[-300:]}")
    user_workflow = ROOT / "docs" / "container" / "github-actions.yml"
    files = [*sorted(FOLDER.glob("*.yml")), user_workflow]
    command = [str(tmp_path / "actionlint"), "-no-color", *map(str, files)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_images_come_from_google_registries_only() -> None:
    files = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs" / "container").iterdir()]
    hosts = re.compile(r"\b((?:[\w-]+\.)?(?:gcr|ghcr|docker|quay|azurecr)\.io)/([\w/-]+)")
    images = {
        image
        for path in [*files, *FOLDER.iterdir()]
        for image in hosts.findall(path.read_text("utf-8"))
    }
    assert images == {("gcr.io", "cloud-spanner-emulator/emulator")}
