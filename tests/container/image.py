"""The file system of the container image in an empty folder, made as docs/container/Dockerfile says.

Where no container engine runs, the command lines of the image run in this folder: it has the files
that the last stage copies and the folders that it makes. The environment that the first stage
installs has links to the packages of this one, those that pip would install there and no others.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.pages.environments import create, install

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "docs" / "container" / "Dockerfile"
ENVIRONMENT = "opt/spanemu"
_INSTALLED = re.compile(r'pip install [^"]*"/source(\[[\w,]*\])"')


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield (word, arguments) of each instruction of a Dockerfile."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            word, _, arguments = line.strip().partition(" ")
            yield word.upper(), arguments.strip()


class Image:
    """The last stage of the Dockerfile, whose root is `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        steps = list(instructions(DOCKERFILE.read_text(encoding="utf-8")))
        last = max(number for number, (word, _) in enumerate(steps) if word == "FROM")
        self.steps = steps[last + 1 :]
        self.environ: dict[str, str] = {}
        self._install(steps[:last])
        for word, arguments in self.steps:
            if word == "COPY":
                self._copy(shlex.split(arguments))
            elif word == "RUN":
                self._make_folders(arguments)
            elif word == "ENV":
                self._set(shlex.split(arguments))

    def arguments(self, word: str) -> str | None:
        """Return the arguments of an instruction, None if the stage does not have it."""
        return next((arguments for each, arguments in self.steps if each == word), None)

    @property
    def command(self) -> list[str]:
        """The command that the image runs by default."""
        return list(json.loads(self.arguments("CMD") or "[]"))

    @property
    def health_check(self) -> list[str]:
        """The command by which an engine asks for the health."""
        return list(json.loads((self.arguments("HEALTHCHECK") or "").partition("CMD ")[2]))

    def run(self, command: Sequence[str], **variables: str) -> subprocess.Popen[str]:
        """Start a command as a container does: its working directory and its environment."""
        return subprocess.Popen(
            command,
            cwd=self.root,
            env={**self.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
        )

    def which(self, name: str) -> str:
        """Return the path of a command that the image finds on its PATH."""
        path = shutil.which(name, path=self.environ["PATH"])
        assert path is not None
        return path

    def _install(self, steps: Iterable[tuple[str, str]]) -> None:
        """Install what the first stage installs, by links to the packages of this environment."""
        (wanted,) = (match[1] for _, arguments in steps if (match := _INSTALLED.search(arguments)))
        install(create(self.root / ENVIRONMENT), [f"spanemu{wanted}"])

    def _copy(self, arguments: list[str]) -> None:
        *sources, target = (each for each in arguments if not each.startswith("--"))
        if arguments[0].startswith("--from="):
            assert sources == [f"/{ENVIRONMENT}"], "the environment is all that is built"
            return
        for source in sources:
            shutil.copy(ROOT / source, self.root / target.lstrip("/"))

    def _make_folders(self, script: str) -> None:
        words = shlex.split(script.partition("&&")[0])
        assert words[:2] == ["mkdir", "-p"]
        for folder in words[2:]:
            (self.root / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def _set(self, assignments: list[str]) -> None:
        for name, value in (assignment.split("=", 1) for assignment in assignments):
            self.environ[name] = os.pathsep.join(map(self._placed, value.split(":")))

    def _placed(self, path: str) -> str:
        """Return a path of the image below the root; those of the base image stay."""
        is_own = (self.root / path.lstrip("/").split("/")[0]).exists()
        return str(self.root / path.lstrip("/")) if path.startswith("/") and is_own else path
