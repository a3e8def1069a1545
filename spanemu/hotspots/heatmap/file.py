"""Heatmaps as PNG images, and as files in the format that the file's name asks for."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from spanemu.hotspots.heatmap.heatmap import Band, Heatmap, Metric
from spanemu.hotspots.heatmap.page import Earlier, earlier_figures, page
from spanemu.hotspots.report import Report
from spanemu.hotspots.split_info import SplitStat

WIDTH_MIN = 960  # pixels
ROW_PIXELS, GAP_PIXELS = 4, 6
_STEPS = ((5, 5, 20), (70, 20, 120), (200, 60, 90), (250, 180, 60), (255, 255, 255))
_FAINT = 0.15  # the weakest color distinguishable from no load
_GAP = bytes((140, 140, 150))
_BOUNDARY = bytes((255, 255, 255))


def image(heatmap: Heatmap, metric: Metric = Metric.WRITTEN) -> bytes:
    """Return the PNG file."""
    across = -(-WIDTH_MIN // heatmap.columns)
    most = max(
        (n for band in heatmap.bands for row in band.cells.get(metric, ()) for n in row), default=0
    )
    lines = [line for band in heatmap.bands for line in _lines(band, metric, most, heatmap.columns)]
    rows = [_widened(line, across) for line in lines] or [_GAP * heatmap.columns * across]
    return _png(rows, heatmap.columns * across)


def band_image(band: Band, columns: int, metric: Metric = Metric.WRITTEN) -> bytes:
    """Return the PNG file of a table or index, with its own fullest cell in white."""
    cells = band.cells.get(metric) or [[]] * len(band.starts)
    most = max((n for row in cells for n in row), default=0)
    rows = [b"".join(_colour(_at(row, n, columns), most) for n in range(columns)) for row in cells]
    return _png(rows, columns)


def _png(rows: Sequence[bytes], width: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _lines(band: Band, metric: Metric, most: int, columns: int) -> Iterator[list[bytes]]:
    """Yield the lines of pixels of one table or index, each with one color for each column."""
    cells = band.cells.get(metric) or [[]] * len(band.starts)
    for index, row in enumerate(cells):
        colours = [_colour(_at(row, column, columns), most) for column in range(columns)]
        first = [_BOUNDARY] * columns if index in band.boundaries else colours
        yield first
        yield from [colours] * (ROW_PIXELS - 1)
    yield from [[_GAP] * columns] * GAP_PIXELS


def _at(row: Sequence[int], column: int, columns: int) -> int:
    return row[column * len(row) // columns] if row else 0


def _colour(count: int, most: int) -> bytes:
    part = _FAINT + (1 - _FAINT) * count / most if count else 0.0
    index = part * (len(_STEPS) - 1)
    low = min(len(_STEPS) - 2, int(index))
    pairs = zip(_STEPS[low], _STEPS[low + 1], strict=True)
    return bytes(round(below + (index - low) * (above - below)) for below, above in pairs)


def _widened(colours: Sequence[bytes], across: int) -> bytes:
    return b"".join(colour * across for colour in colours)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))


def save(
    path: str | PathLike[str],
    heatmap: Heatmap,
    report: Report,
    stats: Sequence[SplitStat],
    before: Earlier | None = None,
) -> None:
    """Write an image to a .png, text to a .txt, and an HTML page to any other file.

    The page compares the heatmap with an earlier run. Raises ValueError for an earlier file that is
    no such page.
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
