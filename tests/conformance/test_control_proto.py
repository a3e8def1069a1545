"""control.proto, the declared operations and the JSON of REST describe the same operations."""

from __future__ import annotations

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

import spanemu
from spanemu.api.running import OPERATIONS
from spanemu.base.serialization import camel_case
from spanemu.frontend.typed_control import described, proto_text
from tests.conformance.control_proto import described as description_of
from tests.conformance.control_proto import page
from tests.installed import needs

SERVICE = "spanemu.control.v1.Control"
SCHEMA = "CREATE TABLE Stock (Sku STRING(10) NOT NULL, Qty INT64) PRIMARY KEY (Sku)"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator(embedded_channel=False) as running:
        yield running


def typed_service():
    """Return the service with its messages, as a client that compiled the file has them."""
    pool = descriptor_pool.DescriptorPool()
    for name in ("struct", "timestamp"):
        known = descriptor_pool.Default().FindFileByName(f"google/protobuf/{name}.proto")
        pool.AddSerializedFile(known.serialized_pb)
    pool.Add(described())
    return pool.FindServiceByName(SERVICE)


@pytest.fixture(scope="module")
def control(emulator):
    """Yield a function that performs an RPC with fields by name, and returns the reply."""
    service = typed_service()

    def perform(rpc, **fields):
        method = service.methods_by_name[rpc]
        request = message_factory.GetMessageClass(method.input_type)
        response = message_factory.GetMessageClass(method.output_type)
        call = channel.unary_unary(
            f"/{SERVICE}/{rpc}", request.SerializeToString, response.FromString
        )
        return call(json_format.ParseDict(fields, request()), timeout=30)

    with grpc.insecure_channel(emulator.uri) as channel:
        yield perform


def test_the_file_is_as_declared() -> None:
    message = "write it anew: python -m tests.conformance.control_proto"
    assert page(proto_text()) == proto_text(), message
    assert described() == description_of(proto_text()), message


def test_each_operation_has_an_rpc_and_names_as_in_json() -> None:
    service = typed_service()
    assert {method.name for method in service.methods} == set(OPERATIONS)
    # Compilers would take the name of such a response for the RPC.
    assert not set(OPERATIONS) & {method.output_type.name for method in service.methods}
    messages = service.file.message_types_by_name.values()
    names = {field.name: field.json_name for message in messages for field in message.fields}
    assert names == {name: camel_case(name) for name in names}


def test_numbers_of_fields_stay() -> None:
    before = proto_text().replace(
        "  string version = 1;", "  string edition = 1;\n  string version = 7;"
    )
    after = page(before)
    assert "  reserved 1;\n  string version = 7;" in after
    assert page(after) == after


def test_a_compiler_reads_the_file_alike(tmp_path) -> None:
    needs("grpc_tools")
    from grpc_tools import protoc

    source, compiled = tmp_path / "spanemu/control/v1/control.proto", tmp_path / "compiled"
    source.parent.mkdir(parents=True)
    source.write_text(proto_text(), encoding="utf-8")
    well_known = f"{protoc.__file__.rpartition('/')[0]}/_proto"
    flags = [f"-I{tmp_path}", f"-I{well_known}", f"--descriptor_set_out={compiled}", str(source)]
    assert protoc.main(["protoc", *flags]) == 0
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(compiled.read_bytes()).file
    for message in file.message_type:
        message.ClearField("reserved_range")
        for field in (each for kind in (message, *message.nested_type) for each in kind.field):
            field.ClearField("json_name")
    assert file == described()


def test_clients_with_typed_messages(emulator, control) -> None:
    home = emulator.create_database("typed", schema=SCHEMA).name
    kept = control("Snapshot", database=home).snapshot
    assert control("Clone", database=home, name="typed-2").database == f"{home}-2"
    control("SplitAt", database=home, table="Stock", key=["B"])
    assert [each.start for each in control("ListSplits", database=home).splits][1:] == [
        'Stock("B")'
    ]
    settings = control("SplitSettings", database=home, change={"split_bytes_max": 5000}).settings
    assert settings.split_bytes_max == 5000
    fault = control("AddFault", verb="delay", arguments={"rpc": "Commit", "seconds": [0, 0.1]})
    control("ExpectFault", fault=fault.fault)
    (state,) = control("ListFaults").faults
    assert (state.verb, state.expected) == ("delay", False)
    control("ClearFaults")
    control("AdvanceClock", days=1)
    control("StartHotspots", database=home)
    with emulator.database("typed").client().batch() as batch:
        batch.insert("Stock", ["Sku", "Qty"], [("A", 1)])
    assert control("ReportHotspots", database=home).report.spaces["Stock"].summary.commits == 1
    assert control("Heatmap", database=home).heatmap.bands[0].name == "Stock"
    control("FreezeClock")
    before = control("GetClock").now.ToDatetime()
    control("Restore", database=home, snapshot=kept)
    assert control("GetClock").now.ToDatetime() < before
    control("ResetClock")


@pytest.mark.parametrize(
    ("rpc", "fields", "code"),
    [
        ("Snapshot", {"database": "x"}, grpc.StatusCode.INVALID_ARGUMENT),
        ("GetFault", {"fault": 99}, grpc.StatusCode.NOT_FOUND),
        ("AddFault", {"verb": "melt", "arguments": {}}, grpc.StatusCode.INVALID_ARGUMENT),
        ("Restore", {"snapshot": "snapshot-1"}, grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
def test_failures_have_codes(control, rpc, fields, code) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        control(rpc, **fields)
    assert refused.value.code() is code


def test_malformed_messages_are_refused(emulator) -> None:
    with grpc.insecure_channel(emulator.uri) as channel, pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary(f"/{SERVICE}/Snapshot")(b"\xff", timeout=30)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
