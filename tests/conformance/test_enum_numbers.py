"""Each field with an enumeration, of each request of each service, refuses an unknown number."""

import grpc
import pytest

import spanemu
from spanemu.frontend import wire
from spanemu.frontend.services import SERVICES

UNKNOWN = 99
ARRAY, STRUCT = 8, 9
KEYS = {"keys": [{"values": [{"string_value": "1"}]}]}
READ = {"table": "T", "columns": ["Id"], "key_set": KEYS}
BEGUN = {"transaction": {"begin": {"read_only": {}}}}
# What else a request for data needs, so that its enumerations are looked at.
REQUESTS = {
    "CreateSession": None,
    "BatchCreateSessions": None,
    "ExecuteSql": {"sql": "SELECT 1"},
    "ExecuteStreamingSql": {"sql": "SELECT 1"},
    "ExecuteBatchDml": {
        "statements": [{"sql": "DELETE FROM T WHERE TRUE"}],
        "transaction": {"begin": {"read_write": {}}},
    },
    "Read": READ,
    "StreamingRead": READ,
    "PartitionQuery": {"sql": "SELECT 1", **BEGUN},
    "PartitionRead": {**READ, **BEGUN},
    "BeginTransaction": {"options": {"read_write": {}}},
    "Commit": {"single_use_transaction": {"read_write": {}}},
    "BatchWrite": {},
}


def paths_of(descriptor, above=()):
    """Yield the path of each field with an enumeration; no message type occurs twice in a path."""
    for field in descriptor.fields:
        inner = field.message_type
        if field.enum_type is not None:
            if field.enum_type.name != "NullValue":
                yield (*above, field)
        elif inner is not None and inner.full_name not in {each.full_name for each in seen(above)}:
            yield from paths_of(inner, (*above, field))
        elif inner is not None and inner.full_name.endswith("v1.Type"):
            yield (*above, field, inner.fields_by_name["code"])


def seen(path):
    return [field.message_type for field in path] + [field.containing_type for field in path[:1]]


def fill(message, path, number):
    """Set the field at a path, and what the messages on the way need to be looked at."""
    field, *rest = path
    value = getattr(message, field.name)
    if not rest:
        if isinstance(value, int):
            setattr(message, field.name, number)
        else:
            value.append(number)
        return
    if field.name == "array_element_type":
        message.code = ARRAY
    if field.name == "struct_type":
        message.code = STRUCT
    if field.message_type.GetOptions().map_entry:
        rest, value = rest[1:], value["p"]
    elif not hasattr(value, "SetInParent"):
        value = value[0] if len(value) else value.add()
    fill(value, rest, number)
    if field.message_type.name == "TransactionOptions" and value.WhichOneof("mode") is None:
        value.read_only.SetInParent()
    if field.message_type.name == "Type" and not value.code:
        value.code = 2


def cases():
    for service in SERVICES:
        for path, method in service.paths():
            for fields in paths_of(method.request.DESCRIPTOR):
                dotted = ".".join(field.name for field in fields)
                yield pytest.param(path, method, fields, id=f"{method.name} {dotted}")


CASES = list(cases())


@pytest.fixture(scope="module")
def served():
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("d1", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)")
        with grpc.insecure_channel(emulator.uri) as channel:
            create = channel.unary_unary(
                "/google.spanner.v1.Spanner/CreateSession",
                request_serializer=wire.CreateSessionRequest.SerializeToString,
                response_deserializer=wire.Session.FromString,
            )
            yield channel, create(wire.CreateSessionRequest(database=database.name)).name


def test_the_cases_reach_every_service_and_the_deep_fields():
    result = {case.id for case in CASES}
    assert {
        "CreateInstance instance.edition",
        "CreateInstanceConfig instance_config.replicas.type_",
        "CreateDatabase database_dialect",
        "RestoreDatabase encryption_config.encryption_type",
        "Commit single_use_transaction.read_write.read_lock_mode",
        "ExecuteSql param_types.value.struct_type.fields.type_.code",
        "Read directed_read_options.exclude_replicas.replica_selections.type_",
    } <= result


@pytest.mark.parametrize(("path", "method", "fields"), CASES)
def test_an_unknown_number_is_refused(served, path, method, fields):
    channel, session = served
    request = method.request(**(REQUESTS.get(method.name) or {}))
    if "session" in method.request.DESCRIPTOR.fields_by_name and method.name in REQUESTS:
        request.session = session
    fill(request, fields, UNKNOWN)
    open_call = channel.unary_stream if method.streams else channel.unary_unary
    call = open_call(path, request_serializer=method.request.SerializeToString)
    with pytest.raises(grpc.RpcError) as caught:
        list(call(request, timeout=60))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    takes_single_use = method.name not in ("ExecuteBatchDml", "PartitionQuery", "PartitionRead")
    if takes_single_use or fields[1].name != "single_use":
        assert str(UNKNOWN) in caught.value.details()
