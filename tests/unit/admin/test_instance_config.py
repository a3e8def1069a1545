"""Published configurations, and those that users base on them."""

import threading
from collections import Counter

import pytest

from spanemu.admin import errors
from spanemu.admin.instance_config import ConfigSpec, Edition, InstanceConfigs
from spanemu.admin.published_configs import Replica, ReplicaKind

PREFIX = "projects/p/instanceConfigs/"
READ_WRITE, READ_ONLY, WITNESS = ReplicaKind


@pytest.fixture
def configs():
    return InstanceConfigs({"emulator-config": "Emulator Instance Config"}, threading.RLock())


@pytest.fixture
def create(configs):
    def run(base, replicas, **changes):
        spec = ConfigSpec(base=PREFIX + base, replicas=tuple(replicas), **changes)
        return configs.create("projects/p", "custom-one", spec, validate_only=False)

    return run


def test_only_configurations_of_the_emulator_have_unknown_replicas(configs):
    config = configs.get(PREFIX + "emulator-config")
    assert config.replicas == config.optional_replicas == ()
    assert config.leaders is None
    assert config.least_edition == Edition.UNSPECIFIED


def test_a_user_managed_configuration_extends_its_base(configs, create):
    base = configs.get(PREFIX + "nam7")
    plain = [Replica(each.location, each.kind) for each in base.replicas]
    config = create("nam7", [*plain, base.optional_replicas[0]])
    assert Counter(config.replicas) == Counter([*base.replicas, base.optional_replicas[0]])
    assert (config.quorum, config.leader_options) == (base.quorum, base.leader_options)
    assert config.least_edition == Edition.ENTERPRISE_PLUS
    assert not config.offers_free_instances


def test_an_optional_replica_is_offered_as_often_as_the_base_lists_it(configs, create):
    base = configs.get(PREFIX + "eur6")
    twice = Replica("us-east1", READ_ONLY)
    with pytest.raises(errors.ConfigBaseRefused):
        create("eur6", [*base.replicas, *[twice] * 3])
    assert create("eur6", [*base.replicas, *[twice] * 2]).least_edition == Edition.ENTERPRISE_PLUS


@pytest.mark.parametrize(
    ("base", "changed", "leaders"),
    [
        ("nam3", lambda base: base.replicas, ()),
        ("nam3", lambda base: base.replicas[1:] + base.optional_replicas, ()),
        ("nam3", lambda base: (*base.replicas, Replica("us-east4", READ_ONLY)), ()),
        ("nam3", lambda base: (*base.replicas, Replica("us-west2", WITNESS)), ()),
        ("nam3", lambda base: base.replicas + base.optional_replicas, ("us-central1",)),
        ("regional-us-west4", lambda base: (*base.replicas, Replica("us-west1", READ_ONLY)), ()),
    ],
)
def test_replicas_that_do_not_extend_the_base(configs, create, base, changed, leaders):
    replicas = changed(configs.get(PREFIX + base))
    with pytest.raises(errors.ConfigBaseRefused) as caught:
        create(base, replicas, leader_options=leaders)
    assert caught.value.base == PREFIX + base


def test_a_dual_region_configuration_cannot_be_extended(configs, create):
    base = configs.get(PREFIX + "dual-region-japan1")
    with pytest.raises(errors.ConfigBaseRefused) as caught:
        create("dual-region-japan1", [*base.replicas, Replica("us-west1", READ_ONLY)])
    assert "dual-region" in caught.value.reason


def test_the_configuration_of_an_emulator_is_a_base_for_any_replicas(create):
    config = create("emulator-config", [], leader_options=("europe-west1",))
    assert config.replicas == ()
    assert config.leaders == ("europe-west1",)
    assert config.least_edition == Edition.ENTERPRISE
