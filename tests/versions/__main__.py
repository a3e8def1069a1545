"""Run the tour, the smoke tests and the examples with the versions that pyproject.toml names.

python -m tests.versions lowest     the lowest versions of what spanemu needs, on this Python
python -m tests.versions newest     the newest versions, on the newest Python that is installed
python -m tests.versions            both
python -m tests.versions wheels     whether pip needs a compiler on any system: two minutes

Exits with 0 when everything passes. The tests themselves run on this Python, so that `newest` has
nothing to do where no newer one is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from tests.versions import interpreters
from tests.versions.bounds import EXTRAS, TOOLS, pins

ROOT = Path(__file__).parents[2]
PYPROJECT = ROOT / "pyproject.toml"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
# Where pip needs no compiler: more than what is tested.
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
REPORTS = ("-n", "2", "--html=all.html", "--spanner-report=html:spanner.html")


def main(names: list[str]) -> int:
    """Return 0 when every command succeeds, 1 if one fails, 2 for an unknown name."""
    if unknown := set(names) - SETS.keys():
        print(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(SETS)}")
        return 2
    return max([SETS[name]() for name in names or ("lowest", "newest")])


def project() -> dict[str, Any]:
    """Return the project's metadata."""
    metadata = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    found: dict[str, Any] = metadata["project"]
    return found


def lowest() -> int:
    """Check the lowest versions that are admitted, on this Python."""
    lines = [f"{name}=={version}" for name, version in pins(project()).items()]
    return checked("lowest versions", Path(sys.executable), lines)


def newest() -> int:
    """Check the newest versions on the newest Python; return 0 if there is none but this one."""
    found = interpreters.newest(interpreters.named_versions(project()))
    if found is None or found[0] == "{}.{}".format(*sys.version_info):
        print("newest Python: this one, on which the tests run")
        return 0
    return checked(f"Python {found[0]}", found[1], [])


def wheels() -> int:
    """Check that pip finds a wheel of all that spanemu needs, whatever the system."""
    with tempfile.TemporaryDirectory(prefix="versions-") as directory:
        python = environment(Path(directory), Path(sys.executable))
        uv = uv_of(python)
        if uv is None or not succeeds([*uv, "pip", "compile", "-q", str(PYPROJECT)]):
            print("wheels: not looked for, because uv cannot be installed or reaches no index")
            return 1
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            ended = list(pool.map(partial(_has_wheels, uv), product(PYTHONS, SYSTEMS)))
    lacking = [f"Python {version} on {system}" for version, system, has_all in ended if not has_all]
    print(f"wheels: {'missing for ' + ', '.join(lacking) if lacking else 'passed'}", flush=True)
    return int(bool(lacking))


def _has_wheels(uv: list[str], target: tuple[str, str]) -> tuple[str, str, bool]:
    version, system = target
    chosen = ["--only-binary", ":all:", "--python-version", version, "--python-platform", system]
    command = [*uv, "pip", "compile", "-q", *chosen, str(PYPROJECT)]
    return version, system, succeeds(command)


SETS: dict[str, Callable[[], int]] = {"lowest": lowest, "newest": newest, "wheels": wheels}


def checked(title: str, python: Path, constraints: list[str]) -> int:
    """Return 0 when every command succeeds in a new environment of `python`, else 1."""
    with tempfile.TemporaryDirectory(prefix="versions-") as directory:
        work = Path(directory)
        python = installed(work, python, constraints)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            running = {
                name: pool.submit(ran, work, python, *rest) for name, *rest in commands(work)
            }
        ended = {name: future.result() for name, future in running.items()}
    for name, (code, output) in ended.items():
        print(f"{title}, {name}: {'passed' if code == 0 else output}", flush=True)
    return int(any(code for code, _ in ended.values()))


def installed(work: Path, base: Path, constraints: list[str]) -> Path:
    """Return the Python of a new environment that has spanemu, its extras and the tools."""
    python = environment(work, base)
    constrained = work / "constraints.txt"
    constrained.write_text("\n".join(constraints), encoding="utf-8")
    expected = ["-q", "-c", str(constrained), f"{ROOT}[{','.join(EXTRAS)}]", *TOOLS]
    # uv needs a third of pip's time. It knows no settings of pip, such as an index or a certificate.
    uv = uv_of(python)
    by_uv = ["pip", "install", "--compile-bytecode", "--python", str(python)]
    if uv is None or not succeeds([*uv, *by_uv, *expected]):
        subprocess.run([*pip_of(python), *expected], check=True)
    return python


def environment(work: Path, base: Path) -> Path:
    """Return the Python of a new environment."""
    subprocess.run([base, "-m", "venv", work / "env"], check=True)
    return work / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"


def pip_of(python: Path) -> list[str]:
    """Return the command that installs packages in an environment."""
    return [str(python), "-m", "pip", "install", "--disable-pip-version-check"]


def uv_of(python: Path) -> list[str] | None:
    """Install uv in an environment and return its command, None if it cannot be had."""
    return [str(python), "-m", "uv"] if succeeds([*pip_of(python), "-q", "uv"]) else None


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


def ran(work: Path, python: Path, location: str, *arguments: str) -> tuple[int, str]:
    """Run a command in a directory of its own; return its exit code and what it printed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPAN")}
    done = subprocess.run(
        [python, *arguments], cwd=work / location, env=kept, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


def succeeds(command: list[str]) -> bool:
    """Run a command that may fail, quietly."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
