"""Views over what a statement changes: they must keep their meaning and the types of their columns.

A view is analyzed again under the next schema. What fails there, or comes out otherwise, refuses
the change; nothing is ever changed behind a view's back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.objects import ViewBecomesInvalid, ViewsDepend, ViewsDependOnType
from spanemu.schema.names import with_names
from spanemu.schema.schema import Schema
from spanemu.schema.view import View
from spanemu.sql.analyzer.view import analyze_view

OnInvalid = Callable[[View, str], SpannerError]


def views_over(schema: Schema, names: Collection[str]) -> Iterator[View]:
    """Views that depend on any of these objects, directly or through other views."""
    wanted = {name.lower() for name in names}
    for view in schema.views.values():
        if any(used.lower() in wanted for used in view.depends_on):
            yield view


def refuse_drop_under_views(schema: Schema, kind: str, name: str) -> None:
    """Raise when a view uses the object of that name."""
    views = [view.name for view in views_over(schema, (name,))]
    if views:
        raise ViewsDepend(kind, name, ",".join(views))


def with_checked_views(
    schema: Schema, changed: Collection[str], kind: str, name: str, invalid: OnInvalid | None = None
) -> Schema:
    """The schema with every view over `changed` analyzed again; `kind` and `name` are for messages.

    `invalid` makes the failure for a view that no longer means anything.
    """
    if not schema.views:
        return schema
    views = {}
    for view in views_over(schema, changed):
        try:
            shape = analyze_view(view.query, schema)
        except SpannerError as failure:
            if invalid is not None:
                raise invalid(view, str(failure)) from None
            raise ViewBecomesInvalid(kind, name, view.name, str(failure)) from None
        if shape.columns != view.columns:
            raise ViewsDependOnType(kind, name, view.name)
        if shape.depends_on != view.depends_on:
            views[view.name.lower()] = replace(view, depends_on=shape.depends_on)
    return schema.next(views=with_names(schema.views, views)) if views else schema
