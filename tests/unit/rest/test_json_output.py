"""Messages become JSON from which the protobuf runtime reads the same message."""

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
from spanemu.rest.json_output import text_of
from tests.fuzz.mutation import fill

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
        fill(Random(f"{name}{seed}"), message)
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
