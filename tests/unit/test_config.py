"""Settings that make no sense are refused where they are given."""

import pytest

from spanemu.config import EmulatorConfig, HostPort, InvalidConfig


@pytest.mark.parametrize(
    ("text", "host", "port", "loopback"),
    [
        ("localhost:9010", "localhost", 9010, True),
        ("127.0.0.1:0", "127.0.0.1", 0, True),
        ("127.1.2.3:1", "127.1.2.3", 1, True),
        ("[::1]:65535", "::1", 65535, True),
        ("0.0.0.0:9010", "0.0.0.0", 9010, False),
        ("[::]:9010", "::", 9010, False),
        ("example.com:9010", "example.com", 9010, False),
    ],
)
def test_addresses(text, host, port, loopback):
    address = HostPort.parse(text)
    assert (address.host, address.port, address.is_loopback) == (host, port, loopback)
    assert str(address) == text


def test_an_unknown_grpc_server():
    with pytest.raises(InvalidConfig, match="h2, grpcio"):
        EmulatorConfig(grpc_server="other")


@pytest.mark.parametrize("freeze", [True, False, "auto"])
def test_objects_are_frozen_always_never_or_automatically(freeze):
    assert EmulatorConfig(gc_freeze=freeze).gc_freeze is freeze


@pytest.mark.parametrize("freeze", ["on", None, 2])
def test_an_unknown_way_to_freeze_objects(freeze):
    with pytest.raises(InvalidConfig, match="gc_freeze must be True, False or 'auto'"):
        EmulatorConfig(gc_freeze=freeze)


def test_clients_connect_to_localhost_for_all_addresses():
    assert str(HostPort.parse("0.0.0.0:1").reachable) == "localhost:1"
    assert str(HostPort.parse("[::]:1").reachable) == "localhost:1"
    assert str(HostPort.parse("10.0.0.1:1").reachable) == "10.0.0.1:1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        ":9010",
        "localhost:",
        "localhost:x",
        "localhost:-1",
        "localhost:65536",
        "::1:9010",
        "localhost:9010 ",
        "localhost:٣",
        "http://localhost:9010",
        "localhost/x:9010",
    ],
)
def test_malformed_addresses_are_refused(text):
    with pytest.raises(InvalidConfig):
        HostPort.parse(text)


def test_a_url_is_not_taken_for_an_ipv6_address():
    with pytest.raises(InvalidConfig, match="HOST:PORT"):
        HostPort.parse("http://localhost:9010")


@pytest.mark.parametrize(
    "changes",
    [
        {"host_port": "nonsense"},
        {"project": ""},
        {"project": "a/b"},
        {"instance": "I"},
        {"instance_configs": {}},
        {"databases_per_instance_max": -1},
        {"version_retention_seconds": 0},
        {"version_retention_seconds": float("inf")},
        {"version_retention_seconds": float("nan")},
        {"partition_churn_seconds": 0},
        {"partition_churn_seconds": float("nan")},
    ],
)
def test_invalid_settings_are_refused(changes):
    with pytest.raises(InvalidConfig):
        EmulatorConfig(**changes)


def test_the_default_configuration_is_valid():
    config = EmulatorConfig()
    assert (config.project, config.instance) == ("emulator-project", "emulator-instance")
    assert config.databases_per_instance_max == 100
