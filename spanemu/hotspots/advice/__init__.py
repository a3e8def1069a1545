"""Rules that need more than DDL: the observed values, load or reads.

Each rule takes the whole analysis context and yields the findings to build; `RULES` lists all
rules. No rule reports on fewer commits, scans or queries than `thresholds` demands.

In reading order: `reads`, `load`, `values`, `trees`.
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.hotspots.advice import load, reads, trees, values
from spanemu.hotspots.finding import Finding
from spanemu.hotspots.finding_builder import Rule, finding_of
from spanemu.hotspots.stream_analysis import AnalysisContext

RULES: tuple[Rule, ...] = (
    *reads.RULES,
    *load.RULES,
    *values.RULES,
    *trees.RULES,
)


def advise(context: AnalysisContext) -> Iterator[Finding]:
    """Yield the findings of all rules."""
    for rule in RULES:
        for analysis, spec in rule(context):
            yield finding_of(context, analysis, spec)
