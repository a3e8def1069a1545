"""JSON becomes the message that the protobuf runtime would make, or an error with the field."""

from __future__ import annotations

from random import Random

import pytest
from google.protobuf import json_format

from spanemu.frontend import wire
from spanemu.frontend import wire as admin
from spanemu.frontend.services import SERVICES
from spanemu.rest.errors import InvalidPayload
from spanemu.rest.json_input import fill, parsed
from tests.fuzz.mutation import fill as fill_at_random

REQUESTS = {
    method.request.DESCRIPTOR.full_name: method.request
    for service in SERVICES
    for method in service.methods
}


def made(kind, content):
    message = kind()
    fill(message, content)
    return message


@pytest.mark.parametrize("name", sorted(REQUESTS))
@pytest.mark.parametrize("snake", [False, True], ids=["camel", "snake"])
@pytest.mark.parametrize("numbers", [False, True], ids=["names", "numbers"])
def test_json_of_the_protobuf_runtime_is_read(name, snake, numbers):
    for seed in range(5):
        message = REQUESTS[name]()
        fill_at_random(Random(f"{name}{seed}"), message)
        try:
            content = json_format.MessageToDict(
                message, preserving_proto_field_name=snake, use_integers_for_enums=numbers
            )
        except (json_format.Error, ValueError):
            continue  # A NaN in a Value, or a time out of range: no JSON says it.
        expected = json_format.ParseDict(content, REQUESTS[name]())
        assert made(REQUESTS[name], content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"queryMode": "PLAN"}, {"query_mode": 1}),
        ({"query_mode": 1}, {"query_mode": 1}),
        ({"seqno": "5"}, {"seqno": 5}),
        ({"seqno": 5}, {"seqno": 5}),
        ({"seqno": 5.0}, {"seqno": 5}),
        ({"partitionToken": "-_8="}, {"partition_token": b"\xfb\xff"}),
        ({"partitionToken": "+/8"}, {"partition_token": b"\xfb\xff"}),
        ({"sql": None, "seqno": None}, {}),
        ({"params": {"a": None}}, {"params": {"a": None}}),
        ({"paramTypes": {"a": {"code": "INT64"}}}, {"param_types": {"a": {"code": 2}}}),
        ({"transaction": {"singleUse": {}}}, {"transaction": {"single_use": {}}}),
        (
            {"transaction": {"singleUse": {"readOnly": {"exactStaleness": "1.5s"}}}},
            {
                "transaction": {
                    "single_use": {
                        "read_only": {"exact_staleness": {"seconds": 1, "nanos": 500_000_000}}
                    }
                }
            },
        ),
    ],
)
def test_forms_that_are_accepted(content, expected):
    assert made(wire.ExecuteSqlRequest, content) == wire.ExecuteSqlRequest(**expected)


def test_renamed_fields_have_their_names_of_the_api():
    content = {"keySet": {"all": True}, "table": "T"}
    assert made(wire.ReadRequest, content) == wire.ReadRequest(table="T", key_set={"all_": True})


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("enable_drop_protection", ["enable_drop_protection"]),
        ("displayName,nodeCount", ["display_name", "node_count"]),
        ("autoscalingConfig.autoscalingLimits", ["autoscaling_config.autoscaling_limits"]),
        ("*", ["*"]),
        ("", []),
    ],
)
def test_field_masks_with_and_without_underscores(text, paths):
    mask = made(admin.UpdateDatabaseRequest, {"updateMask": text}).update_mask
    assert list(mask.paths) == paths


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ({"sqll": "x"}, ""),
        ({"transaction": {"beginn": {}}}, "transaction"),
        ({"paramTypes": {"a": {"cod": 1}}}, "param_types[a]"),
        ({"sql": 5}, "sql"),
        ({"sql": ["x"]}, "sql"),
        ({"sql": "\ud800"}, "sql"),
        ({"seqno": "five"}, "seqno"),
        ({"seqno": 2**63}, "seqno"),
        ({"seqno": 1.5}, "seqno"),
        ({"seqno": True}, "seqno"),
        ({"queryMode": "SLOW"}, "query_mode"),
        ({"partitionToken": "*"}, "partition_token"),
        ({"lastStatement": 1}, "last_statement"),
        ({"transaction": "x"}, "transaction"),
        ({"transaction": {"id": "", "begin": {}}}, "transaction"),
        ({"params": []}, "params"),
        ({"params": {"a": 10**400}}, "params.a"),
        ({"params": {"a": ["x", "\ud800"]}}, "params.a[1]"),
        ([], ""),
        ("x", ""),
        (
            {"transaction": {"singleUse": {"readOnly": {"readTimestamp": "yesterday"}}}},
            "transaction.single_use.read_only.read_timestamp",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_field(content, field):
    with pytest.raises(InvalidPayload) as caught:
        made(wire.ExecuteSqlRequest, content)
    assert caught.value.field == field
    assert caught.value.reason.encode()


def test_elements_of_lists_are_named():
    with pytest.raises(InvalidPayload) as caught:
        made(wire.ExecuteBatchDmlRequest, {"statements": [{}, {"sq": ""}]})
    assert caught.value.field == "statements[1]"
    with pytest.raises(InvalidPayload):
        made(wire.ExecuteBatchDmlRequest, {"statements": {}})


@pytest.mark.parametrize(
    "text", [b"{", b"\xff", b'{"a": NaN}', b"[" * 100_000, b"1" * 5_000, b"{} {}", b"'x'"]
)
def test_text_that_is_no_json_is_refused(text):
    with pytest.raises(InvalidPayload):
        parsed(text)


@pytest.mark.parametrize("text", [b"", b" \r\n", b"{}"])
def test_an_empty_body_is_an_empty_message(text):
    assert parsed(text) == {}


@pytest.mark.parametrize("name", ["params", "paramTypes"])
def test_messages_of_too_many_levels_are_refused(name):
    content = {}
    for _ in range(10_000):  # Tools such as Hypothesis raise Python's limit for a while.
        content = {"a": content} if name == "params" else {"arrayElementType": content}
    with pytest.raises(InvalidPayload):
        made(wire.ExecuteSqlRequest, {name: {"a": content}})
