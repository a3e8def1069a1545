"""The table of published configurations keeps the rules of Spanner's documentation."""

from collections import Counter

import pytest

from spanemu.admin.published_configs import QuorumType, ReplicaKind, published_configs

READ_WRITE, READ_ONLY, WITNESS = ReplicaKind


def kinds(config):
    return Counter(replica.kind for replica in config.replicas)


@pytest.mark.parametrize("name", published_configs())
def test_every_configuration_has_a_majority_and_one_default_leader(name):
    config = published_configs()[name]
    voters = [each for each in config.replicas if each.kind != READ_ONLY]
    assert len(voters) == {QuorumType.REGION: 3, QuorumType.DUAL_REGION: 6}.get(config.quorum, 5)
    (leader,) = [each for each in config.replicas if each.default_leader_location]
    assert leader.kind == READ_WRITE
    assert leader == config.replicas[0]
    assert list(config.leader_options) == sorted(set(config.leader_options))
    if config.quorum == QuorumType.REGION:
        assert config.leader_options == ()
    else:
        assert leader.location in config.leader_options
        assert not config.offers_free_instances


@pytest.mark.parametrize("name", published_configs())
def test_optional_replicas_are_outside_of_the_configuration(name):
    config = published_configs()[name]
    assert {each.kind for each in config.optional_replicas} <= {READ_ONLY}
    own = {each.location for each in config.replicas}
    assert own.isdisjoint(each.location for each in config.optional_replicas)


def test_the_three_types_look_as_gcloud_describes_them():
    regional = published_configs()["regional-asia-northeast1"]
    assert (regional.display_name, regional.quorum) == ("asia-northeast1", QuorumType.REGION)
    assert regional.offers_free_instances
    assert [each.location for each in regional.replicas] == ["asia-northeast1"] * 3

    dual = published_configs()["dual-region-australia1"]
    assert dual.display_name == "Australia Dual Region"
    assert kinds(dual) == {READ_WRITE: 4, WITNESS: 2}

    multi = published_configs()["nam-eur-asia1"]
    assert kinds(multi) == {READ_WRITE: 4, READ_ONLY: 4, WITNESS: 1}
    assert multi.leader_options == ("us-central1", "us-central2")
    assert multi.replicas[-1].location == "us-east1"
    assert published_configs()["eur6"].leader_options == ("europe-west3", "europe-west4")
