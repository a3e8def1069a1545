"""RPCs over REST, as the official client's REST transport would send them.

The paths are the client's own, and the JSON is that of the protobuf runtime, so that a call depends
on nothing that it tests.
"""

from __future__ import annotations

import http.client
import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

import grpc
from google.api_core import path_template, rest_helpers
from google.auth.credentials import AnonymousCredentials
from google.cloud.spanner_admin_database_v1 import DatabaseAdminClient
from google.cloud.spanner_admin_database_v1.services.database_admin.transports import (
    rest_base as database_admin,
)
from google.cloud.spanner_admin_instance_v1 import InstanceAdminClient
from google.cloud.spanner_admin_instance_v1.services.instance_admin.transports import (
    rest_base as instance_admin,
)
from google.cloud.spanner_v1 import SpannerClient
from google.cloud.spanner_v1.services.spanner.transports import rest_base as spanner
from google.protobuf import json_format

from spanemu.api.client import official_client
from tests.fuzz.world import METHODS, Reply, World

Binding = dict[str, str]

_TRANSPORTS = {
    "google.spanner.v1.Spanner": spanner._BaseSpannerRestTransport,
    "google.spanner.admin.instance.v1.InstanceAdmin": instance_admin._BaseInstanceAdminRestTransport,
    "google.spanner.admin.database.v1.DatabaseAdmin": database_admin._BaseDatabaseAdminRestTransport,
}
_OPERATIONS = "/google.longrunning.Operations/"


def client_bindings() -> dict[str, list[Binding]]:
    """Return the REST paths of each RPC in the official client, by gRPC path."""
    result: dict[str, list[Binding]] = defaultdict(list)
    for service, transport in _TRANSPORTS.items():
        for name, base in vars(transport).items():
            if hasattr(base, "_get_http_options"):
                rpc = name.removeprefix("_Base")
                path = f"/{service}/{rpc}"
                if path not in METHODS:
                    path = _OPERATIONS + rpc
                for binding in base._get_http_options():
                    if binding not in result[path]:
                        result[path].append(binding)
    return dict(result)


BINDINGS = client_bindings()


class RestCalls:
    """A kept-alive connection to the REST port of an emulator."""

    def __init__(self, uri: str) -> None:
        parts = urlsplit(uri)
        self._connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)

    def close(self) -> None:
        self._connection.close()

    def exchange(self, method: str, target: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the content of the response to a request with JSON."""
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"}
        self._connection.request(method, target, body=data, headers=headers)
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())

    def send(self, path: str, data: bytes) -> Reply:
        """Call a method with the bytes of a request; read all that comes back."""
        _status, content = self.exchange(*as_rest(path, data))
        return _reply(METHODS[path], content)


def as_rest(path: str, data: bytes) -> tuple[str, str, Any]:
    """Return the HTTP method, target and body of a request.

    Raises ValueError for a request that the client cannot send over REST.
    """
    message = METHODS[path].request.FromString(data)
    if json_format.ParseDict(_plain(message), METHODS[path].request()) != message:
        raise ValueError("JSON cannot express it")
    sent = path_template.transcode(BINDINGS[path], message=message)
    query = rest_helpers.flatten_query_params(_plain(sent["query_params"]), strict=True)
    body = _plain(sent["body"]) if "body" in sent else None
    target = sent["uri"] + (f"?{urlencode(query)}" if query else "")
    return sent["method"].upper(), target, body


def _plain(message: Any) -> Any:
    try:
        return json_format.MessageToDict(message)
    except json_format.Error as problem:
        raise ValueError(str(problem)) from problem


def _reply(method: Any, content: Any) -> Reply:
    elements = content if isinstance(content, list) else [content]
    failure = elements.pop()["error"] if elements and "error" in elements[-1] else None
    messages = tuple(_messages(method, elements))
    if failure is None:
        return Reply(grpc.StatusCode.OK, "", messages)
    return Reply(grpc.StatusCode[failure["status"]], failure["message"], messages)


def _messages(method: Any, elements: list[Any]) -> Iterator[bytes]:
    for element in elements:
        yield json_format.ParseDict(element, method.response()).SerializeToString(
            deterministic=True
        )


class RestWorld(World):
    """A world whose requests go over REST."""

    def __init__(self, emulator: Any) -> None:
        self.rest = RestCalls(emulator.rest_uri)
        super().__init__(emulator)

    def close(self) -> None:
        self.rest.close()
        super().close()

    def send(self, path: str, data: bytes, seconds: float = 0.0) -> Reply:
        if path in BINDINGS:
            return self.rest.send(path, data)
        return super().send(path, data)


def rest_client(uri: str, project: str) -> Any:
    """Return the official client for Python, with its REST transports."""
    client = official_client("localhost:1", project)
    where = {"host": uri.removeprefix("http://"), "url_scheme": "http"}
    where["credentials"] = AnonymousCredentials()
    client._instance_admin_api = InstanceAdminClient(
        transport=InstanceAdminClient.get_transport_class("rest")(**where)
    )
    client._database_admin_api = DatabaseAdminClient(
        transport=DatabaseAdminClient.get_transport_class("rest")(**where)
    )
    data = SpannerClient(transport=SpannerClient.get_transport_class("rest")(**where))
    make_instance = client.instance

    def instance(*arguments: Any, **named: Any) -> Any:
        handle = make_instance(*arguments, **named)
        make_database = handle.database

        def database(*arguments: Any, **named: Any) -> Any:
            made = make_database(*arguments, **named)
            made._spanner_api = data
            return made

        handle.database = database
        return handle

    client.instance = instance
    return client
