"""What Spanner has and spanemu refuses with UNIMPLEMENTED and the feature's name."""

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import grpc
import pytest

import spanemu
from spanemu.frontend import wire
from tests.conformance.raw import UNIMPLEMENTED, refused, user

PATH = "projects/p/instances/i/databases/d1"
SESSION = f"{PATH}/sessions/s1"
ADAPTER = "google.spanner.adapter.v1.Adapter"
REFUSED = [
    (f"{ADAPTER}/CreateSession", f"{PATH}/sessions:adapter", "The Cassandra adapter"),
    (f"{ADAPTER}/AdaptMessage", f"{SESSION}:adaptMessage", "The Cassandra adapter"),
    (
        "google.spanner.admin.database.v1.DatabaseAdmin/ChangeQuorum",
        f"{PATH}:changequorum",
        "Quorum changes",
    ),
    (
        "google.spanner.v1.Spanner/FetchCacheUpdate",
        f"{PATH}:cacheUpdate",
        "FetchCacheUpdate",
    ),
]


@pytest.fixture(scope="module")
def served():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator:
        yield emulator


@pytest.mark.parametrize(("rpc", "path", "feature"), REFUSED)
def test_methods_that_spanemu_lacks_are_refused_by_name(served, rpc, path, feature):
    with grpc.insecure_channel(served.uri) as channel:
        for call in (channel.unary_unary(f"/{rpc}"), channel.unary_stream(f"/{rpc}")):
            with pytest.raises(grpc.RpcError) as caught:
                list(call(b"\x0a\x03abc", timeout=60))
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
            assert feature in caught.value.details()
    body = json.dumps({"protocol": "cassandra", "quorumType": {"dualRegion": {}}}).encode()
    with pytest.raises(HTTPError) as failed:
        urlopen(Request(f"{served.rest_uri}/v1/{path}", body, method="POST"), timeout=60)
    answer = json.loads(failed.value.read())
    assert failed.value.code == 501
    assert feature in json.dumps(answer)


def test_a_client_context_is_refused_by_name(session):
    if "client_context" not in _options().DESCRIPTOR.fields_by_name:
        pytest.skip("the installed client library has no client context")
    given = {"request_options": {"client_context": {}}}
    for request in (
        lambda: session.sql("SELECT 1", **given),
        lambda: session.stream_sql("SELECT 1", **given),
        lambda: session.read("Users", "Id", **given),
        lambda: session.stream_read("Users", "Id", **given),
        lambda: session.begin(**given),
        lambda: session.commit(None, user(1), **given),
        lambda: session.batch_write([user(2)], **given),
        lambda: session.batch({"begin": {"read_write": {}}}, "SELECT 1", **given),
    ):
        with refused(UNIMPLEMENTED, match="RequestOptions.client_context"):
            request()


def _options():
    return wire.ReadRequest().request_options
