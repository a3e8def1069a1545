"""The control operations below `/spanemu/v1/`, which `control.operation` declares.

    POST /spanemu/v1/projects/p/instances/i/databases/d:snapshot   -> {"snapshot": "snapshot-1"}
    POST /spanemu/v1/clock:advance   {"hours": 1}                  -> {}

The path contains the object of the operation. Other arguments are members of the JSON object in the
body, or fields of the query. Names are written in camel case, and accepted in snake case too.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin
from urllib.parse import unquote

from spanemu.base.record import NamedTuple
from spanemu.base.serialization import camel_case, snake_case_names
from spanemu.control.dispatch import Dispatcher
from spanemu.control.operation import ControlInterface, Operation
from spanemu.rest.api import RestCall
from spanemu.rest.errors import InvalidPayload, MethodNotFound
from spanemu.rest.exchange import Request, Response, Site, failed
from spanemu.rest.json_texts import parsed
from spanemu.rest.query_string import SYSTEM_PARAMETERS, pairs_of

PREFIX = "/spanemu/v1/"
_VARIABLE = re.compile(r"\\\{(\w+)\\\}")  # in a path after re.escape
_FORMS = {"database": "projects/[^/]+/instances/[^/]+/databases/[^/:]+"}
_FORM = "[^/:]+"


class ControlRoute(NamedTuple):
    """An operation with its HTTP method and its path below `/spanemu/v1/`."""

    operation: Operation
    http_method: str
    path: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression of the path, with a group for each variable."""

        def group(variable: re.Match[str]) -> str:
            return f"(?P<{variable[1]}>{_FORMS.get(variable[1], _FORM)})"

        return re.compile(_VARIABLE.sub(group, re.escape(self.path)))


def route_of(interface: type[ControlInterface], operation: Operation) -> ControlRoute:
    """Return the route of an operation of an interface."""
    http_method, _, end = operation.http.partition(" ")
    return ControlRoute(operation, http_method, f"{interface.PATH}{end}")


class _ClosedConnection:
    """The connection of an HTTP request, as far as held objects need one.

    Clients open and close connections as they like, so only their silence counts.
    """

    def is_open(self) -> bool:
        return False


class ControlCall(RestCall):
    """A control operation received through HTTP."""

    connection = _ClosedConnection()


class ControlApi:
    """The responder below `/spanemu/v1/`. `check_peer` raises for clients that it refuses."""

    def __init__(
        self, operations: Callable[[], Dispatcher], check_peer: Callable[[str], None]
    ) -> None:
        self._operations = operations
        self._check_peer = check_peer
        self._routes: dict[str, list[tuple[re.Pattern[str], Operation]]] = {}

    def __call__(self, request: Request) -> Response:
        try:
            self._check_peer(request.peer)
            operation, in_path = self._find(request)
            given = _from_query(operation, request.query) | _from_body(request.body)
            for name in given.keys() & in_path:
                raise InvalidPayload(name, f"The path names the argument '{name}' already.")
            given |= in_path
            call = ControlCall(f"{PREFIX}{operation.name}", request)
            request.on_hangup(call.cancel)
            with call:
                reply = self._operations().perform(operation.name, given, camel_case)
            return Response.of_text(json.dumps(reply, ensure_ascii=False, separators=(",", ":")))
        except Exception as error:
            return failed(error, request.path)

    def _find(self, request: Request) -> tuple[Operation, dict[str, Any]]:
        """Return the operation at a path with the arguments in it. Raises MethodNotFound."""
        http_method = "GET" if request.method == "HEAD" else request.method
        for pattern, operation in self._routes_by_method().get(http_method, ()):
            if (match := pattern.fullmatch(request.path[len(PREFIX) :])) is not None:
                return operation, {name: unquote(each) for name, each in match.groupdict().items()}
        raise MethodNotFound(request.method, request.path)

    def _routes_by_method(self) -> Mapping[str, Sequence[tuple[re.Pattern[str], Operation]]]:
        """Return the routes by HTTP method; the first request imports what declares them."""
        if not self._routes:
            routes: dict[str, list[tuple[re.Pattern[str], Operation]]] = {}
            for interface, operation in self._operations().declared:
                route = route_of(interface, operation)
                routes.setdefault(route.http_method, []).append((route.pattern, operation))
            self._routes = routes
        return self._routes


def add_to(
    site: Site, operations: Callable[[], Dispatcher], check_peer: Callable[[str], None]
) -> None:
    """Serve the control operations on a site."""
    site.add(PREFIX, ControlApi(operations, check_peer))


def _from_body(body: bytes) -> dict[str, Any]:
    content = parsed(body)
    if not isinstance(content, dict):
        raise InvalidPayload("", "The body must be a JSON object with the arguments by name.")
    return {name: value for name, value in content.items() if value is not None}


def _from_query(operation: Operation, query: str) -> dict[str, Any]:
    """Return the arguments in a query, as JSON has them."""
    texts: dict[str, deque[str]] = {}
    for name, value in pairs_of(query):
        if name not in SYSTEM_PARAMETERS:
            texts.setdefault(name, deque()).append(value)
    parameters = operation.parameters
    return {
        name: _value(parameters[name].hint, values) if name in parameters else values[-1]
        for name, values in snake_case_names(texts, parameters).items()
    }


def _value(hint: Any, texts: Sequence[str]) -> Any:
    """Return the JSON value of the texts of one argument, as far as its type says."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if any(_is_list(kind) for kind in kinds):
        return list(texts)
    last = texts[-1]
    if bool in kinds and last in ("true", "false"):
        return last == "true"
    if float in kinds:
        try:
            return float(last)
        except ValueError:
            return last
    return last


def _is_list(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Sequence)
