"""The template of a date or timestamp: `FMMonth DDth, YYYY` as patterns and literal characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from spanemu.base.deadline_checks import interruptible_stream
from spanemu.sql.functions.text.pattern_cache import pattern_cache


class NodeKind(Enum):
    """The kind of a part of a template."""

    PATTERN = auto()
    SEPARATOR = auto()  # punctuation outside quotes
    SPACE = auto()
    CHARACTER = auto()


class Calendar(Enum):
    """The calendar that a pattern belongs to; a template for reading uses one of them."""

    ANY = auto()
    GREGORIAN = auto()
    ISO_WEEK = auto()


@dataclass(frozen=True, slots=True)
class DateNode:
    """A part of a template. `key` is the pattern in upper case, `text` as the manual has it."""

    kind: NodeKind
    text: str
    key: str = ""
    fill_mode: bool = False
    localized: bool = False
    ordinal: str = ""  # TH or th
    takes_all_digits: bool = False  # for reading: a field without a fixed width

    @property
    def calendar(self) -> Calendar:
        """Return the calendar of a pattern."""
        if self.key in _GREGORIAN:
            return Calendar.GREGORIAN
        return Calendar.ISO_WEEK if self.key in _ISO_WEEK else Calendar.ANY


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_GREGORIAN = _names("DDD DD D MM MONTH MON RM WW W Y,YYY YYYY YYY YY Y")
_ISO_WEEK = _names("IDDD ID IW IYYY IYY IY I")
_WORDS = _names("A.D. A.M. AD AM B.C. BC DAY DY FX MONTH MON OF P.M. PM RM TZH TZ")

# Of two patterns that begin alike, the first that fits is taken.
_UPPER_TEXT = (
    "A.D. A.M. AD AM B.C. BC CC DAY DDD DD DY Day Dy D FF1 FF2 FF3 FF4 FF5 FF6 FX HH24 HH12 HH "
    "IDDD ID IW IYYY IYY IY I J MI MM MONTH MON MS Month Mon OF P.M. PM Q RM SSSSS SSSS SS "
    "TZH TZM TZ US WW W Y,YYY YYYY YYY YY Y"
)
_UPPER = _UPPER_TEXT.split()
_LOWER = [name.lower() for name in _UPPER if name not in ("Day", "Dy", "Month", "Mon")]
_PATTERNS = "|".join(map(re.escape, [*_UPPER, *_LOWER]))
_NODE = re.compile(
    rf"(?P<prefix>FM|fm|TM|tm)?(?:(?P<name>{_PATTERNS})(?P<suffix>TH|th|SP)?"
    r'|"(?P<quoted>(?:[^"\\]|\\.|\\\Z)*)"?'
    r'|(?:\\(?="))?(?P<literal>.))|(?P<lone>FM|fm|TM|tm)',
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SPACES = " \t\n\v\f\r"


@pattern_cache
def date_template(text: str) -> tuple[DateNode, ...]:
    """Return the parts of a template."""
    nodes: list[DateNode] = []
    for match in interruptible_stream(_NODE.finditer(text)):
        if match["name"]:
            nodes.append(_pattern(match))
        elif match["quoted"] is not None:
            quoted = _ESCAPED.sub(r"\1", match["quoted"])
            nodes += [DateNode(NodeKind.CHARACTER, character) for character in quoted]
        elif match["literal"]:
            nodes.append(_literal(match["literal"]))
    return tuple(_with_widths(nodes))


def is_separator(character: str) -> bool:
    """Return whether a character is ASCII punctuation."""
    return "!" <= character <= "~" and not character.isalnum()


def is_space(character: str) -> bool:
    """Return whether a character is ASCII white space."""
    return character != "" and character in _SPACES


def _pattern(match: re.Match[str]) -> DateNode:
    prefix, suffix = (match["prefix"] or "").upper(), match["suffix"] or ""
    return DateNode(
        NodeKind.PATTERN,
        match["name"],
        match["name"].upper(),
        fill_mode=prefix == "FM",
        localized=prefix == "TM",
        ordinal=suffix if suffix != "SP" else "",
    )


def _literal(character: str) -> DateNode:
    if is_separator(character):
        return DateNode(NodeKind.SEPARATOR, character)
    kind = NodeKind.SPACE if is_space(character) else NodeKind.CHARACTER
    return DateNode(kind, character)


def _with_widths(nodes: list[DateNode]) -> list[DateNode]:
    """Mark the patterns that read all digits: in fill mode, or before something else."""
    return [
        DateNode(
            node.kind, node.text, node.key, node.fill_mode, node.localized, node.ordinal,
            node.fill_mode or bool(node.ordinal) or _ends_number(following),
        )
        for node, following in zip(nodes, [*nodes[1:], None], strict=False)
    ]  # fmt: skip


def _ends_number(following: DateNode | None) -> bool:
    if following is None:
        return True
    if following.kind is NodeKind.PATTERN:
        return following.key in _WORDS
    return not (following.text.isascii() and following.text.isdigit())
