"""The routes are those of the official client, and a path leads to one of them."""

from __future__ import annotations

import pytest

from spanemu.frontend.services import REFUSED_SERVICES, SERVICES
from spanemu.rest.routes import NOTHING, REFUSED_ROUTES, ROUTES, Router
from tests.conformance.rest_calls import BINDINGS


def test_routes_are_those_of_the_official_client():
    ours = {(route.rpc, route.http_method, route.template, route.body) for route in ROUTES}
    theirs = {
        (rpc, each["method"].upper(), each["uri"].removeprefix("/v1/"), each.get("body", NOTHING))
        for rpc, bindings in BINDINGS.items()
        for each in bindings
    }
    assert ours == theirs


def test_every_route_leads_to_a_method():
    services = (*SERVICES, *REFUSED_SERVICES)
    paths = {path for service in services for path, _ in service.paths()}
    assert {route.rpc for route in (*ROUTES, *REFUSED_ROUTES)} <= paths


def test_methods_without_an_implementation_have_a_path_too():
    refused = {path for service in SERVICES for path, each in service.paths() if each.implemented}
    assert not refused & {route.rpc for route in REFUSED_ROUTES}


def test_rows_are_listed_once():
    assert len(ROUTES) == len(set(ROUTES))


DATABASE = "projects/p/instances/i/databases/d"


def found(http_method, path):
    match = Router().find(http_method, path)
    return None if match is None else (match.route.rpc.rpartition("/")[2], match.name)


@pytest.mark.parametrize(
    "route", [*ROUTES, *REFUSED_ROUTES], ids=lambda route: f"{route.http_method} {route.template}"
)
def test_each_route_is_reached(route):
    name = route.form.replace("*", "x")
    path = name + (f"/{route.collection}" if route.collection else "")
    path += f":{route.verb}" if route.verb else ""
    assert Router().find(route.http_method, path) == (route, name)


@pytest.mark.parametrize(
    ("http_method", "path", "expected"),
    [
        ("GET", DATABASE, ("GetDatabase", DATABASE)),
        ("GET", DATABASE.replace("/d", "/%64"), ("GetDatabase", DATABASE)),
        ("GET", "projects/a:b/instances/i", ("GetInstance", "projects/a:b/instances/i")),
        ("GET", "projects/p/instances/a:b", ("GetInstance", "projects/p/instances/a:b")),
        ("GET", "projects/p/instances/a%2Fb", ("GetInstance", "projects/p/instances/a/b")),
        ("POST", f"{DATABASE}/sessions:batchCreate", ("BatchCreateSessions", DATABASE)),
        ("POST", f"{DATABASE}:changequorum", ("ChangeQuorum", DATABASE)),
        ("POST", f"{DATABASE}/sessions:adapter", ("CreateSession", DATABASE)),
        ("PUT", DATABASE, None),
        ("POST", f"{DATABASE}:frob", None),
        ("GET", f"{DATABASE}/", None),
        ("GET", "projects//instances/i", None),
        ("GET", "", None),
        ("GET", "projects/p", None),
        ("GET", "Projects/p/instances/i", None),
    ],
)
def test_paths_reach_their_methods(http_method, path, expected):
    assert found(http_method, path) == expected
