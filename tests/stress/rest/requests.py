"""HTTP requests as bytes, and what can be wrong with them.

A request starts out well formed: a route, a name, JSON of its message. One or two flaws follow, at
the level of JSON, of the URL, of the headers or of the bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from google.protobuf import json_format

from spanemu.rest.routes import NOTHING, ROUTES, WHOLE
from tests.fuzz.mutation import fill
from tests.fuzz.world import METHODS

DATABASE_ID = "fuzzed"
DATABASE = f"projects/emulator-project/instances/emulator-instance/databases/{DATABASE_ID}"
_NAMES = {
    "projects": "emulator-project",
    "instances": "emulator-instance",
    "databases": DATABASE_ID,
}
_ODD_VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**31, 2**63, -(2**64), 10**400, 1e308, "", "x", "\ud800", "\x00", "NaN",
    "-5s", "9999999999999s", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "AA==", "%", [], [[]], {},
    {"@type": "x"}, {"": 1}, "\U0001f9d1", "é" * 300, [None], {"a": {"b": {"c": {}}}},
)  # fmt: skip
_ODD_TEXTS = (
    "", "..", "%2F", "%00", "%", "%zz", "%FF", ":", "::", "*", "{name}", "a b", "é", "-", "~", "x" * 300, "'--",
)  # fmt: skip
_ODD_HEADERS = (
    ("Content-Length", "x"), ("Content-Length", "-1"), ("Content-Length", "0"), ("Content-Length", "1e3"),
    ("Content-Length", "9" * 30), ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "gzip, chunked"),
    ("Transfer-Encoding", "identity"), ("Content-Encoding", "gzip"), ("Expect", "100-continue"),
    ("Expect", "a miracle"), ("Connection", "Upgrade"), ("Upgrade", "h2c"), ("Host", "evil.example"),
    ("Host", ""), ("Origin", "null"), ("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site"),
    ("X-Server-Timeout", "soon"), ("X-Server-Timeout", "-1"), ("X-Server-Timeout", "inf"),
    ("X-HTTP-Method-Override", "GET"), ("X-HTTP-Method-Override", "TRACE"), ("Content-Type", "text/plain"),
    ("Bad Name", "x"), ("", "x"), ("X", "y" * 70_000), ("X\x00", "y"), ("Range", "bytes=0-1"),
)  # fmt: skip
_QUERIES = (
    "nothing=1", "pageSize=x", "pageSize=1&pageSize=2", "pageSize=99999999999", "=", "&&&", "%", "a=%FF",
    "$alt=proto", "$alt=json;enum-encoding=int", "alt=media", "name.name=1", "session.labels=1", "fields=x",
    "updateMask=a..b", "updateMask=%ED%A0%80", "database.name=x", "x" * 5_000, "filter=" + "(" * 2_000,
)  # fmt: skip
_VERBS = (
    "GET",
    "POST",
    "PATCH",
    "DELETE",
    "PUT",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "FROB",
    "get",
    "",
)


@dataclass
class Draft:
    """A request before it is written."""

    method: str
    path: str
    content: Any
    query: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    text: str | None = None

    def to_bytes(self) -> bytes:
        text = json.dumps(self.content) if self.text is None else self.text
        body = text.encode("utf-8", errors="surrogatepass")
        target = f"{self.path}?{self.query}" if self.query else self.path
        headers = [("Host", "localhost"), ("Content-Length", str(len(body))), *self.headers]
        lines = [
            f"{self.method} {target} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers),
        ]
        return "\r\n".join([*lines, "", ""]).encode("utf-8", errors="surrogatepass") + body


def well_formed(random: Random, session: str) -> Draft:
    """Return a request with random content."""
    route = random.choice(ROUTES)
    method = METHODS[route.rpc]
    parts = route.form.split("/")
    for number in range(1, len(parts), 2):
        parts[number] = _NAMES.get(parts[number - 1], "some")
    name = session if parts[-2] == "sessions" else "/".join(parts)
    path = f"/v1/{name}" + (f"/{route.collection}" if route.collection else "")
    path += f":{route.verb}" if route.verb else ""
    content: Any = {}
    if route.body != NOTHING:
        message = method.request()
        fill(random, message)
        try:
            content = json_format.MessageToDict(message)
        except (json_format.Error, ValueError):
            content = {"sql": "SELECT 1", "session": 5}
        if route.body != WHOLE:
            content = content.get(route.body.title().replace("_", ""), {})
    return Draft(route.http_method, path, content)


def _spoil_value(random: Random, draft: Draft) -> None:
    """Put an odd value somewhere in the JSON."""
    holders = list(_holders(draft.content))
    if not holders:
        draft.content = deepcopy(random.choice(_ODD_VALUES))
        return
    holder = random.choice(holders)
    if isinstance(holder, dict):
        name = random.choice([*holder, "unknown", "", "a.b", "@type"])
        holder[name] = deepcopy(random.choice(_ODD_VALUES))
    else:
        holder.insert(random.randrange(len(holder) + 1), deepcopy(random.choice(_ODD_VALUES)))


def _holders(content: Any) -> Any:
    if isinstance(content, dict | list):
        yield content
        for item in content.values() if isinstance(content, dict) else content:
            yield from _holders(item)


def _spoil_text(random: Random, draft: Draft) -> None:
    """Damage the text of the JSON."""
    text = json.dumps(draft.content)
    cut = random.randrange(len(text) + 1)
    draft.text = random.choice(
        (
            text[:cut], text + text, text[:cut] + random.choice("{}[]\",:\\\x00é") + text[cut:],
            "[" * random.choice((50, 2_000, 100_000)), '{"a":' * 5_000, "NaN", "Infinity", "'x'", "\ufeff{}",
            "1" * 5_000, text.replace('"', "'"), "\ud800", "sql=SELECT+1", "<xml/>", "null", "[]", '"x"',
        )
    )  # fmt: skip


def _spoil_path(random: Random, draft: Draft) -> None:
    segments = draft.path.split("/")
    position = random.randrange(1, len(segments))
    match random.randrange(4):
        case 0:
            segments[position] = random.choice(_ODD_TEXTS)
        case 1:
            segments.insert(position, random.choice(_ODD_TEXTS))
        case 2:
            del segments[position]
        case _:
            segments[-1] += random.choice(
                (":", ":frob", ":executeSql", "/", "%3AexecuteSql", "?", "#x")
            )
    draft.path = "/".join(segments)


def _spoil_method(random: Random, draft: Draft) -> None:
    draft.method = random.choice(_VERBS)


def _spoil_query(random: Random, draft: Draft) -> None:
    draft.query = random.choice(_QUERIES)


def _spoil_headers(random: Random, draft: Draft) -> None:
    for _ in range(random.choice((1, 1, 2, 150))):
        draft.headers.append(random.choice(_ODD_HEADERS))


FLAWS: tuple[Callable[[Random, Draft], None], ...] = (
    _spoil_value, _spoil_value, _spoil_text, _spoil_path, _spoil_method, _spoil_query, _spoil_headers,
)  # fmt: skip


def malformed(random: Random, session: str) -> bytes:
    """Return the bytes of a request with one or two flaws, sometimes scrambled besides."""
    draft = well_formed(random, session)
    for _ in range(random.choice((1, 1, 2))):
        random.choice(FLAWS)(random, draft)
    data = bytearray(draft.to_bytes())
    if random.random() < 0.2:
        for _ in range(random.choice((1, 3, 20))):
            position = random.randrange(len(data))
            data[position : position + random.randrange(3)] = random.randbytes(random.randrange(3))
            if not data:
                break
    if random.random() < 0.1:
        del data[random.randrange(len(data) + 1) :]
    return bytes(data)
