"""The requests of Terraform's provider against REST, from the creation to the destruction."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any

import pytest

import spanemu
from tests.conformance.terraform_calls import RECORDING, Exchange

POLLS_MAX = 100


class Provider:
    """A provider with what it remembers between requests: the connection, and the last etag."""

    def __init__(self, address: spanemu.config.HostPort) -> None:
        self._connection = http.client.HTTPConnection(address.host, address.port, timeout=30)
        self._etag = ""

    def close(self) -> None:
        self._connection.close()

    def replay(self, exchange: Exchange) -> dict[str, Any]:
        """Return the content of the response, or that of the operation in it."""
        status, content = self._send(exchange)
        assert status == exchange.status, (exchange.step, content)
        if status >= 400:
            # The provider recognises Google's errors by their form.
            assert content["error"]["code"] == status
            assert content["error"]["message"]
            return {}
        self._etag = content.get("etag", self._etag)
        return self._finished(content) if exchange.waits else content

    def _send(self, exchange: Exchange) -> tuple[int, dict[str, Any]]:
        body = None
        if exchange.body is not None:
            text = json.dumps(exchange.body).replace("{etag}", self._etag)
            # As Go's encoder writes it.
            body = text.replace("<", "\\u003c").replace(">", "\\u003e") + "\n"
        target = f"/v1/{exchange.path}?{exchange.query}"
        self._connection.request(exchange.method, target, body=body, headers=exchange.headers)
        response = self._connection.getresponse()
        return response.status, json.loads(response.read())

    def _finished(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Return the response of an operation, which the provider decodes as an object."""
        for _ in range(POLLS_MAX):
            if operation.get("done"):
                assert "error" not in operation, operation
                return operation["response"]
            _, operation = self._send(Exchange("poll", "GET", operation["name"]))
        raise AssertionError(f"{operation} does not end")


def contains(content: Any, part: Any) -> bool:
    """Return whether an object has all fields of another, and lists have the same items."""
    if isinstance(part, Mapping):
        return isinstance(content, Mapping) and all(
            name in content and contains(content[name], each) for name, each in part.items()
        )
    if isinstance(part, list):
        return len(content) == len(part) and all(map(contains, content, part))
    return bool(content == part)


@pytest.fixture(scope="module")
def provider():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator:
        made = Provider(emulator.rest_address)
        yield made
        made.close()


def test_a_recording_of_the_provider_is_answered_as_google_does(provider):
    for exchange in RECORDING:
        content = provider.replay(exchange)
        assert contains(content, exchange.has), (exchange.step, content)
