"""What the ids of Google-managed configurations tell of their replicas."""

import threading

import pytest

from spanemu.admin.instance_config import (
    InstanceConfigs,
    ReplicaKind,
    base_replicas,
    optional_replicas,
)

OFFERED = {name: name for name in ("emulator-config", "regional-us-east1", "nam3")}


def test_a_regional_configuration_has_three_replicas_and_offers_more():
    configs = InstanceConfigs(OFFERED, threading.RLock())
    found = configs.get("projects/p/instanceConfigs/regional-us-east1")
    assert [(one.location, one.kind) for one in found.replicas] == [
        ("us-east1", ReplicaKind.READ_WRITE)
    ] * 3
    assert [one.default_leader_location for one in found.replicas] == [True, False, False]
    assert found.leader_options == ("us-east1",)
    assert found.optional_replicas
    assert {one.kind for one in found.optional_replicas} == {ReplicaKind.READ_ONLY}
    assert "us-east1" not in {one.location for one in found.optional_replicas}


@pytest.mark.parametrize("config", ["emulator-config", "nam3"])
def test_of_others_nothing_is_said(config):
    assert base_replicas(config) == optional_replicas(config) == ()


def test_a_region_without_optional_ones_offers_none():
    assert len(base_replicas("regional-us-west4")) == 3
    assert optional_replicas("regional-us-west4") == ()
