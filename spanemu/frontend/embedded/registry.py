"""The addresses served in this process, and the hook by which clients reach them.

While at least one address is registered, `grpc.insecure_channel` and `grpc.aio.insecure_channel`
are replaced by functions that return an embedded channel for a registered address and pass every
other target on. Unregistering the last address restores the original functions, unless other code
has wrapped the replacements meanwhile: they then stay in the wrappers, and pass every target on.

A forked child has a private copy of the emulator, so it forgets all addresses: its new clients
reach the parent through the real port, and calls of inherited clients fail with that explanation.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import Any
from weakref import WeakSet

import grpc
import grpc.aio

from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.embedded import aio_channel
from spanemu.frontend.embedded.channel import ChannelState, EmbeddedChannel, FindEndpoints
from spanemu.frontend.embedded.status import FORKED, STOPPED

_SCHEMES = ("dns:///", "passthrough:///", "dns:", "ipv4:", "ipv6:")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "0.0.0.0"})


def canonical(target: str) -> str:
    """Return one spelling for all targets that reach the same port of this machine by IPv4."""
    for scheme in _SCHEMES:
        if target.startswith(scheme):
            target = target.removeprefix(scheme)
            break
    host, _, port = target.rpartition(":")
    return f"127.0.0.1:{port}" if host.lower() in _LOOPBACK else target


class EmbeddedRegistry:
    """The addresses served in this process. Registries may be nested, one for each emulator."""

    def __init__(self) -> None:
        self._mutex = RLock()  # Guards every field below, and the attributes of `grpc`.
        self._endpoints: dict[str, Endpoints] = {}
        self._states: dict[str, WeakSet[ChannelState]] = {}
        self._restore: Callable[[], None] | None = None
        _registries.add(self)

    def register(self, address: str, endpoints: Endpoints) -> None:
        """Serve clients of this process that open a channel to `address` ("host:port")."""
        address = canonical(address)
        with self._mutex:
            if address in self._endpoints:
                raise ValueError(f"{address} is registered already")
            self._endpoints[address] = endpoints
            if self._restore is None:
                self._restore = self._install()

    def unregister(self, address: str) -> None:
        """Stop serving `address`; calls in progress and later calls end with `STOPPED`."""
        address = canonical(address)
        with self._mutex:
            if self._endpoints.pop(address, None) is None:
                return
            states = list(self._states.get(address, ()))
            # Channels live as long as their clients: those of other addresses may be collected.
            self._states = {key: live for key, live in self._states.items() if live}
            if not self._endpoints and self._restore is not None:
                self._restore()
                self._restore = None
        for state in states:
            state.interrupt(STOPPED)

    def find(self, address: str) -> Endpoints | None:
        """Return the endpoints at a canonical address, or None."""
        return self._endpoints.get(address)

    def _install(self) -> Callable[[], None]:
        real, real_aio = grpc.insecure_channel, grpc.aio.insecure_channel

        def insecure_channel(target: str, options: Any = None, compression: Any = None) -> Any:
            find = self._finder(target)
            if find is None:
                return real(target, options, compression)
            channel = EmbeddedChannel(find, options or ())
            self._track(target, channel.state)
            return channel

        def aio_insecure_channel(
            target: str, options: Any = None, compression: Any = None, interceptors: Any = None
        ) -> Any:
            find = self._finder(target)
            if find is None:
                return real_aio(target, options, compression, interceptors)
            channel = aio_channel.AioEmbeddedChannel(find, options or (), interceptors or ())
            self._track(target, channel.state)
            return channel

        def restore() -> None:
            if grpc.insecure_channel is insecure_channel:
                grpc.insecure_channel = real
            if grpc.aio.insecure_channel is aio_insecure_channel:
                grpc.aio.insecure_channel = real_aio

        grpc.insecure_channel = insecure_channel
        grpc.aio.insecure_channel = aio_insecure_channel
        return restore

    def _finder(self, target: str) -> FindEndpoints | None:
        address = canonical(target)
        return partial(self._endpoints.get, address) if address in self._endpoints else None

    def _track(self, target: str, state: ChannelState) -> None:
        with self._mutex:
            self._states.setdefault(canonical(target), WeakSet()).add(state)

    def forget_all(self) -> None:
        """Stop serving all addresses, in a process that was just forked."""
        self._mutex = RLock()  # Another thread of the parent may have held the former lock.
        self._endpoints.clear()
        for states in self._states.values():
            for state in states:
                state.refusal = FORKED
        if self._restore is not None:
            self._restore()
            self._restore = None


_registries: WeakSet[EmbeddedRegistry] = WeakSet()


def _forget_all() -> None:
    for registry in list(_registries):
        registry.forget_all()


if hasattr(os, "register_at_fork"):  # Windows cannot fork.
    os.register_at_fork(after_in_child=_forget_all)
