"""Analyzes the query of a view, when it is defined and when something it uses changes."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.schema.schema import Schema
from spanemu.sql.analyzer.analysis import Analysis
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.base import AnalysisError
from spanemu.sql.analyzer.errors.shape import BadQuery, NestedTooDeeply
from spanemu.sql.analyzer.machinery import MACHINERY
from spanemu.sql.analyzer.parameters import Parameters
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.analyzer.setting import BARE, Setting
from spanemu.sql.functions.catalog import CATALOG
from spanemu.sql.syntax.statement import parse_query
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class ViewShape:
    """What a view yields, and the tables, views and sequences that it names, exactly spelt.

    Tables and views behind another view are counted too.
    """

    columns: tuple[tuple[str, Type], ...]
    depends_on: frozenset[str]


def analyze_view(text: str, schema: Schema, setting: Setting = BARE) -> ViewShape:
    """The shape of the view whose query is `text`."""
    parameters = Parameters({}, refused_in="in a view")
    analysis = Analysis(schema, CATALOG, setting, parameters, MACHINERY)
    analysis.strict = True
    try:
        query = parse_query(text, setting.bounds)
        if query.with_:
            raise BadQuery("WITH clauses are unsupported in view definitions", at=query.at)
        result = analysis.resolve_query(
            query, Env(analysis, Scope(None), "view", {}, outermost=True)
        )
        if analysis.traits.for_update:
            raise BadQuery("FOR UPDATE is not supported in a view", at=query.at)
        seen: set[str] = set()
        for number, (name, _) in enumerate(result.columns, 1):
            if not name:
                raise BadQuery(f"Column {number} of the view has no name", at=query.at)
            if name.lower() in seen:
                raise BadQuery(f"Duplicate column name {name} in the view", at=query.at)
            seen.add(name.lower())
    except AnalysisError as failure:
        failure.locate(text)
        raise
    except RecursionError:
        raise NestedTooDeeply() from None
    return ViewShape(
        tuple((name, column.type) for name, column in result.columns),
        frozenset(analysis.traits.tables | analysis.traits.sequences),
    )
