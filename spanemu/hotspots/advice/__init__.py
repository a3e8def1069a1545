"""Rules that DDL alone cannot decide: they need the values, the load or the reads that were seen.

Each takes the whole scene and gives what is to be told; `RULES` is the list of them. None speaks
from fewer commits, scans or queries than `thresholds` asks for.

`scans`, `contention`, `values`, `load`, `queries`, `trees`.
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.hotspots.advice import contention, load, queries, scans, trees, values
from spanemu.hotspots.advice.rule import Rule
from spanemu.hotspots.finding import Finding
from spanemu.hotspots.finding_builder import finding_of
from spanemu.hotspots.stream_analysis import AnalysisContext

RULES: tuple[Rule, ...] = (
    *scans.RULES,
    *contention.RULES,
    *values.RULES,
    *load.RULES,
    *queries.RULES,
    *trees.RULES,
)


def advice(scene: AnalysisContext) -> Iterator[Finding]:
    """What all rules have to say."""
    for rule in RULES:
        for one, told in rule(scene):
            yield finding_of(scene, one, told)
