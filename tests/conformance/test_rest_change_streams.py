"""Rows that appear over time reach a REST client when they appear."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

import spanemu

SCHEMA = """
CREATE TABLE T (Id INT64) PRIMARY KEY (Id);
CREATE CHANGE STREAM S FOR ALL;
CREATE QUEUE Q (Id INT64 NOT NULL, Payload STRING(MAX) NOT NULL) PRIMARY KEY (Id);
CREATE QUEUE R (Id INT64 NOT NULL, Payload STRING(MAX) NOT NULL) PRIMARY KEY (Id);
"""
DATABASE = "/v1/projects/emulator-project/instances/emulator-instance/databases/shop"
READ = (
    "SELECT ChangeRecord FROM READ_S(start_timestamp => @start, end_timestamp => NULL,"
    " partition_token => @token, heartbeat_milliseconds => 300000)"
)
SECONDS = 60.0


class Rest:
    """A database, reached over REST."""

    def __init__(self, uri: str) -> None:
        parts = urlsplit(uri)
        self._address = parts.hostname, parts.port
        self._connection = http.client.HTTPConnection(*self._address, timeout=SECONDS)
        self._session = "/v1/" + self._ask(f"{DATABASE}/sessions", {})["name"]

    def commit(self, **mutation: Any) -> str:
        """Commit a mutation; return the commit timestamp."""
        content = {"singleUseTransaction": {"readWrite": {}}, "mutations": [mutation]}
        return str(self._ask(f"{self._session}:commit", content)["commitTimestamp"])

    def query(self, query: Any) -> Any:
        """Return all messages of a query."""
        return self._ask(f"{self._session}:executeStreamingSql", query)

    @contextmanager
    def stream(self, query: Any) -> Iterator[Reply]:
        """Begin a query, whose reply is read while it is written."""
        body = json.dumps(query).encode()
        path = f"{self._session}:executeStreamingSql"
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(self._address, timeout=SECONDS) as connection:
            connection.sendall(head.encode() + body)
            yield Reply(connection)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _ask(self, path: str, content: Any) -> Any:
        self._connection.request("POST", path, json.dumps(content))
        response = self._connection.getresponse()
        answer = json.loads(response.read())
        assert response.status == 200, answer
        return answer


class Reply:
    """A reply that the server still writes."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._received = b""

    def wait_for(self, text: bytes, count: int = 1) -> None:
        """Read until the text has come that often."""
        while self._received.count(text) < count:
            part = self._connection.recv(65536)
            assert part, self._received
            self._received += part


@pytest.fixture(scope="module")
def rest() -> Iterator[Rest]:
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator:
        emulator.create_database("shop", SCHEMA)
        rest = Rest(emulator.rest_uri)
        yield rest
        rest.close()


def row(key: int) -> Any:
    return {"table": "T", "columns": ["Id"], "values": [[str(key)]]}


def reading(start: str, token: str | None) -> Any:
    types = {"start": {"code": "TIMESTAMP"}, "token": {"code": "STRING"}}
    return {"sql": READ, "params": {"start": start, "token": token}, "paramTypes": types}


def test_a_record_is_sent_when_it_is_committed(rest: Rest) -> None:
    start = rest.commit(insert=row(1))
    _data, _heartbeats, (children,) = rest.query(reading(start, None))[0]["values"][0][0]
    with rest.stream(reading(start, children[2][0][0])) as reply:
        reply.wait_for(b"INSERT")
        rest.commit(insert=row(2))
        reply.wait_for(b"INSERT", 2)


def test_a_message_is_sent_when_it_is_delivered(rest: Rest) -> None:
    sql = "SELECT Id, Payload FROM RECEIVE_Q()"
    with rest.stream({"sql": sql}) as reply:
        reply.wait_for(b"Payload")
        rest.commit(send={"queue": "Q", "key": ["1"], "payload": "first"})
        reply.wait_for(b"first")
        rest.commit(send={"queue": "Q", "key": ["2"], "payload": "second"})
        reply.wait_for(b"second")


def test_a_call_with_a_duration_ends(rest: Rest) -> None:
    rest.commit(send={"queue": "R", "key": ["3"], "payload": "third"})
    messages = rest.query({"sql": "SELECT Payload FROM RECEIVE_R(max_duration => '100ms')"})
    assert [value for message in messages for value in message.get("values", ())] == ["third"]
    rest.commit(ack={"queue": "R", "key": ["3"]})
