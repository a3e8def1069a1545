"""Every RPC answers the same over REST as over gRPC."""

from __future__ import annotations

import re
from random import Random

import grpc
import pytest
from google.protobuf import json_format

import spanemu
from tests.conformance.rest_calls import BINDINGS, RestWorld, as_rest
from tests.fuzz.mutation import mutate
from tests.fuzz.valid import BUILDERS
from tests.fuzz.world import METHODS, World

ATTEMPTS = 10
REQUESTS, REQUESTS_MAX = 6, 40  # of each method, every second one spoiled
# What differs between two runs: times, and what is made of chance.
VARYING_FIELDS = {
    "etag", "executionStats", "nextPageToken", "id", "partitionToken", "precommitToken", "queryStats", "resumeToken",
}  # fmt: skip
VARYING_TEXT = re.compile(
    r"/sessions/[^/\s\"]+|_auto_op_\w+|\d{4}-\d\d-\d\d[T ][\d:.]+Z?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


@pytest.fixture(scope="module")
def worlds():
    """Yield two emulators to which the same is done, to the second over REST."""
    created = []
    try:
        for kind in (World, RestWorld):
            emulator = spanemu.Emulator(
                seed=7, rest_host_port="127.0.0.1:0", embedded_channel=False
            )
            created += [emulator, kind(emulator)]
        yield created[1], created[3]
    finally:
        for item in reversed(created):
            item.close()


def request_for(path, number, world):
    """Return a request that REST can express: not each spoiled name can be part of a path."""
    for attempt in range(ATTEMPTS + 1):
        random = Random(f"{path}/{number}/{attempt}")
        request = random.choice(BUILDERS[path])(random, world)
        if number % 2 and attempt < ATTEMPTS:
            mutate(random, request)
        data = request.SerializeToString()
        try:
            as_rest(path, data)
        except ValueError:
            world.forget_all()
        else:
            return data
    raise AssertionError(path)


def comparable(path, reply):
    """Return the code, the text and the messages of a reply, without what varies."""
    kind = METHODS[path].response
    messages = [json_format.MessageToDict(kind.FromString(data)) for data in reply.messages]
    if path.endswith("/ListSessions"):  # Their order is that of names made of chance.
        messages = [len(content.get("sessions", ())) for content in messages]
    return reply.code.name, constant(reply.details), constant(messages)


def constant(value):
    if isinstance(value, dict):
        return {name: constant(item) for name, item in value.items() if name not in VARYING_FIELDS}
    if isinstance(value, list):
        return [constant(item) for item in value]
    return VARYING_TEXT.sub("*", value) if isinstance(value, str) else value


@pytest.mark.parametrize("path", sorted(BINDINGS))
@pytest.mark.filterwarnings("default")
def test_a_method_answers_the_same_over_both_transports(path, worlds):
    if not METHODS[path].implemented:
        pytest.skip("requests of refused methods are not read")
    codes = set()
    for number in range(REQUESTS_MAX):
        if number >= REQUESTS and "OK" in codes:
            break
        replies = []
        for world in worlds:
            data = request_for(path, number, world)
            replies.append(comparable(path, world.send(path, data)))
            world.forget_all()
        assert replies[0] == replies[1], METHODS[path].request.FromString(data)
        codes.add(replies[0][0])
    assert "OK" in codes


def test_refused_methods_are_refused(worlds):
    database = worlds[1].main.name
    status, content = worlds[1].rest.exchange("POST", f"/v1/{database}:cacheUpdate", {"x": 1})
    assert (status, content["error"]["status"]) == (501, grpc.StatusCode.UNIMPLEMENTED.name)


def test_all_methods_with_a_path_are_served():
    without = {"WaitOperation", "ChangeQuorum", "InternalUpdateGraphOperation"}
    assert {path for path in METHODS if path.rpartition("/")[2] not in without} == BINDINGS.keys()
