"""Resources as messages."""

import pytest

from spanemu.admin.instance import InstanceSpec
from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.frontend import wire
from spanemu.frontend.admin.resources import retention_period, spec_from_proto


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3600, "1h"), (86_400, "1d"), (7 * 86_400, "7d"), (5400, "90m"), (3601, "3601s")],
)
def test_retention_periods(seconds, text):
    assert retention_period(seconds * NANOS_PER_SECOND) == text


def test_a_spec_has_the_fields_of_the_message():
    message = wire.Instance(name="n", config="c", node_count=2, labels={"a": "b"}, edition=3)
    assert spec_from_proto(message) == InstanceSpec(
        name="n", config="c", node_count=2, labels={"a": "b"}, edition=3
    )


def test_a_spec_lists_unsupported_features():
    message = wire.Instance(instance_type=wire.FREE_INSTANCE)
    assert set(spec_from_proto(message).unsupported) == {"instance_type"}
