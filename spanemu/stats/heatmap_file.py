"""Writes a heatmap where it is wanted, in the format that the file's name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from spanemu.stats.heatmap import Heatmap
from spanemu.stats.heatmap_image import image
from spanemu.stats.heatmap_page import page
from spanemu.stats.report import Report
from spanemu.stats.split_stats import SplitStat


def save(
    path: str | PathLike[str], heatmap: Heatmap, report: Report, stats: Sequence[SplitStat]
) -> None:
    """Write an image to a .png, text to a .txt, and to any other file a page of HTML."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix == ".png":
        file.write_bytes(image(heatmap))
    elif suffix == ".txt":
        file.write_text(heatmap.text() + "\n", encoding="utf-8")
    else:
        html = page(heatmap, report.findings, stats, report.notes)
        file.write_text(html, encoding="utf-8")
