"""Views that depend on an object which changes or goes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.objects import ViewBecomesInvalid, ViewsDepend, ViewsDependOnType
from spanemu.schema.names import with_names
from spanemu.schema.objects import View
from spanemu.schema.schema import Schema
from spanemu.sql.dialects import dialect_of

OnInvalid = Callable[[View, str], SpannerError]


def views_over(schema: Schema, names: Collection[str]) -> Iterator[View]:
    """Yield the views that use any of these objects directly."""
    wanted = {schema.fold(name) for name in names}
    for view in schema.views.values():
        if any(schema.fold(used) in wanted for used in view.depends_on):
            yield view


def dependent_view_problems(schema: Schema, words: str, name: str) -> Iterator[SpannerError]:
    """Yield the error for an object to drop that views use."""
    views = [view.name for view in views_over(schema, (name,))]
    if views:
        yield ViewsDepend(words, name, ",".join(views))


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
            shape = dialect_of(schema.dialect).analyze_view(view.query, schema)
        except SpannerError as failure:
            if invalid is not None:
                raise invalid(view, str(failure)) from None
            raise ViewBecomesInvalid(kind, name, view.name, str(failure)) from None
        if shape.columns != view.columns:
            raise ViewsDependOnType(kind, name, view.name)
        if shape.depends_on != view.depends_on:
            views[schema.fold(view.name)] = replace(view, depends_on=shape.depends_on)
    return schema.next(views=with_names(schema.views, views)) if views else schema
