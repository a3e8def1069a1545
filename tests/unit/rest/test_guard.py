"""Pages of other sites are refused; programs and the emulator's own pages are not."""

from __future__ import annotations

import pytest

from spanemu.rest.errors import Forbidden
from spanemu.rest.exchange import Request
from spanemu.rest.guard import Guard


def check(guard=None, method="POST", body=b"{}", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    (guard or Guard()).check(Request(method, "/v1/x", headers=named, body=body))


@pytest.mark.parametrize(
    "host",
    ["localhost", "LocalHost:9020", "127.0.0.1:9020", "[::1]:9020", "10.1.2.3", "a.localhost:1"],
)
def test_names_of_this_machine_are_accepted(host):
    check(host=host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "spanner:9020",
        "",
        "[x",
        "a:b:c",
    ],
)
def test_other_hosts_are_refused(host):
    with pytest.raises(Forbidden):
        check(host=host)


def test_names_of_containers_are_accepted_in_a_network():
    check(Guard(any_single_name=True), host="spanner-1:9020")
    with pytest.raises(Forbidden):
        check(Guard(any_single_name=True), host="evil.example")


def test_allowed_hosts_are_accepted():
    check(Guard(["Db.Test"]), host="db.test:9020")


def test_the_own_origin_may_send_json():
    check(host="localhost:1", origin="http://localhost:1", content_type="application/json; x=y")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:2"},
        {"origin": "https://localhost:1"},
        {"origin": "http://localhost:1", "content_type": "text/plain"},
        {"origin": "http://localhost:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {
            "sec_fetch_site": "cross-site",
            "sec_fetch_mode": "navigate",
            "sec_fetch_dest": "document",
        },
    ],
)
def test_pages_of_other_origins_are_refused(headers):
    with pytest.raises(Forbidden):
        check(host="localhost:1", **headers)


def test_links_from_other_sites_may_be_followed():
    check(
        method="GET", body=b"", host="localhost",
        sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document",
    )  # fmt: skip
    with pytest.raises(Forbidden):
        check(
            method="GET",
            body=b"",
            host="localhost",
            sec_fetch_site="cross-site",
            sec_fetch_dest="iframe",
        )
