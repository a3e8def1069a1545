"""What a newcomer installs: the wheel holds everything that a first test, a report and a lint need,
and everything that the server sends to a browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
START_SECONDS_MAX = 60
# The types of what a page of the console refers to.
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class Installed:
    """The wheel in an environment of its own, over the packages of this one."""

    def __init__(self, folder: Path) -> None:
        _pip("wheel", "-q", "--no-deps", "-w", folder, ROOT)
        (wheel,) = folder.glob("*.whl")
        environment = folder / "environment"
        venv.create(environment, symlinks=os.name != "nt", with_pip=False)
        python = next(environment.glob("[bS][ic][nr]*/python*"))
        _pip("--python", python, "install", "-q", "--no-deps", "--no-compile", "--no-index", wheel)
        self.programs = python.parent
        (self.packages,) = {path.parent for path in environment.rglob("site-packages/spanemu")}
        # Only the packages that it needs are those of this environment, where spanemu is editable.
        outer = [path for path in sys.path if path.endswith("site-packages")]
        (self.packages / "outer.pth").write_text("\n".join(outer), encoding="utf-8")

    @contextmanager
    def run(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Run the command of the wheel, and end it."""
        # Not PYTHONPATH, which may lead to the project's own files.
        environ = {name: each for name, each in os.environ.items() if name != "PYTHONPATH"}
        command = [str(self.programs / "spanemu"), *arguments]
        with subprocess.Popen(
            command, env=environ, cwd=self.packages, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                yield process
            finally:
                process.kill()


def _pip(*arguments: str | Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    if ran.returncode:
        pytest.skip(f"pip builds no wheel here: {ran.stderr.strip()[-300:]}")


def test_the_plugin_works_from_the_wheel(project, monkeypatch, tmp_path):
    installed = Installed(tmp_path)  # once for both, because building takes seconds
    _check_the_console(installed)
    _check_a_three_line_test_file(installed, project, monkeypatch)


def _check_the_console(installed: Installed) -> None:
    with installed.run("sql", "--help") as process:
        said, _ = process.communicate(timeout=START_SECONDS_MAX)
        assert (process.returncode, "--execute" in said) == (0, True)
    with installed.run("serve", "--host-port", "localhost:0", "--rest-port", "0") as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        console = next(line for line in lines if "Console at " in line).split()[-1]
        page = _loaded(console, "text/html")
        files = re.findall(r"""(?:href|src)="([^"#]+\.(\w+))\"""", page)
        assert {kind for _, kind in files} >= {"css", "js"}
        for path, kind in files:
            assert _loaded(urljoin(console, path), TYPES[kind])


def _loaded(url: str, kind: str) -> str:
    with urlopen(url, timeout=30) as response:
        assert response.headers.get_content_type() == kind
        return str(response.read().decode())


def _check_a_three_line_test_file(installed: Installed, project, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(installed.packages))
    result = project.run_apart(
        f"""
        def test_it(spanner_database):
            import pytest_spanemu, spanemu
            assert spanemu.__file__.startswith({str(installed.packages)!r})
            assert pytest_spanemu.__file__.startswith({str(installed.packages)!r})
            for n in range(40):
                with spanner_database.batch() as batch:
                    batch.insert("Orders", ["OrderId"], [[n]])
        """,
        "--spanner-schema=CREATE TABLE Orders (OrderId INT64) PRIMARY KEY (OrderId)",
        "--spanner-report=html:report.html",
        "--spanner-check",
    )
    assert result.parseoutcomes()["passed"] >= 2
    assert "failed" not in result.parseoutcomes()
    assert "MOVING_HOT_SPOT Orders(OrderId)" in (project.path / "report.html").read_text()
