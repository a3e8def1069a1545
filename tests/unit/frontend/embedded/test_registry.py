from __future__ import annotations

from collections.abc import Iterator

import grpc
import grpc.aio
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from spanemu.frontend.dispatch import Endpoints, Method, Service
from spanemu.frontend.embedded import EmbeddedRegistry
from spanemu.frontend.embedded.channel import EmbeddedChannel
from spanemu.frontend.embedded.registry import canonical

ADDRESS = "127.0.0.1:4"
PATH = "/s.S/Echo"


def endpoints(mark: str = "") -> Endpoints:
    def echo(_world, request):
        return StringValue(value=mark + request.value)

    return Endpoints((Service("s.S", (Method("Echo", StringValue, StringValue, echo),)),), None)


@pytest.fixture
def registry() -> Iterator[EmbeddedRegistry]:
    registry = EmbeddedRegistry()
    yield registry
    registry.forget_all()


def echo(channel: grpc.Channel) -> str:
    call = channel.unary_unary(PATH, StringValue.SerializeToString, StringValue.FromString)
    return str(call(StringValue(value="x")).value)


@pytest.mark.parametrize(
    "target",
    [
        "localhost:4",
        "LOCALHOST:4",
        "127.0.0.1:4",
        "0.0.0.0:4",
        "dns:///localhost:4",
        "dns:127.0.0.1:4",
        "ipv4:127.0.0.1:4",
        "passthrough:///127.0.0.1:4",
    ],
)
def test_spellings(registry: EmbeddedRegistry, target: str) -> None:
    registry.register("localhost:4", endpoints())
    assert isinstance(grpc.insecure_channel(target), EmbeddedChannel)
    assert echo(grpc.insecure_channel(target=target)) == "x"


@pytest.mark.parametrize(
    "target", ["localhost:40", "[::1]:4", "example.test:4", "unix:/tmp/4", "4"]
)
def test_other_targets_are_real(registry: EmbeddedRegistry, target: str) -> None:
    registry.register(ADDRESS, endpoints())
    with grpc.insecure_channel(target) as channel:
        assert not isinstance(channel, EmbeddedChannel)


def test_canonical_leaves_odd_targets_alone() -> None:
    assert canonical("unix:/tmp/s") == "unix:/tmp/s"
    assert canonical("[::1]:4") == "[::1]:4"


def test_the_hook_exists_while_something_is_registered() -> None:
    registry = EmbeddedRegistry()
    before = grpc.insecure_channel, grpc.aio.insecure_channel
    registry.register("127.0.0.1:4", endpoints())
    registry.register("127.0.0.1:5", endpoints())
    assert grpc.insecure_channel is not before[0]
    registry.unregister("127.0.0.1:4")
    assert grpc.insecure_channel is not before[0]
    registry.unregister("localhost:5")
    registry.unregister("localhost:5")
    assert (grpc.insecure_channel, grpc.aio.insecure_channel) == before


def test_an_address_is_registered_once(registry: EmbeddedRegistry) -> None:
    registry.register(ADDRESS, endpoints())
    with pytest.raises(ValueError, match="registered already"):
        registry.register("localhost:4", endpoints())


def test_registries_nest() -> None:
    before = grpc.insecure_channel
    outer, inner = EmbeddedRegistry(), EmbeddedRegistry()
    outer.register("localhost:4", endpoints("outer "))
    inner.register("localhost:5", endpoints("inner "))
    assert echo(grpc.insecure_channel("localhost:4")) == "outer x"
    assert echo(grpc.insecure_channel("localhost:5")) == "inner x"
    inner.unregister("localhost:5")
    outer.unregister("localhost:4")
    assert grpc.insecure_channel is before


def test_a_wrapper_of_other_code_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    real = grpc.insecure_channel
    registry = EmbeddedRegistry()
    registry.register(ADDRESS, endpoints())
    ours = grpc.insecure_channel

    def theirs(target: str) -> grpc.Channel:
        return ours(target)

    monkeypatch.setattr(grpc, "insecure_channel", theirs)
    registry.unregister(ADDRESS)
    assert grpc.insecure_channel is theirs
    with grpc.insecure_channel(ADDRESS) as channel:
        assert not isinstance(channel, EmbeddedChannel)
    monkeypatch.setattr(grpc, "insecure_channel", real)


def test_channels_outlive_their_emulator(registry: EmbeddedRegistry) -> None:
    registry.register(ADDRESS, endpoints("first "))
    channel = grpc.insecure_channel(ADDRESS)
    assert echo(channel) == "first x"
    registry.unregister(ADDRESS)
    with pytest.raises(grpc.RpcError) as caught:
        echo(channel)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION  # clients do not retry it
    registry.register(ADDRESS, endpoints("second "))
    assert echo(channel) == "second x"


def test_a_forked_child_serves_no_address(registry: EmbeddedRegistry) -> None:
    before = grpc.insecure_channel
    registry.register(ADDRESS, endpoints())
    inherited = grpc.insecure_channel(ADDRESS)
    registry.forget_all()
    assert grpc.insecure_channel is before
    assert registry.find(ADDRESS) is None
    with pytest.raises(grpc.RpcError) as caught:
        echo(inherited)
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION  # or clients try for ever


def test_call_credentials_need_security(registry: EmbeddedRegistry) -> None:
    registry.register(ADDRESS, endpoints())
    credentials = grpc.access_token_call_credentials("secret")
    call = grpc.insecure_channel(ADDRESS).unary_unary(PATH)
    with pytest.raises(grpc.RpcError) as caught:
        call(b"", credentials=credentials)
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_failures_hold_no_reference_to_the_server(registry: EmbeddedRegistry) -> None:
    registry.register(ADDRESS, endpoints())
    call = grpc.insecure_channel(ADDRESS).unary_unary(PATH)
    with pytest.raises(grpc.RpcError) as caught:
        call(b"\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.__context__ is None
