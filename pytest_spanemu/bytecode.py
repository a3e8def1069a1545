"""Bytecode that the workers of xdist share, where nothing has been compiled yet.

uv and Poetry install packages without bytecode, so that in a new container each worker would
compile pytest, the official client and the emulator for itself, all at the same time: two seconds
of processor time each. The controller compiles these modules once instead, on all processors,
before it starts the workers.

Bytecode goes to its usual place, and stays. With `PYTHONDONTWRITEBYTECODE` it goes to a temporary
directory, which the workers of this run read, and which is removed at the end.

Compiled is what the controller has imported, what a test with a database imports first, and what
these modules import in lines that are not indented: searching their text takes a tenth of the time
of compiling it. A module that this misses is compiled by the workers, as all would be otherwise.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import cache_from_source
from pathlib import Path

import spanemu

PREFIX_VARIABLE = "PYTHONPYCACHEPREFIX"
# The client, what it imports in indented lines, and what spanemu imports when it is first used.
FIRST_IMPORTS = (
    "google.cloud.spanner",
    "google.cloud.monitoring_v3",
    "opentelemetry.sdk.metrics",
    "pytest_spanemu.databases.allocation",
    "pytest_spanemu.databases.templates",
    "pytest_spanemu.targets.target",
    "spanemu.api.embedded",
    "spanemu.api.running",
    "spanemu.database.database",
    "spanemu.frontend.embedded.channel",
    "xdist.remote",
)
# If one of these has no bytecode, the workers would compile most of what they import.
_SIGNS = ("google.cloud.spanner_v1", "spanemu.database")
_IMPORT = re.compile(
    r"^(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]+))", re.M
)
PROCESSES_MAX = 8  # A container sees all processors of its machine, and may use few.
IMPORTS_AT = 16_384  # the characters of a file at whose start imports are looked for
_COMMENT = re.compile(r"#.*")
_NAME = re.compile(r"([\w.]+)(?:\s+as\s+\w+)?")

# Python's loader writes the bytecode of what it compiles. A file may be meant for another version.
_COMPILE = """
import sys
from importlib.machinery import SourceFileLoader

sys.stdin.reconfigure(encoding="utf-8")
for path in sys.stdin.read().splitlines():
    try:
        SourceFileLoader("module", path).get_code("module")
    except (SyntaxError, ValueError, OSError):
        pass
"""


@contextmanager
def shared_bytecode() -> Iterator[Mapping[str, str]]:
    """Compile what the workers import, if it has no bytecode; yield variables for the workers."""
    is_private = sys.dont_write_bytecode
    if not _lack_bytecode(_SIGNS) or (is_private and not _lack_bytecode(["_pytest.config"])):
        yield {}
        return
    files = modules_imported_by([*sys.modules, *FIRST_IMPORTS]).values()
    if not is_private:
        _compile(sorted(filter(_can_be_written, files)), sys.pycache_prefix)
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="spanemu-bytecode-") as directory:
        _compile(sorted(files), directory)
        yield {PREFIX_VARIABLE: directory}


def modules_imported_by(names: Iterable[str]) -> dict[str, str]:
    """Return the files, by name, of modules and of all that they import without indentation."""
    sources = _SourceFiles()
    files: dict[str, str] = {}
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        package = name.rpartition(".")[0]
        if package:
            waiting.append(package)
        if (file := sources.of(name)) is not None:
            files[name] = file
            is_package = file.endswith("__init__.py")
            waiting += _imports(Path(file), name if is_package else package)
    return files


def _imports(file: Path, package: str) -> Iterator[str]:
    """Yield what a file may import: of `from x import y`, both x and x.y."""
    try:
        with file.open(encoding="utf-8", errors="replace") as source_file:
            text = source_file.read(IMPORTS_AT)
    except OSError:  # It may not be read.
        return
    for dots, source, imported, modules in _IMPORT.findall(text):
        if modules:
            yield from _names(modules)
            continue
        above = package.split(".")[: len(package.split(".")) - len(dots) + 1] if dots else []
        module = ".".join([*above, *filter(None, [source])])
        yield module
        yield from (f"{module}.{name}" for name in _names(imported))


def _names(text: str) -> Iterator[str]:
    """Yield the names of "a, b as c"."""
    return (match[1] for match in _NAME.finditer(_COMMENT.sub("", text)))


class _SourceFiles:
    """The source files of modules, found without importing their packages."""

    def __init__(self) -> None:
        own = str(Path(spanemu.__file__).parents[1])  # not in the path of editable installations
        self._directories = {"": list(dict.fromkeys([own, *filter(os.path.isdir, sys.path)]))}

    def of(self, module: str) -> str | None:
        """Return the source file of a module, None for what is no module."""
        package, _, name = module.rpartition(".")
        for directory in self._directories_of(package):
            for ending in (f"{os.sep}__init__.py", ".py"):
                if os.path.isfile(file := f"{directory}{os.sep}{name}{ending}"):
                    return file
        return None

    def _directories_of(self, package: str) -> list[str]:
        """Return the directories of a package: several, if it is a namespace."""
        directories = self._directories.get(package)
        if directories is None:
            above, _, name = package.rpartition(".")
            inside = (f"{directory}{os.sep}{name}" for directory in self._directories_of(above))
            directories = self._directories[package] = list(filter(os.path.isdir, inside))
        return directories


def _lack_bytecode(names: Sequence[str]) -> bool:
    """Return whether one of the modules has no bytecode; False for modules that do not exist."""
    files = filter(None, map(_SourceFiles().of, names))
    return any(not os.path.exists(cache_from_source(file)) for file in files)


def _can_be_written(file: str) -> bool:
    """Return whether a file lacks bytecode, and its directory accepts it."""
    bytecode = cache_from_source(file)
    place = Path(sys.pycache_prefix or os.path.dirname(file))
    return not os.path.exists(bytecode) and (not place.exists() or os.access(place, os.W_OK))


def _compile(files: Sequence[str], prefix: str | None) -> None:
    """Compile files, in as many processes as there are processors.

    `prefix` is the directory for bytecode, None to put it beside the files.
    """
    count = min(os.cpu_count() or 1, PROCESSES_MAX, len(files))
    options = ["-I", "-S", *["-O"] * sys.flags.optimize]
    if prefix is not None:
        options += ["-X", f"pycache_prefix={prefix}"]
    processes: list[subprocess.Popen[str]] = []
    try:
        with suppress(OSError):  # The workers compile what no process could be started for.
            for number in range(count):
                command = [sys.executable, *options, "-c", _COMPILE]
                process = subprocess.Popen(command, stdin=subprocess.PIPE, encoding="utf-8")
                processes.append(process)
                assert process.stdin is not None
                with process.stdin:
                    process.stdin.write("\n".join(files[number::count]))
        for process in processes:
            process.wait()
    finally:
        for process in processes:
            process.kill()
