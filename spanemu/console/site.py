"""The files of the console, for the REST server.

The browser is told to run nothing but the console's own script and to parse no HTML from texts
(trusted types), so a row of a database cannot become a part of the page.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from spanemu.lint.formats import rules_described
from spanemu.rest.exchange import Request, Response
from spanemu.rest.server import RestServer, not_found
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL
from spanemu.web.shell import asset, fill

PREFIX = "/console/"
_FOLDER = Path(__file__).parent
_POLICY = "; ".join((
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
))  # fmt: skip
_HEADERS = (("Content-Security-Policy", _POLICY),)

# The parts of the script in their order: what a part uses at its start stands before it.
SCRIPT_PARTS = (
    "dom", "api", "sql_text", "values", "plan", "graph", "databases", "findings", "schema",
    "row_editor", "rows", "sql", "requests", "transactions", "resources", "keys", "aids", "app",
)  # fmt: skip


def add_to(server: RestServer) -> None:
    """Serve the console on the port of a server."""
    server.links["console"] = PREFIX
    for path in (PREFIX, PREFIX.rstrip("/")):
        server.site.add(path, console)


def console(request: Request) -> Response:
    """Return a file of the console."""
    if request.method not in ("GET", "HEAD"):
        return not_found(request)
    if request.path == PREFIX.rstrip("/"):
        return Response(308, "text/plain", b"", (("Location", PREFIX),))
    file = _files().get(request.path.removeprefix(PREFIX))
    if file is None:
        return not_found(request)
    content_type, body = file
    return Response(200, f"{content_type}; charset=utf-8", body, _HEADERS)


@cache
def _files() -> dict[str, tuple[str, bytes]]:
    """Return the content types and the bytes of all files, by name."""
    page = fill(_own("index.html"), {"__MARK__": asset("mark.svg").strip()})
    parts = (asset("heatmap.js"), *(_own(f"script/{name}.js") for name in SCRIPT_PARTS))
    return {
        "": ("text/html", page.encode()),
        "style.css": ("text/css", asset("style.css").encode()),
        "rules.json": ("application/json", json.dumps(_rules(), ensure_ascii=False).encode()),
        "console.js": ("text/javascript", "\n".join(parts).encode()),
    }


def _rules() -> dict[str, Any]:
    """Return the rules of the linter by the dialects' names in Spanner's API, then by id."""
    return {
        dialect.name: rules_described(dialect.option)
        for dialect in (GOOGLE_STANDARD_SQL, POSTGRESQL)
    }


def _own(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
