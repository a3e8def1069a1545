"""Settings for every test."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator

import pytest
from hypothesis import HealthCheck, settings

from spanemu.base.process import placement

# A busy machine is slow, not wrong: examples have no deadline, and none is too slow to draw. Each
# run draws the same examples, so that a failure is due to the change that is tested; further ones
# are for those who look for them (`pytest --hypothesis-profile=explore`).
for name, same_examples in (("spanemu", True), ("explore", False)):
    settings.register_profile(
        name,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
        derandomize=same_examples,
    )
settings.load_profile("spanemu")

TESTS_BETWEEN_FREEZES = 250

# Many tests start a Python of their own. Each would compile the emulator anew, which takes seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(autouse=True)
def environment_kept() -> Iterator[None]:
    """Fail a test that leaves an emulator's address behind: later tests would call a dead port.

    Fail one that binds the process to a CPU as well, on which later tests would run.
    """
    before = os.environ.get("SPANNER_EMULATOR_HOST")
    yield
    assert os.environ.get("SPANNER_EMULATOR_HOST") == before
    assert not placement.is_bound


@pytest.fixture
def untuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a server that begins in the process of the tests from tuning it."""
    for name in ("allow_descriptors", "heed_limits", "keep_to_one_cpu", "share_one_arena"):
        monkeypatch.setattr(f"spanemu.cli.process.{name}", lambda: None)


class FrozenHeap:
    """Exempts from garbage collections what stays until the end of the run.

    The tests, their modules and what these import are a million objects. A full collection visits
    each of them, and took a fifth of the time of all tests.
    """

    def __init__(self) -> None:
        self._tests = 0  # since the last freeze

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Collect the tests without garbage collections, and freeze them with what they import."""
        gc.disable()
        try:
            return (yield)
        finally:
            gc.enable()
            self._freeze()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        """Freeze what has been imported or remembered since, when the fixtures of a file end."""
        self._tests += 1
        is_last = nextitem is not None and nextitem.path != item.path
        if is_last and self._tests >= TESTS_BETWEEN_FREEZES:
            self._freeze()

    def _freeze(self) -> None:
        self._tests = 0
        gc.collect()
        gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugin that freezes the heap."""
    config.pluginmanager.register(FrozenHeap())
