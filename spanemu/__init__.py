"""A Cloud Spanner emulator for tests, in this process or as a server.

    import spanemu

    with spanemu.Emulator() as emulator:
        shop = emulator.create_database("shop", schema="schema.sql")
        with shop.client().snapshot() as snapshot: ...

In reading order: `emulator` (what runs here), `remote` (what runs elsewhere), `handle` (what both
have in common), `config`, `schema_source`, `endpoint`, `client`; below them the packages
`frontend`, `database`, `ddl`, `txn`, `sql`, `stats`, `storage`, `schema`, `values`, `base`.

Importing this module costs nothing; the first use of a name brings in what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanemu.base.errors import Code, SpannerError, Unsupported
    from spanemu.config import EmulatorConfig, InvalidConfig
    from spanemu.emulator import EmbeddedDatabase, Emulator
    from spanemu.endpoint import Endpoint
    from spanemu.frontend.errors import PortTaken
    from spanemu.handle import DatabaseHandle, EmulatorHandle
    from spanemu.remote import RemoteDatabase, RemoteEmulator, StartFailed
    from spanemu.schema_source import SchemaRejected

__version__ = "0.1.0"

__all__ = [
    "Code",
    "DatabaseHandle",
    "EmbeddedDatabase",
    "Emulator",
    "EmulatorConfig",
    "EmulatorHandle",
    "Endpoint",
    "InvalidConfig",
    "PortTaken",
    "RemoteDatabase",
    "RemoteEmulator",
    "SchemaRejected",
    "SpannerError",
    "StartFailed",
    "Unsupported",
    "__version__",
]

# The module that each public name comes from, imported when the name is first used.
_HOMES = {
    "Code": "spanemu.base.errors",
    "DatabaseHandle": "spanemu.handle",
    "EmbeddedDatabase": "spanemu.emulator",
    "Emulator": "spanemu.emulator",
    "EmulatorConfig": "spanemu.config",
    "EmulatorHandle": "spanemu.handle",
    "Endpoint": "spanemu.endpoint",
    "InvalidConfig": "spanemu.config",
    "PortTaken": "spanemu.frontend.errors",
    "RemoteDatabase": "spanemu.remote",
    "RemoteEmulator": "spanemu.remote",
    "SchemaRejected": "spanemu.schema_source",
    "SpannerError": "spanemu.base.errors",
    "StartFailed": "spanemu.remote",
    "Unsupported": "spanemu.base.errors",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
