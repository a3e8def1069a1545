"""Virtual environments whose `pip` takes packages from this environment instead of the network.

    python3 -m venv .venv                an environment without packages
    .venv/bin/pip install 'x[y]' ./z     x with its extra y, the project in ./z, and all they require

A package is installed by links to its files, so it takes no time; its commands are written anew. A
page that forgets to install something fails here as it fails for its readers.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
NOT_HERE = 77  # the exit code of `pip` for a package that this environment does not have

_PIP = """\
#!{python}
import sys
sys.path.insert(0, {root!r})
from tests.pages.environments import pip
sys.exit(pip({folder!r}, sys.argv[1:]))
"""
_PYTHON = """\
#!{python}
import os, sys
sys.path.insert(0, {root!r})
if sys.argv[1:3] == ["-m", "venv"]:
    from tests.pages.environments import create
    create(os.path.abspath(sys.argv[3]))
else:
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
"""
_COMMAND = """\
#!{python}
import sys
from {module} import {function}
sys.exit({attribute}())
"""


def create(folder: str | os.PathLike[str]) -> Path:
    """Create an environment that has no package, but a `pip`; return its folder."""
    path = Path(folder)
    venv.create(path, symlinks=True, with_pip=False)
    _write_script(path / "bin" / "pip", _PIP, folder=str(path))
    return path


def provide_python(folder: Path) -> None:
    """Write a command `python3` into a folder, whose module venv is this one."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_script(folder / "python3", _PYTHON)


@cache
def wheels() -> Path:
    """Return a folder with a wheel of this project, which stands for an index that has spanemu."""
    folder = Path(tempfile.mkdtemp(prefix="wheels-"))
    atexit.register(shutil.rmtree, folder)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT]
    subprocess.run(command, check=True)
    return folder


def pip(folder: str, arguments: list[str]) -> int:
    """Run `pip install`; return its exit code."""
    command, *expected = (each for each in arguments if not each.startswith("-"))
    assert command == "install"
    try:
        install(Path(folder), map(_named, expected))
    except PackageNotFoundError as missing:
        print(f"{missing.name}: not installed here", file=sys.stderr)
        return NOT_HERE
    return 0


def install(environment: Path, expected: Iterable[str]) -> None:
    """Install packages and all that they require. Raises PackageNotFoundError."""
    (packages,) = environment.glob("lib/python*/site-packages")
    for package in _with_requirements(expected):
        _link_files(package, packages)
        for entry in package.entry_points.select(group="console_scripts"):
            _write_script(
                environment / "bin" / entry.name,
                _COMMAND,
                python=environment / "bin" / "python",
                module=entry.module,
                function=entry.attr.partition(".")[0],
                attribute=entry.attr,
            )


def _named(argument: str) -> str:
    """Return a requirement by name, also that of a project's folder with extras."""
    path, bracket, extras = argument.partition("[")
    project = Path(path) / "pyproject.toml"
    if not path.startswith(("/", ".")):
        return argument
    name = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["name"]
    return f"{name}{bracket}{extras}"


def _with_requirements(expected: Iterable[str]) -> Iterator[Distribution]:
    """Yield the packages that requirements lead to, each once."""
    waiting = [(Requirement(each), "") for each in expected]
    done: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        package = distribution(requirement.name)
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras} - {extra for known, extra in done if known == name}:
            if not any(known == name for known, _ in done):
                yield package
            done.add((name, extra))
            waiting += [(Requirement(each), extra) for each in package.requires or ()]


def _link_files(package: Distribution, packages: Path) -> None:
    """Link to whole folders where no other package has files in them."""
    home = Path(str(package.locate_file("")))
    for first in {_unshared(home, file.parts) for file in package.files or ()}:
        target = packages / first
        if ".." not in first.parts and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(home / first)


def _unshared(home: Path, parts: tuple[str, ...]) -> Path:
    """Return the outermost folder of a file that is a regular package or metadata, or the file."""
    for length in range(1, len(parts)):
        folder = Path(*parts[:length])
        if folder.suffix == ".dist-info" or (home / folder / "__init__.py").exists():
            return folder
    return Path(*parts)


def _write_script(path: Path, text: str, **values: object) -> None:
    values = {"python": sys.executable, "root": str(ROOT), **values}
    path.write_text(text.format(**values), encoding="utf-8")
    path.chmod(0o755)
