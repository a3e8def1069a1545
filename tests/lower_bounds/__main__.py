"""Run the tour, the smoke tests and the examples on the lowest versions that are admitted.

python -m tests.lower_bounds        exits with 0 when everything passes
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.lower_bounds.bounds import EXTRAS, TOOLS, pins

ROOT = Path(__file__).parents[2]
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
REPORTS = ("-n", "2", "--html=all.html", "--spanner-report=html:spanner.html")


def main() -> int:
    """Return 0 when every command succeeds, else 1."""
    with tempfile.TemporaryDirectory(prefix="lower-bounds-") as directory:
        work = Path(directory)
        python = installed(work)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            running = {
                name: pool.submit(ran, work, python, *rest) for name, *rest in commands(work)
            }
        ended = {name: future.result() for name, future in running.items()}
    for name, (code, output) in ended.items():
        print(f"{name}: {'passed' if code == 0 else output}")
    return int(any(code for code, _ in ended.values()))


def installed(work: Path) -> Path:
    """Return the Python of a new environment that has the lowest versions."""
    venv.create(work / "env", with_pip=True)
    scripts = work / "env" / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    constraints = work / "constraints.txt"
    lines = [f"{name}=={lowest}" for name, lowest in pins(project).items()]
    constraints.write_text("\n".join(lines), encoding="utf-8")
    wanted = ["-q", "-c", str(constraints), f"{ROOT}[{','.join(EXTRAS)}]", *TOOLS]
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    # uv needs a third of pip's time. It knows no settings of pip, such as an index or a certificate.
    uv = [
        str(scripts / "uv"),
        "pip",
        "install",
        "--compile-bytecode",
        "--python",
        str(python),
        *wanted,
    ]
    if not (succeeds([*pip, "-q", "uv"]) and succeeds(uv)):
        subprocess.run([*pip, *wanted], check=True)
    return python


def commands(work: Path) -> Iterator[tuple[str, ...]]:
    """Yield what is run: a name, the directory where, and the arguments of Python."""
    (work / "tour").mkdir()
    yield "tour", "tour", str(ROOT / "docs" / "tour.py")
    (work / "smoke").mkdir()
    shutil.copy(Path(__file__).with_name("smoke.py"), work / "smoke")
    yield "smoke", "smoke", *PYTEST, *REPORTS, "smoke.py"
    for example in sorted((ROOT / "docs" / "examples").iterdir()):
        shutil.copytree(example, work / example.name)
        yield example.name, example.name, *PYTEST


def ran(work: Path, python: Path, place: str, *arguments: str) -> tuple[int, str]:
    """Run a command in a directory of its own; return its exit code and what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPAN")}
    done = subprocess.run(
        [python, *arguments], cwd=work / place, env=kept, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


def succeeds(command: list[str]) -> bool:
    """Run a command that may fail, quietly."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
