"""Errors that the analyzer of every dialect raises."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import TOO_MANY, AnalysisError


class LimitExceeded(AnalysisError):
    prose = TOO_MANY
    what: str
    limit: int


class NestedTooDeeply(AnalysisError):
    prose = "The statement is nested too deeply"


class GeneratedColumnCycle(AnalysisError, code=Code.FAILED_PRECONDITION):
    prose = "Cycle detected: generated column {table}.{column}"
    table: str
    column: str
