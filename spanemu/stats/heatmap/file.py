"""Writes a heatmap where it is wanted, in the format that the file's name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from spanemu.stats.heatmap.heatmap import Heatmap
from spanemu.stats.heatmap.image import image
from spanemu.stats.heatmap.page import page
from spanemu.stats.heatmap.runs import Earlier, earlier_figures
from spanemu.stats.report import Report
from spanemu.stats.split_stats import SplitStat


def save(
    path: str | PathLike[str],
    heatmap: Heatmap,
    report: Report,
    stats: Sequence[SplitStat],
    before: Earlier | None = None,
) -> None:
    """Write an image to a .png, text to a .txt, and to any other file a page of HTML.

    The page compares it with an earlier run. Raises ValueError for a file that is no such page.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix == ".png":
        file.write_bytes(image(heatmap))
    elif suffix == ".txt":
        file.write_text(heatmap.text() + "\n", encoding="utf-8")
    else:
        earlier = None if before is None else earlier_figures(before)
        html = page(heatmap, report.findings, stats, report.notes, earlier)
        file.write_text(html, encoding="utf-8")
