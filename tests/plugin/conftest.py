"""Runs of somebody else's suite. They share this process, except where that would hide something:
what is imported when, workers, what becomes of the process.
"""

import os
import pkgutil
import sys
from importlib import import_module

import faker
import google.cloud.spanner_dbapi
import pytest

import pytest_spanemu
import spanemu
from spanemu.base.lazy_import import run

# pytester forgets what a run has imported. Protocol buffers do not bear being imported twice, and
# a module that is imported at a later run must know the same classes as the modules before.
SHARED = (
    faker,
    google.cloud.spanner_dbapi,
    *(
        run(import_module(module.name))
        for package in (pytest_spanemu, spanemu)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if not module.name.endswith("__main__")
    ),
)

# Plugins that come with packages of the tests. Each process, and each worker of xdist, would import
# them: a quarter of the processor time of a small suite.
UNNEEDED = ("-p", "no:faker", "-p", "no:anyio", "-p", "no:hypothesispytest")

SCHEMA = """
CREATE TABLE Singers (
  SingerId INT64 NOT NULL,
  Name STRING(100) NOT NULL,
) PRIMARY KEY (SingerId);
CREATE TABLE Albums (
  SingerId INT64 NOT NULL,
  AlbumId INT64 NOT NULL,
  Title STRING(MAX),
) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
CREATE UNIQUE INDEX AlbumsByTitle ON Albums (Title);
"""


@pytest.fixture
def project(pytester, monkeypatch):
    """Return a project's directory. `project.run(text, ...)` runs a test file in it."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    for name in (
        "SPANNER_EMULATOR_HOST", "SPANEMU_TARGET", "SPANEMU_ISOLATION", "SPANEMU_SEED",
        "GITHUB_STEP_SUMMARY", "GOOGLE_CLOUD_PROJECT", "SPANNER_PROJECT_ID",
        "SPANNER_INSTANCE_ID", "SPANNER_DATABASE_ID",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    return Project(pytester)


class Project:
    """Files, and runs of pytest over them."""

    def __init__(self, pytester):
        self._pytester = pytester
        self.path = pytester.path

    def file(self, name, text):
        """Write a file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def ini(self, text):
        """Write settings."""
        self.file("pytest.ini", f"[pytest]\n{text}")

    def run(self, text, *args):
        """Run one test file."""
        return self.run_keeping(text, "-p", "no:cacheprovider", *args)

    def run_keeping(self, text, *args):
        """Run one test file with pytest's cache."""
        self._pytester.makepyfile(text)
        return self._pytester.runpytest_inprocess("-W", "error", *args)

    def run_apart(self, text, *args):
        """Run one test file in a process of its own, where the plugin loads by its entry point."""
        self._pytester.makepyfile(text)
        return self._pytester.runpytest_subprocess("-W", "error", *UNNEEDED, *args)


@pytest.fixture
def music(project):
    """Return a project with a schema where the plugin looks for one."""
    project.file("schema.sql", SCHEMA)
    return project
