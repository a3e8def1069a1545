"""Between JSON and messages, as the protobuf runtime makes one of the other.

JSON that is no message is refused with the path of the field.
"""

from __future__ import annotations

import json
from math import inf, nan
from random import Random

import pytest
from google.protobuf import json_format
from google.protobuf.any_pb2 import Any
from google.rpc.status_pb2 import Status

from spanemu.frontend import wire
from spanemu.frontend import wire as admin
from spanemu.frontend.services import SERVICES
from spanemu.rest.errors import InvalidPayload
from spanemu.rest.json_messages import fill, text_of
from spanemu.rest.json_texts import parsed
from tests.fuzz.mutation import fill as fill_at_random

RESPONSES = {
    method.response.DESCRIPTOR.full_name: method.response
    for service in SERVICES
    for method in service.methods
}


def plain(message, **options):
    return json.loads(text_of(message, **options))


@pytest.mark.parametrize("name", sorted(RESPONSES))
@pytest.mark.parametrize("numbers", [False, True], ids=["names", "numbers"])
def test_the_protobuf_runtime_reads_the_same_message(name, numbers):
    for seed in range(5):
        message = RESPONSES[name]()
        fill_at_random(Random(f"{name}{seed}"), message)
        try:
            expected = json_format.MessageToDict(message, use_integers_for_enums=numbers)
        except (json_format.Error, ValueError, TypeError):
            continue  # A NaN in a Value, an Any without a type: no JSON says it.
        assert plain(message, enum_numbers=numbers) == expected


def test_cells_are_written_as_spanner_writes_them():
    row = wire.ListValue()
    row.extend(["5", None, True, 1.0, 1.5, 1e300, [], ['é"\n\u2028']])
    assert text_of(row) == '["5",null,true,1,1.5,1e+300,[],["é\\"\\n\u2028"]]'


@pytest.mark.parametrize(("value", "text"), [(nan, "NaN"), (inf, "Infinity"), (-inf, "-Infinity")])
def test_numbers_that_json_lacks_are_text(value, text):
    assert plain(wire.Value(number_value=value)) == text


def test_defaults_are_left_out_and_long_integers_are_text():
    assert plain(wire.CommitResponse()) == {}
    response = wire.CommitResponse(commit_stats={"mutation_count": 3})
    assert plain(response) == {"commitStats": {"mutationCount": "3"}}


def test_enums_are_names_or_numbers():
    kind = wire.Type(code=2)
    assert plain(kind) == {"code": "INT64"}
    assert plain(kind, enum_numbers=True) == {"code": 2}
    assert plain(wire.Type(code=99)) == {"code": 99}


def test_a_message_in_an_any_has_its_type():
    operation = admin.Operation(name="o", done=True)
    operation.metadata.Pack(admin.CreateDatabaseMetadata(database="d"))
    operation.response.Pack(wire.Empty())
    url = "type.googleapis.com/google"
    assert plain(operation) == {
        "name": "o",
        "metadata": {
            "@type": f"{url}.spanner.admin.database.v1.CreateDatabaseMetadata",
            "database": "d",
        },
        "done": True,
        "response": {"@type": f"{url}.protobuf.Empty"},
    }


def test_messages_of_unknown_types_keep_their_bytes():
    status = Status(details=[Any(type_url="x/unknown.Type", value=b"\x01"), Any()])
    assert plain(status) == {"details": [{"@type": "x/unknown.Type", "value": "AQ=="}, {}]}
    timed = Any()
    timed.Pack(wire.Duration(seconds=1))
    assert plain(timed)["value"] == "1s"


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
def test_accepted_forms_of_values(content, expected):
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
def test_mismatching_values_are_refused_with_their_field(content, field):
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
def test_malformed_json_is_refused(text):
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
