"""A Cloud Spanner emulator for tests, in this process or as a server.

    import spanemu

    with spanemu.Emulator() as emulator:
        shop = emulator.create_database("shop", schema="schema.sql")
        with shop.client().snapshot() as snapshot: ...

In reading order: `api` (the handles of an emulator and its databases), `config`, `schema_source`;
below them the packages `interchange`, `telemetry`, `explorer`, `control`, `console`, `rest`,
`http2`, `frontend`, `admin`, `database`, `ddl`, `txn`, `sql`, `hotspots`, `change_streams`,
`queues`, `models`, `storage`, `schema`, `values`, `base`, and the module `messages`. `lint` checks
schemas without data, `web` is what HTML pages share, and `cli` is the command.

Importing this module is cheap: a public name's module is imported when the name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spanemu.base.lazy_import import make_lazy
from spanemu.lazy_modules import LAZY_MODULES

if TYPE_CHECKING:
    from spanemu import models
    from spanemu.api.context import emulated
    from spanemu.api.embedded import EmbeddedDatabase, Emulator
    from spanemu.api.endpoint_file import Endpoint
    from spanemu.api.handles import DatabaseHandle, EmulatorHandle
    from spanemu.api.remote import RemoteDatabase, RemoteEmulator, StartFailed
    from spanemu.base.errors import Code, SpannerError, Unsupported
    from spanemu.base.limits import Limits
    from spanemu.config import EmulatorConfig, InvalidConfig
    from spanemu.control.clock import EmulatorClock
    from spanemu.control.faults import Fault, Faults
    from spanemu.frontend.errors import PortTaken
    from spanemu.schema.dialect import UnknownDialect
    from spanemu.schema_source import SchemaRejected, SchemaStatement, split_schema

make_lazy(LAZY_MODULES)

__version__ = "0.1.0"

__all__ = [
    "CannotListen",
    "Code",
    "DatabaseHandle",
    "EmbeddedDatabase",
    "Emulator",
    "EmulatorClock",
    "EmulatorConfig",
    "EmulatorHandle",
    "Endpoint",
    "Fault",
    "Faults",
    "InvalidConfig",
    "Limits",
    "PortTaken",
    "RemoteDatabase",
    "RemoteEmulator",
    "SchemaRejected",
    "SchemaStatement",
    "SpannerError",
    "StartFailed",
    "UnknownDialect",
    "Unsupported",
    "__version__",
    "emulated",
    "models",
    "split_schema",
]

# The module that defines each public name.
_HOMES = {
    "CannotListen": "spanemu.frontend.errors",
    "Code": "spanemu.base.errors",
    "DatabaseHandle": "spanemu.api.handles",
    "EmbeddedDatabase": "spanemu.api.embedded",
    "Emulator": "spanemu.api.embedded",
    "EmulatorClock": "spanemu.control.clock",
    "EmulatorConfig": "spanemu.config",
    "EmulatorHandle": "spanemu.api.handles",
    "Endpoint": "spanemu.api.endpoint_file",
    "Fault": "spanemu.control.faults",
    "Faults": "spanemu.control.faults",
    "InvalidConfig": "spanemu.config",
    "Limits": "spanemu.base.limits",
    "PortTaken": "spanemu.frontend.errors",
    "RemoteDatabase": "spanemu.api.remote",
    "RemoteEmulator": "spanemu.api.remote",
    "SchemaRejected": "spanemu.schema_source",
    "SchemaStatement": "spanemu.schema_source",
    "SpannerError": "spanemu.base.errors",
    "StartFailed": "spanemu.api.remote",
    "UnknownDialect": "spanemu.schema.dialect",
    "Unsupported": "spanemu.base.errors",
    "emulated": "spanemu.api.context",
    "split_schema": "spanemu.schema_source",
}

_PACKAGES = frozenset({"models"})  # that are public themselves


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value  # Replaces a submodule of the same name, which the import has set.
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
