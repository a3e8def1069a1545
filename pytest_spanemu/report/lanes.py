"""The timeline of a failed exploration in the HTML report: a lane for each function, time downward.

    deposit              withdraw
    [1 SELECT ...]-------.
                         [2 SELECT ...]
                     '-->[3 COMMIT ...]---.
    [4 COMMIT ...]<----------------------'

A box is a step; an arrow is a dependency of the cycle; a dashed lane waits for a lock. The drawing
is static SVG, whose colours come from the page. A table below it has the same content as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from spanemu.web import shell

Plain = dict[str, Any]
_GUTTER = 34  # pixels on the left, for the numbers of the steps
_BOX = 360
_BETWEEN = 56  # between two lanes, for the arrows
_LINE = 17
_PAD = 7
_GAP = 12  # between two steps
_HEAD = 30
_CHARS_MAX = 49  # of a line in a box
_TIP = 7  # the size of an arrow's tip
_END = 10  # from the edge of a box to the end of an arrow
_WAITS = "waits"
_HEADS = ("step", "function", "request", "reads and writes")


class _Box(NamedTuple):
    """The place of a step in the drawing."""

    entry: Plain
    top: int
    height: int

    @property
    def left(self) -> int:
        """The left edge."""
        return _lane(int(self.entry["actor"]))

    @property
    def bottom(self) -> int:
        """The lower edge."""
        return self.top + self.height

    @property
    def waits(self) -> bool:
        """True if the step ends with a wait for a lock."""
        return any(line["text"] == _WAITS for line in self.entry["lines"])


def lanes_html(timeline: Plain) -> str:
    """Return the drawing of a timeline with its arrows in words, its table and its outcomes."""
    arrows = "".join(
        f"<li>{arrow['first']} → {arrow['second']}: {escape(arrow['text'])}</li>"
        for arrow in timeline["arrows"]
    )
    return (
        f'<figure class="lanes"><figcaption><b>{escape(timeline["kind"])}</b> · '
        f"{escape(timeline['text'])}</figcaption>"
        f"<p>{escape(timeline['advice'])}</p>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="timeline">'
        f"{_drawing(timeline)}</div>"
        f'<ul class="arrows">{arrows}</ul>'
        f"<details><summary>The same as a table</summary>{_table(timeline)}</details>"
        f"{_outcomes(timeline['endings'])}"
        f"<p>Repeat it with <code>--spanner-schedule={escape(timeline['schedule'])}</code></p>"
        "</figure>"
    )


def exploration_text(exploration: Plain) -> str:
    """Return how much was explored, with what the result does not mean."""
    return ". ".join([exploration["note"], *exploration["warnings"]])


# ---------------------------------------------------------------------------- the drawing


def _lane(actor: int) -> int:
    return _GUTTER + actor * (_BOX + _BETWEEN)


def _boxes(entries: Sequence[Plain]) -> list[_Box]:
    boxes, top = [], _HEAD
    for entry in entries:
        height = 2 * _PAD + _LINE * max(1, len(entry["lines"]))
        boxes.append(_Box(entry, top, height))
        top += height + _GAP
    return boxes


def _drawing(timeline: Plain) -> str:
    boxes, actors = _boxes(timeline["entries"]), timeline["actors"]
    width = _lane(len(actors) - 1) + _BOX + 2
    height = boxes[-1].bottom + 2 if boxes else _HEAD
    marked = {
        number for arrow in timeline["arrows"] for number in (arrow["first"], arrow["second"])
    }
    parts = [
        *_heads(actors),
        *_lane_lines(boxes, len(actors)),
        *(_box(box, is_marked=box.entry["number"] in marked) for box in boxes),
        *_arrows(timeline["arrows"], {box.entry["number"]: box for box in boxes}),
    ]
    label = escape(f"{timeline['text']}; the table below has each step", quote=True)
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}">{"".join(parts)}</svg>'
    )


def _heads(actors: Sequence[str]) -> Iterator[str]:
    for number, name in enumerate(actors):
        yield f'<text class="head" x="{_lane(number)}" y="16">{_short(name)}</text>'


def _lane_lines(boxes: Sequence[_Box], actors: int) -> Iterator[str]:
    """Yield the lines between the steps of each function, dashed where it waits for a lock."""
    for actor in range(actors):
        own = [box for box in boxes if box.entry["actor"] == actor]
        for box, following in pairwise(own):
            x = box.left + _BOX // 2
            kind = "wait" if box.waits else "lane"
            yield f'<path class="{kind}" d="M{x} {box.bottom}V{following.top}"/>'


def _box(box: _Box, *, is_marked: bool) -> str:
    kind = "step marked" if is_marked else "step"
    number = (
        f'<text class="number" x="{_GUTTER - 10}" y="{box.top + _PAD + 12}">'
        f"{box.entry['number']}</text>"
    )
    lines = "".join(
        _text(line, box.left + 9, box.top + _PAD + 12 + position * _LINE)
        for position, line in enumerate(box.entry["lines"])
    )
    return (
        f'{number}<g class="{kind}"><rect x="{box.left}" y="{box.top}" width="{_BOX}" '
        f'height="{box.height}" rx="5"/>{lines}</g>'
    )


def _text(line: Plain, x: int, y: int) -> str:
    whole = _whole(line)
    title = escape(f"{whole}  {line['site']}".rstrip())
    kind = f"{line['kind']} closes" if line["mark"] else line["kind"]
    return f'<text class="{kind}" x="{x}" y="{y}"><title>{title}</title>{_short(whole)}</text>'


def _whole(line: Plain) -> str:
    """Return a line without its mark: "read Acc(1) Bal=100"."""
    verb = f"{line['kind']} " if line["kind"] in ("read", "write") else ""
    return f"{verb}{line['text']}"


def _short(text: str) -> str:
    return escape(text if len(text) <= _CHARS_MAX else f"{text[: _CHARS_MAX - 1]}…")


def _arrows(arrows: Sequence[Plain], boxes: dict[int, _Box]) -> Iterator[str]:
    for position, arrow in enumerate(arrows):
        first, second = boxes.get(arrow["first"]), boxes.get(arrow["second"])
        if first is not None and second is not None:
            yield _arrow(first, second, 8 * position, str(arrow["text"]))


def _arrow(first: _Box, second: _Box, shift: int, text: str) -> str:
    """Return an arrow from the side of a box to the side of another; `shift` parts arrows."""
    goes_right = second.left > first.left
    start = first.left + (_BOX if goes_right else 0)
    end = second.left + (0 if goes_right else _BOX)
    away = (_BETWEEN // 2 + shift) * (1 if goes_right else -1)
    y1, y2 = first.bottom - _END, second.top + _END
    tip = end - _TIP if goes_right else end + _TIP
    return (
        f'<g class="arrow"><title>{escape(text)}</title>'
        f'<path d="M{start} {y1}C{start + away} {y1} {end - away} {y2} {tip} {y2}"/>'
        f'<polygon points="{end},{y2} {tip},{y2 - 4} {tip},{y2 + 4}"/></g>'
    )


# ---------------------------------------------------------------------------- tables


def _table(timeline: Plain) -> str:
    return shell.table(
        _HEADS,
        (
            (
                str(entry["number"]),
                escape(timeline["actors"][entry["actor"]]),
                _cell(entry, ("request",)),
                _cell(entry, ("read", "write", "note")),
            )
            for entry in timeline["entries"]
        ),
        ("step",),
    )


def _cell(entry: Plain, kinds: Sequence[str]) -> str:
    return "".join(
        f"<div><code>{shell.breakable(_whole(line))}</code> "
        f'<span class="site">{shell.breakable(line["site"])}</span>'
        f'<span class="wait">{escape(line["mark"])}</span></div>'
        for line in entry["lines"]
        if line["kind"] in kinds
    )


def _outcomes(endings: Sequence[Plain]) -> str:
    return shell.table(
        ("order", "outcome"),
        (
            (escape(ending["name"]), f"<code>{shell.breakable(ending['text'])}</code>")
            for ending in endings
        ),
    )
