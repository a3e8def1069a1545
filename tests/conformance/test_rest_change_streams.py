"""Rows that appear over time reach a REST client when they appear."""

from __future__ import annotations

import http.client
import json
import socket
from urllib.parse import urlsplit

import spanemu

SCHEMA = """
CREATE TABLE T (Id INT64) PRIMARY KEY (Id);
CREATE CHANGE STREAM S FOR ALL;
"""
DATABASE = "/v1/projects/emulator-project/instances/emulator-instance/databases/shop"
READ = (
    "SELECT ChangeRecord FROM READ_S(start_timestamp => @start, end_timestamp => NULL,"
    " partition_token => @token, heartbeat_milliseconds => 300000)"
)


def ask(connection, path, content):
    connection.request("POST", path, json.dumps(content))
    response = connection.getresponse()
    answer = json.loads(response.read())
    assert response.status == 200, answer
    return answer


def query(start, token):
    types = {"start": {"code": "TIMESTAMP"}, "token": {"code": "STRING"}}
    return {"sql": READ, "params": {"start": start, "token": token}, "paramTypes": types}


def test_a_record_is_sent_when_it_is_committed():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator:
        emulator.create_database("shop", SCHEMA)
        parts = urlsplit(emulator.rest_uri)
        rest = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        session = "/v1/" + ask(rest, f"{DATABASE}/sessions", {})["name"]
        write = {"insert": {"table": "T", "columns": ["Id"], "values": [["1"]]}}
        commit = {"singleUseTransaction": {"readWrite": {}}, "mutations": [write]}
        start = ask(rest, f"{session}:commit", commit)["commitTimestamp"]
        started = ask(rest, f"{session}:executeStreamingSql", query(start, None))
        _data, _heartbeats, (children,) = started[0]["values"][0][0]
        token = children[2][0][0]
        with socket.create_connection((parts.hostname, parts.port), timeout=30) as reader:
            body = json.dumps(query(start, token)).encode()
            head = f"POST {session}:executeStreamingSql HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            reader.sendall(head.encode() + body)
            received = b""
            while b"INSERT" not in received:
                received += reader.recv(65536)
            write["insert"]["values"] = [["2"]]
            ask(rest, f"{session}:commit", commit)
            while received.count(b"INSERT") < 2:
                received += reader.recv(65536)
        rest.close()
