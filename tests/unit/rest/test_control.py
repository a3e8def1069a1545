"""Control operations by HTTP: paths, arguments and failures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spanemu.control.dispatch import Dispatcher
from spanemu.control.operation import ControlInterface, Key, operation
from spanemu.frontend.control import control_access
from spanemu.rest.control import PREFIX, ControlApi
from spanemu.rest.exchange import Request

DATABASE = "projects/example.com:p/instances/i/databases/d"


class Shelf(ControlInterface):
    PATH = "{database}/shelf"
    SCOPE = "database"

    @operation("LookUp", "GET /{place}", "found")
    def look_up(
        self, place: str, *, all_of: tuple[str, ...] = (), ratio: float = 1.0, deep: bool = False
    ) -> list[Any]: ...

    @operation("PutBook", "POST")
    def put_book(self, book_key: Key, count: int = 1) -> None: ...

    @operation("Burn", "DELETE")
    def burn(self) -> None: ...


class LocalShelf(Shelf):
    def __init__(self, name: str) -> None:
        self._name = name

    def look_up(
        self, place: str, *, all_of: tuple[str, ...] = (), ratio: float = 1.0, deep: bool = False
    ) -> list[Any]:
        return [self._name, place, all_of, ratio, deep]

    def put_book(self, book_key: Key, count: int = 1) -> None:
        if count < 1:
            raise ValueError(f"count={count}")
        self.put = book_key

    def burn(self) -> None:
        raise ZeroDivisionError


@pytest.fixture(scope="module")
def api() -> ControlApi:
    operations = Dispatcher()
    operations.add(Shelf, LocalShelf)
    return ControlApi(lambda: operations, control_access(is_remote_allowed=False))


def ask(
    api: ControlApi, method: str, path: str, body: Any = None, *, query: str = "", peer: str = ""
) -> tuple[int, Any]:
    data = b"" if body is None else json.dumps(body).encode()
    response = api(Request(method, f"{PREFIX}{path}", query, {}, data, peer))
    assert isinstance(response.body, bytes)
    return response.status, json.loads(response.body)


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("", [[], 1.0, False]),
        ("allOf=a&allOf=b&ratio=2&deep=true&$alt=json", [["a", "b"], 2.0, True]),
        ("all_of=a", [["a"], 1.0, False]),
    ],
)
def test_a_get_has_arguments_in_path_and_query(api: ControlApi, query: str, rest: Any) -> None:
    path = f"{DATABASE}/shelf/top%2Fleft"
    assert ask(api, "GET", path, query=query) == (200, {"found": [DATABASE, "top/left", *rest]})


@pytest.mark.parametrize("name", ["bookKey", "book_key"])
def test_a_post_has_arguments_in_its_body(api: ControlApi, name: str) -> None:
    body = {name: ["7"], "count": None}
    assert ask(api, "POST", f"{DATABASE}/shelf", body) == (200, {})


@pytest.mark.parametrize(
    ("method", "path", "body", "query", "failure"),
    [
        ("GET", f"{DATABASE}/shelf", None, "", (404, "NOT_FOUND")),
        ("GET", "projects/p/shelf/top", None, "", (404, "NOT_FOUND")),
        ("PATCH", f"{DATABASE}/shelf", {}, "", (404, "NOT_FOUND")),
        ("POST", f"{DATABASE}/shelf", {}, "", (400, "INVALID_ARGUMENT")),
        ("POST", f"{DATABASE}/shelf", [], "", (400, "INVALID_ARGUMENT")),
        ("POST", f"{DATABASE}/shelf", {"bookKey": [], "x": 1}, "", (400, "INVALID_ARGUMENT")),
        ("POST", f"{DATABASE}/shelf", {"bookKey": [], "count": 0}, "", (400, "INVALID_ARGUMENT")),
        ("POST", f"{DATABASE}/shelf", {"bookKey": [], "database": "e"}, "", (400, "INVALID_ARGUMENT")),
        ("GET", f"{DATABASE}/shelf/top", None, "ratio=x", (400, "INVALID_ARGUMENT")),
        ("GET", f"{DATABASE}/shelf/top", None, "deep=x", (400, "INVALID_ARGUMENT")),
        ("DELETE", f"{DATABASE}/shelf", None, "", (500, "INTERNAL")),
    ],
)  # fmt: skip
def test_failures_have_the_envelope_of_the_api(
    api: ControlApi, method: str, path: str, body: Any, query: str, failure: tuple[int, str]
) -> None:
    status, content = ask(api, method, path, body, query=query)
    assert (status, content["error"]["status"]) == failure
    assert content["error"]["code"] == status


def test_other_machines_are_refused(api: ControlApi) -> None:
    status, content = ask(api, "GET", f"{DATABASE}/shelf/top", peer="10.0.0.1")
    assert (status, content["error"]["status"]) == (403, "PERMISSION_DENIED")
    assert ask(api, "GET", f"{DATABASE}/shelf/top", peer="127.0.0.1")[0] == 200
