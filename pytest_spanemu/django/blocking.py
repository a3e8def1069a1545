"""pytest-django's blocking of the database outside of tests that use it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import pytest


def allow_django_database(config: pytest.Config) -> AbstractContextManager[None]:
    """Return a context in which Django may use its database.

    pytest-django blocks the database outside of tests that use it, but the migrations of a schema
    source run before such a test.
    """
    plugin = config.pluginmanager.get_plugin("django")
    key = getattr(plugin, "blocking_manager_key", None)
    if key is None or key not in config.stash:
        return nullcontext()
    return config.stash[key].unblock()  # type: ignore[no-any-return]
