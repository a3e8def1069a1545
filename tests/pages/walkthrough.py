"""Follows a page: saves its files and types its commands, in order, in one folder and one terminal.

A server that a page starts in the foreground runs in a second terminal; the next one replaces it,
as after Ctrl-C. A command that fails ends the walk. All of it is a single shell script, and where
the system permits that, it has a network of its own: pages name the ports 9010 and 9020.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from spanemu.api.remote import READY_LINE
from tests.pages.blocks import Block
from tests.pages.environments import NOT_HERE, provide_python, wheels

FOR_REAL = "SPANEMU_TEST_PAGES" in os.environ
SECONDS_MAX = 1800 if FOR_REAL else 240
in_time = pytest.mark.timeout(SECONDS_MAX + 60)  # for a page's test

_PRELUDE = """\
set -m  # A server in the second terminal is a group of processes of its own.
step() { at=$1; shift; printf '== %s: %s\\n' "$at" "$*"; }
done_with() { [ "$1" = 0 ] || { echo "== $at: exit code $1"; exit "$1"; }; }
save() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
stop_server() {
  [ -z "$server" ] || { kill -INT -- "-$server"; cat <&3; wait "$server"; server=; }
}
second_terminal() {
  stop_server
  rm -f "$PIPE" && mkfifo "$PIPE"
  bash -c "$1" >"$PIPE" 2>&1 &
  server=$!
  exec 3<"$PIPE"
  while IFS= read -r line <&3; do
    echo "$line"
    case $line in *"$READY"*) return 0 ;; esac
  done
  return 1
}
finish() { code=$?; trap '' EXIT; kill $(jobs -p) 2>/dev/null; wait; exit $code; }
server=
trap finish EXIT
trap 'exit 143' TERM
"""
_OWN_NETWORK = """\
import fcntl, os, socket, struct, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    flags = struct.pack("16sH14s", b"lo", 0x41, b"")  # IFF_UP | IFF_RUNNING
    fcntl.ioctl(any_socket, 0x8914, flags)  # SIOCSIFFLAGS
os.execvp(sys.argv[1], sys.argv[1:])
"""

_SERVES = re.compile(r"\bspanemu serve\b|\bdocker run (?!--detach)")


@cache
def own_network() -> tuple[str, ...] | None:
    """Return the words before a command that give it a network of its own, None if there are none."""
    isolated = ("unshare", "--net", "--map-root-user", "--pid", "--fork", "--kill-child")
    words = (*isolated, sys.executable, "-c", _OWN_NETWORK)
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return None
    tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    return words if tried.returncode == 0 else None


class Walkthrough:
    """A folder in which pages are followed, and the environment of its terminal."""

    def __init__(self, home: Path, folder: str = "project", **variables: str) -> None:
        self._home = home
        self.commands = home / "bin"  # the first folder of the PATH
        self.folder = home / folder
        self.folder.mkdir()
        self._environ = {**_environment(home), **variables}

    def follow(
        self,
        page: Iterable[Block],
        *,
        shown: Mapping[str, str] | None = None,
        fails: Collection[str] = (),
    ) -> str:
        """Do what the blocks say; return what the terminal printed.

        `shown` gives the reason for each block, by its beginning, with which nothing is done.
        `fails` has the commands of which the page says that they fail.
        """
        left_out = dict(shown or {})
        kept = [block for block in page if not _is_shown(block, left_out)]
        assert not left_out, f"no block begins like this: {left_out}"
        script = self._home / "script"
        script.write_text(
            _PRELUDE + "".join(_step(block, fails) for block in kept), encoding="utf-8"
        )
        printed = self._run(script)
        lines = printed.splitlines()
        missing = [line for block in kept for line in block.prints if line not in lines]
        assert not missing, f"not printed: {missing}, but:\n{printed}"
        return printed

    def _run(self, script: Path) -> str:
        network: tuple[str, ...] = ()
        if not FOR_REAL:
            if (result := own_network()) is None:
                pytest.skip("no network of its own here (unshare): set SPANEMU_TEST_PAGES")
            network = result
        with subprocess.Popen(
            [*network, "bash", str(script)],
            cwd=self.folder,
            env={**self._environ, "PIPE": str(self._home / "pipe"), "READY": READY_LINE},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as terminal:
            try:
                printed, _ = terminal.communicate(timeout=SECONDS_MAX)
            except subprocess.TimeoutExpired:
                # Nothing outlives the first process of a network of its own; a script cleans up.
                (terminal.kill if network else terminal.terminate)()
                printed, _ = terminal.communicate()
        if terminal.returncode == NOT_HERE:
            pytest.skip(printed.splitlines()[-2])
        assert terminal.returncode == 0, printed
        return printed


def _environment(home: Path) -> dict[str, str]:
    """Return the environment variables of a new terminal, without any installed package."""
    if FOR_REAL:
        own = Path(sys.executable).parent
        path = [each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != own]
        left_out = ("SPAN", "GOOGLE_", "PYTEST", "VIRTUAL_ENV")
        environ = {
            name: value for name, value in os.environ.items() if not name.startswith(left_out)
        }
        return {**environ, "PATH": os.pathsep.join(path), "PIP_FIND_LINKS": str(wheels())}
    provide_python(home / "bin")
    (home / "home").mkdir()
    return {"HOME": str(home / "home"), "PATH": f"{home / 'bin'}:/usr/bin:/bin", "LANG": "C.UTF-8"}


def _is_shown(block: Block, shown: dict[str, str]) -> bool:
    for beginning in shown:
        if block.text.startswith(beginning):
            del shown[beginning]
            return True
    return False


def _step(block: Block, fails: Collection[str]) -> str:
    return "".join(_lines(block, fails))


def _lines(block: Block, fails: Collection[str]) -> Iterator[str]:
    if block.file is not None:
        yield f"step {block.place} saves {shlex.quote(block.file)}\n"
        yield f"save {shlex.quote(block.file)} <<'END OF THE BLOCK'\n{block.text}END OF THE BLOCK\n"
        yield "done_with $?\n"
        return
    assert block.commands, f"{block.place}: is this a file, a command, or only shown?"
    for command in block.commands:
        if not command or command.startswith("#"):
            continue
        yield f"step {block.place} {shlex.quote(command)}\n"
        if command == "^C":
            yield "stop_server\n"
        elif _SERVES.search(command) and not command.rstrip().endswith("&"):
            yield f"second_terminal {shlex.quote(command)}\n"
        else:
            yield f"{'! ' * (command in fails)}{command}\n"
        yield "done_with $?\n"
