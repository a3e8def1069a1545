"""Property graphs."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class GraphInvalid(SpannerError):
    """A property graph, or one of its element tables, breaks a rule. `element` may be empty."""

    code = Code.INVALID_ARGUMENT
    prose = "Property Graph `{graph}` is invalid: {element}: {reason}."
    graph: str
    element: str
    reason: str


class GraphElementNotFound(SpannerError):
    """A property graph names a table, a node or a column that does not exist."""

    code = Code.NOT_FOUND
    prose = "Property Graph `{graph}` refers to {kind} {name}, which was not found."
    graph: str
    kind: str
    name: str


class GraphsDepend(SpannerError):
    """Property graphs need what is to go."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot drop {kind} `{name}` on which there are dependent property graphs: {graphs}."
    kind: str
    name: str
    graphs: str
