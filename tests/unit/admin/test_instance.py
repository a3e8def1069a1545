"""The rules for an instance's fields."""

import pytest

from spanemu.admin.errors import (
    CapacityGivenTwice,
    InvalidDisplayName,
    InvalidNodeCount,
    InvalidProcessingUnits,
    InvalidUpdateMask,
    MissingField,
)
from spanemu.admin.instance import Instance, InstanceSpec, capacity, check_spec, updated
from spanemu.base.errors import Unsupported
from spanemu.base.resource_names import InvalidLabelKey

NAME = "projects/p/instances/i"
INSTANCE = Instance(NAME, "projects/p/instanceConfigs/c", "Display", 2000, {"a": "b"}, 1, 1)


@pytest.mark.parametrize(
    ("nodes", "units", "expected"),
    [(0, 0, 1000), (1, 0, 1000), (3, 0, 3000), (0, 100, 100), (0, 900, 900), (0, 2000, 2000)],
)
def test_capacity(nodes, units, expected):
    assert capacity(InstanceSpec(node_count=nodes, processing_units=units), NAME) == expected


@pytest.mark.parametrize("units", [-100, 1, 150, 1001, 1100, 2500])
def test_odd_processing_units_are_refused(units):
    with pytest.raises(InvalidProcessingUnits) as caught:
        capacity(InstanceSpec(processing_units=units), NAME)
    assert caught.value.processing_units == units


def test_capacity_takes_nodes_or_processing_units():
    with pytest.raises(CapacityGivenTwice):
        capacity(InstanceSpec(node_count=1, processing_units=1000), NAME)
    for nodes in (-1, 2**31 - 1):
        with pytest.raises(InvalidNodeCount):
            capacity(InstanceSpec(node_count=nodes), NAME)


def test_less_than_a_node_has_no_nodes():
    assert (
        updated(INSTANCE, InstanceSpec(processing_units=500), ("processing_units",)).node_count == 0
    )


def test_a_spec_is_checked():
    check_spec(InstanceSpec(display_name="i"), NAME)  # clients repeat the id
    check_spec(InstanceSpec(), NAME)
    with pytest.raises(InvalidDisplayName):
        check_spec(InstanceSpec(display_name="abc", config="nam3"), NAME)
    with pytest.raises(InvalidDisplayName):
        check_spec(InstanceSpec(display_name="x" * 31, config="nam3"), NAME)
    with pytest.raises(InvalidLabelKey):
        check_spec(InstanceSpec(labels={"A": "b"}), NAME)
    with pytest.raises(Unsupported) as caught:
        check_spec(InstanceSpec(unsupported={"autoscaling_config": "Autoscaling"}), NAME)
    assert caught.value.feature == "Autoscaling"


def test_an_update_changes_the_fields_of_the_mask():
    spec = InstanceSpec(
        config=INSTANCE.config, display_name="Other", node_count=5, labels={"x": "y"}, edition=2
    )
    assert updated(INSTANCE, spec, ("display_name",)).labels == {"a": "b"}
    changed = updated(INSTANCE, spec, ("config", "node_count", "labels", "edition"))
    assert (changed.processing_units, changed.labels, changed.edition) == (5000, {"x": "y"}, 2)
    assert changed.display_name == "Display"


def test_an_update_refuses_immutable_fields():
    with pytest.raises(MissingField):
        updated(INSTANCE, InstanceSpec(), ())
    for path in ("name", "state", "create_time", "nonsense", "labels.a"):
        with pytest.raises(InvalidUpdateMask) as caught:
            updated(INSTANCE, InstanceSpec(), (path,))
        assert caught.value.path == path
    with pytest.raises(InvalidUpdateMask):
        updated(INSTANCE, InstanceSpec(config="projects/p/instanceConfigs/other"), ("config",))
    with pytest.raises(CapacityGivenTwice):
        updated(INSTANCE, InstanceSpec(), ("node_count", "processing_units"))
    with pytest.raises(InvalidNodeCount):
        updated(INSTANCE, InstanceSpec(), ("node_count",))
    scaled = InstanceSpec(unsupported={"autoscaling_config": "Autoscaling"})
    with pytest.raises(Unsupported):
        updated(INSTANCE, scaled, ("autoscaling_config.autoscaling_limits",))
    updated(INSTANCE, scaled, ("labels",))  # what the mask leaves out does not matter
