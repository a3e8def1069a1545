"""Control operations are for clients of this machine, unless others are allowed."""

from __future__ import annotations

import pytest

from spanemu.frontend.control import ControlRefused, control_access, host_of_peer


@pytest.mark.parametrize("peer", ["", "127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_may_control(peer: str) -> None:
    control_access(is_remote_allowed=False)(peer)


@pytest.mark.parametrize("peer", ["10.0.0.1", "::ffff:10.0.0.1", "fe80::1%eth0", "0.0.0.0", "x"])
def test_other_machines_may_control_only_if_allowed(peer: str) -> None:
    with pytest.raises(ControlRefused, match=peer):
        control_access(is_remote_allowed=False)(peer)
    control_access(is_remote_allowed=True)(peer)


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.0.0.1:50000", "10.0.0.1"),
        ("ipv6:%5B::1%5D:50000", "::1"),
        ("ipv6:[fe80::1%25eth0]:50000", "fe80::1%eth0"),
        ("unix:/run/spanemu.sock", ""),
    ],
)
def test_peers_of_grpc_contain_an_address(peer: str, host: str) -> None:
    assert host_of_peer(peer) == host
