"""Waits that are counted, in the ways of the servers that have a thread for each."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import grpc
import pytest

import spanemu
from spanemu.base.call import Call
from spanemu.base.clock import monotonic
from spanemu.frontend.embedded import aio_calls
from spanemu.frontend.errors import TooManyWaiting
from spanemu.frontend.waits import Waits
from spanemu.rest.api import RestCall
from spanemu.rest.exchange import Request

SECONDS = 60.0


def test_a_wait_beyond_the_limit_is_refused() -> None:
    waits = Waits(1)
    signal = waits.signal(Call())
    waiting = threading.Thread(target=signal.wait, daemon=True)
    waiting.start()
    end = monotonic() + SECONDS
    while not waits.count:
        assert monotonic() < end
    with pytest.raises(TooManyWaiting, match="1 requests wait for locks, rows or time"):
        waits.signal(Call()).wait()
    signal.set()
    waiting.join(SECONDS)
    assert waits.count == 0
    assert not waits.signal(Call()).wait(0)


def test_requests_of_rest_are_counted() -> None:
    full = Waits(0)
    call = RestCall("/s.S/Wait", Request("GET", "/", waits=full))
    with pytest.raises(TooManyWaiting):
        call.signal().wait(1)
    assert not RestCall("/s.S/Wait", Request("GET", "/")).signal().wait(0)


def test_calls_of_asyncio_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aio_calls, "_waits", Waits(0))

    async def delayed(emulator: spanemu.Emulator) -> Any:
        async with grpc.aio.insecure_channel(emulator.uri) as channel:
            path = "/google.spanner.admin.instance.v1.InstanceAdmin/ListInstances"
            return await channel.unary_unary(path)(b"\n\nprojects/p")

    with spanemu.Emulator() as emulator:
        emulator.faults.delay("ListInstances", 1)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            asyncio.run(delayed(emulator))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
