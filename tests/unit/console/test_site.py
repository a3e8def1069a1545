"""The files of the console, as the REST server sends them."""

import http.client
import json
import re
from pathlib import Path

import pytest

import spanemu
from spanemu.console import site
from spanemu.web.shell import asset

PARTS_BYTES_MAX = 12_000
FOLDER = Path(site.__file__).parent / "script"


@pytest.fixture(scope="module")
def get():
    """Yield a function that returns a response with its text."""
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as emulator:

        def get(path, method="GET", **headers):
            connection = http.client.HTTPConnection(
                "127.0.0.1", emulator.rest_address.port, timeout=30
            )
            try:
                connection.request(method, path, headers=headers)
                response = connection.getresponse()
                return response, response.read().decode()
            finally:
                connection.close()

        yield get


def test_the_console_is_one_page_one_script_and_one_style_sheet(get):
    response, html = get("/console/")
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    loaded = re.findall(r'(?:src|href)="([^"#][^"]*)"', html)
    assert [each for each in loaded if not each.startswith("data:")] == ["style.css", "console.js"]
    assert get("/console/style.css")[1] == asset("style.css")
    assert get("/console/console.js")[0].headers["Content-Type"] == "text/javascript; charset=utf-8"


def test_the_page_may_run_nothing_but_its_script(get):
    for path in ("/console/", "/console/console.js", "/console/style.css"):
        policy = get(path)[0].headers["Content-Security-Policy"]
        rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == "'self'"
        assert rules["require-trusted-types-for"] == "'script'"
        assert rules["frame-ancestors"] == "'none'"
        assert "unsafe" not in policy
    html = get("/console/")[1]
    assert not re.search(r"<script(?! type=\"module\" src=)|<style| style=| on\w+=", html)


def test_the_script_parses_no_html(get):
    script = get("/console/console.js")[1]
    for sink in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "DOMParser",
    ):
        assert sink not in script
    assert not re.search(r"https?://", script)


def test_the_parts_of_the_script_are_small(get):
    script = get("/console/console.js")[1]
    assert len(script) < 120_000
    for name in site.SCRIPT_PARTS:
        part = (FOLDER / f"{name}.js").read_text()
        assert part in script
        assert len(part) < PARTS_BYTES_MAX


def test_other_paths_and_methods_are_not_found(get):
    for path in ("/console/x", "/console/script/app.js", "/console/../server.py", "/consoles"):
        assert get(path)[0].status == 404
    assert get("/console/", "POST")[0].status == 404
    response, text = get("/console/", "HEAD")
    assert (response.status, text) == (200, "")


def test_the_address_without_a_slash_leads_there(get):
    response, _ = get("/console")
    assert (response.status, response.headers["Location"]) == (308, "/console/")
    assert json.loads(get("/")[1])["links"]["console"] == "/console/"
    response, _ = get("/", Accept="text/html,application/xhtml+xml")
    assert (response.status, response.headers["Location"]) == (302, "/console/")


def test_pages_of_other_sites_are_refused(get):
    assert get("/console/", Host="evil.example")[0].status == 403
    headers = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "no-cors",
        "Sec-Fetch-Dest": "script",
    }
    assert get("/console/console.js", **headers)[0].status == 403


def test_an_emulator_can_be_without_the_console():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0", console=False) as emulator:
        connection = http.client.HTTPConnection("127.0.0.1", emulator.rest_address.port, timeout=30)
        connection.request("GET", "/console/")
        assert connection.getresponse().status == 404
        connection.close()
