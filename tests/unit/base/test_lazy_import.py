"""Modules that run when they are first used, though import statements name them."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import spanemu
from spanemu.base.lazy_import import LazyFinder, LazyModule
from spanemu.lazy_modules import LAZY_MODULES

COUNTED = """
import sys
sys.modules["journal_of_runs"].runs += 1

LIMIT = 7

class Refused(Exception): ...

def double(number):
    return 2 * number
"""
FAILING = """
import sys
before = 1
if sys.modules["journal_of_runs"].fails:
    raise RuntimeError("not yet")
"""
SLOW = """
import sys
begun = True
sys.modules["journal_of_runs"].entered.set()
sys.modules["journal_of_runs"].leave.wait()
ended = True
"""


class Journal(ModuleType):
    """A record of the runs of a test's modules."""

    runs = 0
    fails = True
    entered: threading.Event
    leave: threading.Event


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    """Return a journal, beside a package `drawer` of lazy modules on the path."""
    package = tmp_path / "drawer"
    package.mkdir()
    texts = {"__init__": "", "counted": COUNTED, "failing": FAILING, "slow": SLOW}
    for name, text in texts.items():
        (package / f"{name}.py").write_text(text)
    journal = Journal("journal_of_runs")
    journal.entered, journal.leave = threading.Event(), threading.Event()
    monkeypatch.setitem(sys.modules, "journal_of_runs", journal)
    monkeypatch.syspath_prepend(tmp_path)
    names = {"drawer.counted", "drawer.failing", "drawer.slow"}
    monkeypatch.setattr(sys, "meta_path", [LazyFinder(names), *sys.meta_path])
    yield journal
    for name in ["drawer", *names]:
        sys.modules.pop(name, None)


def test_a_module_runs_once_when_an_attribute_is_read(journal: Journal) -> None:
    from drawer import counted  # type: ignore[import-not-found]

    assert journal.runs == 0
    assert counted.double(4) == 8
    assert counted.LIMIT == 7
    assert journal.runs == 1
    assert type(counted) is ModuleType
    assert importlib.import_module("drawer.counted") is counted
    assert sys.modules["drawer"].counted is counted


def test_reading_module_metadata_does_not_run_a_lazy_module(journal: Journal) -> None:
    from drawer import counted

    file = counted.__file__
    assert file is not None
    assert file.endswith("counted.py")
    assert (counted.__name__, counted.__package__) == ("drawer.counted", "drawer")
    assert counted.__spec__.origin == file
    assert not hasattr(counted, "__path__")
    assert not hasattr(counted, "__warningregistry__")
    assert inspect.getmodule(test_reading_module_metadata_does_not_run_a_lazy_module) is not counted
    assert "double" not in dir(counted)
    assert find_spec("drawer.counted") is counted.__spec__
    assert journal.runs == 0


def test_classes_of_a_lazy_module_can_be_caught_and_asked_for(journal: Journal) -> None:
    from drawer import counted

    with pytest.raises(counted.Refused):
        raise counted.Refused
    assert isinstance(counted.Refused(), counted.Refused)


def test_an_attribute_that_was_set_before_a_module_runs_is_kept(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    from drawer import counted

    monkeypatch.setattr("drawer.counted.LIMIT", 9)
    assert (counted.LIMIT, journal.runs) == (9, 1)
    monkeypatch.undo()
    assert counted.LIMIT == 7


def test_a_missing_attribute_is_an_error_of_the_module(journal: Journal) -> None:
    from drawer import counted

    with pytest.raises(AttributeError, match=r"'drawer\.counted' has no attribute 'treble'"):
        _ = counted.treble


def test_a_module_that_fails_runs_again_at_the_next_use(journal: Journal) -> None:
    from drawer import failing

    with pytest.raises(RuntimeError, match="not yet"):
        _ = failing.before
    assert type(failing) is LazyModule
    journal.fails = False
    assert failing.before == 1


def test_other_threads_wait_for_the_end_of_a_run(journal: Journal) -> None:
    from drawer import slow

    read: list[object] = []
    first = threading.Thread(target=lambda: read.append(slow.begun))
    first.start()
    assert journal.entered.wait(60)
    second = threading.Thread(target=lambda: read.append(slow.ended))
    second.start()
    assert read == []
    journal.leave.set()
    first.join(60)
    second.join(60)
    assert read == [True, True]


def test_a_reload_runs_the_module_again(journal: Journal) -> None:
    from drawer import counted

    assert counted.LIMIT == 7
    importlib.reload(counted)
    assert journal.runs == 2


def test_the_source_of_a_lazy_module_can_be_read(journal: Journal) -> None:
    from drawer import counted

    assert inspect.getsource(counted) == COUNTED
    assert journal.runs == 0


class Chained(Loader):
    """A loader in front of another, as import hooks of tracers put it."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self.inner.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        self.inner.exec_module(module)


class ChainedFinder(MetaPathFinder):
    """The first finder of the process, whose loader wraps the loaders of all others."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for finder in sys.meta_path:
            spec = finder.find_spec(fullname, path) if finder is not self else None
            if spec is not None:
                spec.loader = Chained(spec.loader)
                return spec
        return None


def test_a_module_is_lazy_behind_an_import_hook(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "meta_path", [ChainedFinder(), *sys.meta_path])
    from drawer import counted

    assert journal.runs == 0
    assert counted.double(4) == 8
    assert (journal.runs, type(counted)) == (1, ModuleType)


def test_every_module_of_the_table_exists() -> None:
    root = Path(spanemu.__file__).parents[1]
    missing = {
        name
        for name in LAZY_MODULES
        if not root.joinpath(*name.split(".")).with_suffix(".py").is_file()
        and not root.joinpath(*name.split("."), "__init__.py").is_file()
    }
    assert not missing


def test_a_command_line_runs_a_lazy_module() -> None:
    command = [sys.executable, "-c", "from spanemu.base import suggestions; print(suggestions)"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "spanemu.base.suggestions" in printed


def test_a_lazy_package_binds_a_name_to_more_than_its_submodule(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "press"
    package.mkdir()
    (package / "__init__.py").write_text("from press.stamp import stamp")
    (package / "stamp.py").write_text("def stamp(): return 'stamped'")
    (package / "ink.py").write_text("from press import stamp as module")
    monkeypatch.setattr(sys, "meta_path", [LazyFinder({"press"}), *sys.meta_path])
    try:
        import press  # type: ignore[import-not-found]
        import press.stamp
        from press import ink

        assert press.stamp() == "stamped"
        assert press.ink is ink
        assert sys.modules["press.stamp"].stamp is press.stamp
    finally:
        for name in ("press", "press.stamp", "press.ink"):
            sys.modules.pop(name, None)


def test_the_linter_runs_whichever_of_its_modules_was_imported_before() -> None:
    text = "from spanemu import lint; import spanemu.lint.formats; print(lint.run.__name__)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "run\n"
