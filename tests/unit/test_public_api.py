"""What `import spanemu` brings, and what it does not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import spanemu

HEAVY = ("google", "grpc", "faker", "sortedcontainers", "spanemu.api.embedded")


def loaded_after(statement):
    code = f"{statement}; from tests.loaded import modules_that_ran; print(*modules_that_ran())"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize(
    "statement", ["import spanemu", "import pytest_spanemu.plugin", "import spanemu.cli"]
)
def test_imports_are_cheap(statement, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    assert loaded_after(statement).isdisjoint(HEAVY)


def test_every_public_name_is_there():
    for name in spanemu.__all__:
        assert getattr(spanemu, name) is not None
    assert {*spanemu._HOMES, *spanemu._PACKAGES} == set(spanemu.__all__) - {"__version__"}
    assert dir(spanemu) == sorted(spanemu.__all__)
    with pytest.raises(AttributeError):
        spanemu.nonsense  # noqa: B018


FIRST_QUERY = """
import spanemu
with spanemu.Emulator() as emulator:
    database = emulator.create_database("shop", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
    with database.client().snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT K FROM T WHERE K = 1"))
"""
RARE = {
    "_sysconfigdata",
    "grpc_reflection.v1alpha",
    "opentelemetry.exporter",
    "re2",
    "spanemu.admin.backup_administration",
    "spanemu.api.tls",
    "spanemu.change_streams.tracking",
    "spanemu.control.injector",
    "spanemu.control.recorder",
    "spanemu.explorer.exploration",
    "spanemu.hotspots.detector",
    "spanemu.messages",
    "spanemu.models.registry",
    "spanemu.queues.follower",
    "spanemu.rest.server",
    "spanemu.sql.executor.operators.remote_call",
    "spanemu.sql.functions.conversion",
    "spanemu.sql.functions.json.functions",
    "spanemu.sql.functions.messages",
    "spanemu.sql.functions.operators",
    "spanemu.sql.functions.remote_calls",
    "spanemu.sql.functions.time.timestamp",
    "spanemu.sql.googlesql.analyzer.expressions.constructors",
    "spanemu.sql.googlesql.analyzer.queries.group_by",
    "spanemu.sql.googlesql.analyzer.queries.predictions",
    "spanemu.sql.planner.ordering",
    "spanemu.sql.planner.remote_calls",
    "spanemu.sql.postgresql.dialect",
    "spanemu.telemetry.observer",
    "spanemu.telemetry.tracing",
}


def test_the_first_query_imports_what_it_needs():
    loaded = loaded_after(f"exec({FIRST_QUERY!r})")
    assert not loaded & RARE
    assert sum(name.startswith("spanemu") for name in loaded) < 250


# What takes a start longer than its substitutes: `base.deferred` and `base.record`.
SLOW = re.compile(r"^\w+ = re\.compile|^from dataclasses import .*\bdataclass\b", re.MULTILINE)


def test_modules_of_the_first_query_compile_nothing_as_they_are_imported():
    root = Path(spanemu.__file__).parents[1]
    for name in loaded_after(f"exec({FIRST_QUERY!r})") - {"spanemu.base.record"}:
        path = root.joinpath(*name.split(".")).with_suffix(".py")
        if name.startswith("spanemu.") and path.exists():
            assert not SLOW.search(path.read_text("utf-8")), name
