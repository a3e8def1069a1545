"""The start of the emulator before any conftest.py is imported, for `spanner_start = eager`.

A module that creates a Spanner client at import then finds an emulator, even if a conftest.py
imports the module. Without the setting, the import fails as on a machine without credentials; a
hint then names the setting.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from pytest_spanemu.run import install_run, run_of
from pytest_spanemu.setting_values import Start
from pytest_spanemu.settings import read_early_settings, read_start
from pytest_spanemu.targets.resource_names import EMULATOR_HOST

CLIENT = "google.cloud.spanner_v1"
# Base classes of the errors of a client without credentials, project or server.
NO_SERVER = frozenset(
    {
        ("google.auth.exceptions", "GoogleAuthError"),
        ("google.api_core.exceptions", "ServiceUnavailable"),
        ("google.api_core.exceptions", "DeadlineExceeded"),
        ("google.api_core.exceptions", "RetryError"),
    }
)
NO_PROJECT = "Project was not passed"
HINT = (
    "spanner: the error occurred during an import, before the emulator of the tests started. If a "
    "module creates a Spanner client when it is imported, set `spanner_start = eager` in pytest's "
    "ini file (or pass --spanner-start=eager): the emulator then starts before any conftest.py is "
    f"imported, and {EMULATOR_HOST} holds its address."
)


def start_before_conftests(config: pytest.Config) -> None:
    """Start the emulator for `spanner_start = eager`. Raises pytest.UsageError.

    The settings come from the command line, the environment and the ini file, before conftest.py
    files add anything.
    """
    known = config.known_args_namespace
    if known.help or known.version or read_start(config) is not Start.EAGER:
        return
    run = install_run(config, read_early_settings(config))
    try:
        run.start_eagerly()
    except pytest.fail.Exception as problem:
        raise pytest.UsageError(str(problem)) from None


def hint_for(config: pytest.Config, error: BaseException | None) -> str | None:
    """Return the hint for an import that failed without a server, None for other errors."""
    if CLIENT not in sys.modules or not any(map(_lacks_server, _chain(error))):
        return None
    settings = run_of(config).settings
    return HINT if settings.start is Start.LAZY and settings.host is None else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, the error that pytest has wrapped, and the errors that caused it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        wrapped = getattr(error, "cause", None)  # of pytest's ConftestImportFailure
        following = wrapped if isinstance(wrapped, BaseException) else None
        error = following or error.__cause__ or error.__context__


def _lacks_server(error: BaseException) -> bool:
    classes = {(each.__module__, each.__name__) for each in type(error).__mro__}
    return bool(classes & NO_SERVER) or (isinstance(error, OSError) and NO_PROJECT in str(error))
