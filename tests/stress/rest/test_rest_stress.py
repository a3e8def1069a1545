"""A few malformed requests; `python -m tests.stress.rest` sends many."""

from __future__ import annotations

from collections import Counter

import pytest

import spanemu
from tests.stress.rest.campaign import SCHEMA, campaign, check
from tests.stress.rest.requests import DATABASE_ID

REQUESTS = 400


@pytest.mark.filterwarnings("default")
def test_malformed_requests_get_an_error_of_the_client() -> None:
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator:
        emulator.create_database(DATABASE_ID, SCHEMA)
        findings = campaign(emulator.rest_uri, REQUESTS, seed=1)
    if findings.problems:
        pytest.fail(str(findings), pytrace=False)
    refused = sum(count for status, count in findings.statuses.items() if 400 <= status < 500)
    assert refused > REQUESTS / 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 500 Internal Server Error\r\n\r\n",
        b'HTTP/1.1 400 Bad Request\r\n\r\n{"error":{"code":404,"message":"m"}}',
        b"HTTP/1.1 501 Not Implemented\r\n\r\n{}",
        b"no end\r\n",
    ],
)
def test_bad_answers_are_noticed(answer: bytes) -> None:
    assert check(answer, Counter())
