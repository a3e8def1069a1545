"""The control operations that an emulator serves to other processes."""

from __future__ import annotations

import spanemu
from spanemu.api.running import OPERATIONS
from spanemu.rest.control import route_of


def test_the_operations_are_known_before_their_modules() -> None:
    with spanemu.Emulator() as emulator:
        assert sorted(emulator._control()) == sorted(OPERATIONS)


def test_each_operation_has_its_own_path() -> None:
    with spanemu.Emulator() as emulator:
        routes = [route_of(*declared) for declared in emulator._control().declared]
    assert len({(route.http_method, route.path) for route in routes}) == len(routes)
