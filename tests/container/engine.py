"""A command `docker` for machines without an engine, which runs the image as a folder.

It knows what the pages type: `build`, `run`, `exec`, `stop`, `tag` and `push`. A container has the
network and the files of its machine, so ports are published as they are and a volume is a link.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from tests.container.image import Image
from tests.pages.environments import ROOT

_SCRIPT = """\
#!{python}
import sys
sys.path.insert(0, {root!r})
from tests.container.engine import main
sys.exit(main({facts!r}, sys.argv[1:]))
"""


def provide_docker(image: Image, folder: Path) -> None:
    """Write the command into a folder."""
    facts = folder / "image.json"
    facts.write_text(
        json.dumps({"root": str(image.root), "environ": image.environ, "command": image.command}),
        encoding="utf-8",
    )
    script = folder / "docker"
    script.write_text(_SCRIPT.format(python=sys.executable, root=str(ROOT), facts=str(facts)))
    script.chmod(0o755)


def main(facts: str, arguments: list[str]) -> int:
    """Run a command line of docker; return its exit code."""
    engine = _Engine(Path(facts))
    given = _parser().parse_args(arguments)
    command = {"run": engine.run, "exec": engine.execute, "stop": engine.stop}
    return command[given.verb](given) if given.verb in command else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="docker")
    verbs = parser.add_subparsers(dest="verb", required=True)
    build = verbs.add_parser("build")
    build.add_argument("-f", type=Path, required=True)
    build.add_argument("-t", required=True)
    build.add_argument("context")
    run = verbs.add_parser("run")
    for flag in ("--detach", "--rm"):
        run.add_argument(flag, action="store_true")
    run.add_argument("--name", default="spanner")
    run.add_argument("-p", action="append")
    run.add_argument("-e", action="append", default=[])
    run.add_argument("-v", action="append", default=[])
    run.add_argument("image")
    execute = verbs.add_parser("exec")
    execute.add_argument("--interactive", action="store_true")
    execute.add_argument("name")
    for item in (run, execute):
        item.add_argument("command", nargs=argparse.REMAINDER)
    verbs.add_parser("stop").add_argument("name")
    for verb in ("tag", "push"):
        verbs.add_parser(verb).add_argument("names", nargs="+")
    return parser


class _Engine:
    """The containers of an image, each known by a file with its process and its variables."""

    def __init__(self, facts: Path) -> None:
        self._folder = facts.parent
        image = json.loads(facts.read_text(encoding="utf-8"))
        self._root = Path(image["root"])
        self._environ: dict[str, str] = image["environ"]
        self._command: list[str] = image["command"]

    def run(self, given: argparse.Namespace) -> int:
        for source, target in (each.split(":")[:2] for each in given.v):
            inside = self._root / target.lstrip("/")
            inside.rmdir()
            inside.symlink_to(Path(source).resolve())
        environ = self._environ | dict(each.split("=", 1) for each in given.e)
        command = given.command or self._command
        if not given.detach:
            os.chdir(self._root)
            os.execvpe(command[0], command, environ)
        with (self._folder / f"{given.name}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self._root,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._file(given.name).write_text(json.dumps([process.pid, environ]), encoding="utf-8")
        return 0

    def execute(self, given: argparse.Namespace) -> int:
        _, environ = self._container(given.name)
        return subprocess.run(
            given.command,
            cwd=self._root,
            env=environ,
            stdin=None if given.interactive else subprocess.DEVNULL,
            check=False,
        ).returncode

    def stop(self, given: argparse.Namespace) -> int:
        number, _ = self._container(given.name)
        ended = os.pidfd_open(number)
        os.kill(number, signal.SIGTERM)
        select.select([ended], [], [])
        return 0

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _container(self, name: str) -> tuple[int, dict[str, str]]:
        number, environ = json.loads(self._file(name).read_text(encoding="utf-8"))
        return number, environ
