"""What a browser may ask: pages of other sites can send requests to this machine, too.

A request is refused if its Host is not a name of this machine (a page could let its own name point
here), if it comes from a page of another origin, or if it has a body that such a page could send
without asking first. Programs other than browsers send neither Origin nor Sec-Fetch headers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from spanemu.rest.errors import Forbidden
from spanemu.rest.exchange import Request

_BODY_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_OWN_SITE = ("same-origin", "none")


class Guard:
    """The rules for requests to a server.

    `allowed_hosts` are further names of the machine. With `any_single_name`, names without a dot
    are accepted: in a network of containers they are the names of its services. `scheme` is that
    of the server's own URLs.
    """

    def __init__(
        self,
        allowed_hosts: Iterable[str] = (),
        any_single_name: bool = False,
        scheme: str = "http",
    ) -> None:
        self._scheme = scheme
        self._allowed = frozenset(host.lower() for host in allowed_hosts)
        self._any_single_name = any_single_name

    def check(self, request: Request) -> None:
        """Raise Forbidden for a request that the rules refuse."""
        headers = request.headers
        host = headers.get("host")
        if host is not None and not self._is_own(host):
            raise Forbidden(f"Host {host!r} is no name of this emulator; see --allowed-host.")
        origin = headers.get("origin")
        if origin is not None:
            if origin.lower() != f"{self._scheme}://{host}".lower():
                raise Forbidden(f"Requests from pages of {origin!r} are refused.")
            self._check_body(request)
        site = headers.get("sec-fetch-site", "none").lower()
        if site not in _OWN_SITE and not _is_navigation(request):
            raise Forbidden("Requests from pages of other sites are refused.")

    def _is_own(self, host: str) -> bool:
        name = _without_port(host.lower())
        if name in ("localhost", *self._allowed) or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            is_plain = name.replace("-", "").replace("_", "").isalnum()
            return self._any_single_name and is_plain
        return True

    def _check_body(self, request: Request) -> None:
        """Refuse a body of a type that browsers let any page send."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.method in _BODY_METHODS and request.body and kind != "application/json":
            raise Forbidden("A page must send its requests as application/json.")


def _without_port(host: str) -> str:
    """Return the name in a Host header; an IPv6 address without its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def _is_navigation(request: Request) -> bool:
    """Return whether a person followed a link, whose page the other site cannot read."""
    headers = request.headers
    return (
        request.method in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )
