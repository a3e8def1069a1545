"""Explorations of functions that reach the emulator over a port, driven by control operations."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import grpc
import pytest
from google.api_core.exceptions import FailedPrecondition
from google.cloud.spanner_v1 import KeySet
from google.cloud.spanner_v1.services.spanner import SpannerClient
from google.cloud.spanner_v1.services.spanner.transports import SpannerGrpcTransport

from spanemu import Emulator
from spanemu.base.errors import Unsupported
from spanemu.explorer.errors import CannotExplore
from spanemu.explorer.remote import RemoteExploration
from tests.unit.explorer.programs import (
    REPEATABLE,
    SCHEMA,
    audit,
    audit_twice,
    blind,
    dml_add,
    fill,
    leave_call,
    pay,
    transfer,
)

ALL = KeySet(all_=True)
_present = threading.local()
Function = Callable[[Any], Any]


class Tagging(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """An interceptor that adds the name of the function on this thread to the metadata."""

    def intercept_unary_unary(self, continuation, details, request):
        return continuation(_tagged(details), request)

    def intercept_unary_stream(self, continuation, details, request):
        return continuation(_tagged(details), request)


def _tagged(details):
    name = getattr(_present, "name", None)
    if name is None:
        return details
    metadata = [*(details.metadata or ()), ("x-spanemu-actor", name)]
    return details._replace(metadata=metadata)


class Home:
    """A database of an emulator, with a client over its port, and its control operations."""

    def __init__(self, emulator: Any) -> None:
        self.handle = emulator.create_database("app", SCHEMA)
        fill(self.handle.client())
        self.handle.settle()
        self.rest = emulator.rest_uri
        self.client = self._client(emulator)

    def _client(self, emulator: Any) -> Any:
        database = self.handle.client()
        channel = grpc.intercept_channel(grpc.insecure_channel(emulator.uri), Tagging())
        database._spanner_api = SpannerClient(transport=SpannerGrpcTransport(channel=channel))
        with database.snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT 1"))
        database.run_in_transaction(lambda work: list(work.execute_sql("SELECT 1")))
        return database

    def call(self, path: str, **arguments: Any) -> Any:
        url = f"{self.rest}/spanemu/v1/{path}"
        sent = urllib.request.Request(url, json.dumps(arguments).encode(), method="POST")
        sent.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(sent, timeout=60) as reply:
            return json.loads(reply.read())

    def explore(self, functions: Mapping[str, Function], **options: Any) -> Any:
        """Run an exploration to its verdict."""
        started = self.call(f"{self.handle.name}/explorations", actors=list(functions), **options)
        path = f"explorations/{started['exploration']}"
        while not (following := self.call(f"{path}:next")).get("verdict"):
            threads = [
                threading.Thread(target=self._live, args=(path, name, functions[name]))
                for name in following["actors"]
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
        self.call(f"{path}:stop")
        return following

    def refusal(self, path: str) -> str:
        """Return why there is no next run, once the present one is over."""
        while True:
            try:
                self.call(f"{path}:next")
            except urllib.error.HTTPError as refused:
                text = refused.read().decode()
                if "have not ended" not in text:
                    return text

    def _live(self, path: str, name: str, function: Function) -> None:
        _present.name = name
        try:
            ended = {"result": function(self.client)}
        except Exception as error:
            code = getattr(getattr(error, "grpc_status_code", None), "name", type(error).__name__)
            ended = {"error": code, "message": str(error)}
        self.call(f"{path}/actors/{name}:done", **ended)


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with Emulator(embedded_channel=False, rest_host_port="127.0.0.1:0") as emulator:
        yield Home(emulator)


@pytest.mark.parametrize(
    ("functions", "kind"),
    [
        ({"x": blind("a", 1), "y": blind("a", -5)}, "lost update"),
        ({"audit": audit_twice, "out": transfer("a", "b", 10)}, "inconsistent read"),
        (
            {
                "x": leave_call(1, isolation_level=REPEATABLE),
                "y": leave_call(2, isolation_level=REPEATABLE),
            },
            "write skew",
        ),
        ({"pay": pay(None)}, "unknown outcome"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_races_of_another_process_are_found(home, functions, kind):
    verdict = home.explore(functions)
    assert (verdict["verdict"], verdict["kind"]) == ("failed", kind), verdict["text"]
    assert f"repeat it with --spanner-schedule={verdict['schedule']}" in verdict["text"]
    again = home.explore(functions, schedule=verdict["schedule"])
    assert (again["kind"], again["schedule"]) == (kind, verdict["schedule"])


@pytest.mark.parametrize(
    "functions",
    [
        {"x": dml_add("a", 1), "y": dml_add("a", 2)},
        {"audit": audit, "out": transfer("a", "b", 10)},
    ],
    ids=["dml", "audit"],
)
def test_functions_without_a_race_pass(home, functions):
    verdict = home.explore(functions, faults=["abort"], preemptions=1)
    assert verdict["verdict"] == "passed"
    assert verdict["complete"], verdict["text"]


def test_requests_without_a_name_are_refused_while_a_run_lasts(home):
    started = home.call(f"{home.handle.name}/explorations", actors=["x"])
    path = f"explorations/{started['exploration']}"
    assert home.call(f"{path}:next")["actors"] == ["x"]
    with pytest.raises(FailedPrecondition, match="x-spanemu-actor"):
        blind("a", 1)(home.client)
    with pytest.raises(urllib.error.HTTPError, match="400"):
        home.call(f"{path}:next")
    with pytest.raises(urllib.error.HTTPError, match="400"):
        home.call(f"{path}/actors/z:done")
    home.call(f"{path}:stop")
    blind("b", 0)(home.client)


def test_unusable_options_are_refused(home):
    for wrong in ({"actors": []}, {"actors": ["x", "x"]}, {"actors": ["x"], "faults": ["fire"]}):
        with pytest.raises(urllib.error.HTTPError, match="400"):
            home.call(f"{home.handle.name}/explorations", **wrong)


def test_functions_that_fall_silent_end_the_exploration(home, monkeypatch):
    monkeypatch.setattr(RemoteExploration, "hang_seconds", 0.2)
    started = home.call(f"{home.handle.name}/explorations", actors=["x", "y"])
    path = f"explorations/{started['exploration']}"
    assert home.call(f"{path}:next")["actors"] == ["x", "y"]
    home.call(f"{path}/actors/x:done")
    assert "y has made no request" in home.refusal(path)
    home.call(f"{path}:stop")
    blind("b", 0)(home.client)


def test_a_second_exploration_of_a_database_is_refused(home):
    paths = []
    for name in ("x", "y"):
        started = home.call(f"{home.handle.name}/explorations", actors=[name])
        paths.append(f"explorations/{started['exploration']}")
        if name == "x":
            assert home.call(f"{paths[0]}:next")["actors"] == ["x"]
    with pytest.raises(urllib.error.HTTPError) as failure:
        home.call(f"{paths[1]}:next")
    assert b"being explored already" in failure.value.read()
    for path in paths:
        home.call(f"{path}:stop")
    blind("b", 0)(home.client)


def test_grpcs_own_server_holds_requests_as_well():
    with Emulator(
        embedded_channel=False, rest_host_port="127.0.0.1:0", grpc_server="grpcio"
    ) as emulator:
        home = Home(emulator)
        verdict = home.explore({"x": blind("a", 1), "y": blind("a", -5)}, faults=[])
        assert verdict["kind"] == "lost update", verdict
        verdict = home.explore({"x": transfer("a", "b", 1), "y": transfer("b", "a", 2)}, faults=[])
        assert verdict["verdict"] == "passed", verdict


def rows_of(handle: Any) -> list[list[Any]]:
    with handle.client().snapshot() as snapshot:
        return list(snapshot.read("Acc", ["Id", "Bal"], ALL))


@pytest.fixture(scope="module")
def remote() -> Iterator[Any]:
    with Emulator.subprocess() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        fill(handle.client())
        handle.settle()
        yield handle


@pytest.mark.parametrize(
    ("actors", "kind", "schedule"),
    [
        ({"x": blind("a", 1), "y": blind("a", 2)}, "lost update", "ABBA"),
        ({"x": dml_add("a", 1), "y": dml_add("a", 2)}, None, None),
        (
            {
                "x": leave_call(1, isolation_level=REPEATABLE),
                "y": leave_call(2, isolation_level=REPEATABLE),
            },
            "write skew",
            "ABBA",
        ),
    ],
)
def test_handles_on_other_processes_explore(
    remote: Any, actors: Any, kind: str | None, schedule: str | None
) -> None:
    before = rows_of(remote)
    result = remote.explore(actors, require_complete=kind is None)
    assert (result.kind, result.schedule) == (kind, schedule)
    assert result.complete == (kind is None)
    assert rows_of(remote) == before


def test_handles_on_other_processes_reset_python_state(remote: Any) -> None:
    calls: list[str] = []
    remote.explore(lambda _: calls.append("ran"), each=lambda: calls.append("reset"))
    assert calls[:4] == ["reset", "ran", "reset", "ran"]


def test_handles_on_other_processes_refuse_what_needs_the_rows(remote: Any) -> None:
    async def coroutine(_: Any) -> None: ...

    with pytest.raises(Unsupported, match="invariant= in explorations of an emulator in another"):
        remote.explore(audit, invariant=lambda _: True)
    with pytest.raises(Unsupported, match="The coroutine function coroutine in explorations of"):
        remote.explore(coroutine)
    with pytest.raises(CannotExplore, match="schedule='QQ': the actors are A"):
        remote.explore(audit, schedule="QQ")


def test_threads_of_functions_of_other_processes_are_refused(remote: Any) -> None:
    def starts_thread(database: Any) -> None:
        errors: list[Exception] = []

        def read() -> None:
            try:
                audit(database)
            except Exception as error:
                errors.append(error)

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        raise errors[0]

    (warning,) = remote.explore(starts_thread).warnings
    assert warning == "starts_thread raised FailedPrecondition in every serial order"
