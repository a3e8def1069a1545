"""The template of a number: `FM999G990D00PR` as patterns, and what they say about the number."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from spanemu.base.deadline_checks import interruptible_stream
from spanemu.sql.functions.postgresql.errors import BadTemplate
from spanemu.sql.functions.text.pattern_cache import pattern_cache


class Anchor(Enum):
    """The place of the sign that S stands for."""

    NONE = auto()
    BEFORE = auto()
    AFTER = auto()


@dataclass(frozen=True, slots=True)
class Node:
    """A pattern of a template by its name in upper case, or a literal character."""

    pattern: str  # empty for a literal character; rn and th are in lower case as written
    text: str


@dataclass(slots=True)
class NumberTemplate:
    """A parsed template. `before` and `after` are the numbers of digits around the point."""

    nodes: list[Node] = field(default_factory=list)
    before: int = 0
    after: int = 0
    shift: int = 0  # digits after V
    sign: Anchor = Anchor.NONE
    digits_before_sign: int = 0
    zero_start: int = 0  # the position from 1 of the first 0; 0 without it
    zero_end: int = 0  # the position of the last 0
    has_zero: bool = False
    has_point: bool = False
    fill_mode: bool = False
    blank: bool = False
    brackets: bool = False
    minus: bool = False
    plus: bool = False
    roman: bool = False
    shifts: bool = False
    scientific: bool = False

    @property
    def has_sign(self) -> bool:
        """Return whether S stands in the template."""
        return self.sign is not Anchor.NONE

    def add(self, pattern: str) -> None:
        """Note the effect of a pattern; raise BadTemplate if it does not go with those before."""
        if self.scientific and pattern != "EEEE":
            raise BadTemplate('"EEEE" must be the last pattern used')
        effect = _EFFECTS.get(pattern)
        if effect is not None:
            effect(self)


@pattern_cache
def number_template(text: str) -> NumberTemplate:
    """Return the parsed template of a text; callers do not change it."""
    template = NumberTemplate()
    for match in interruptible_stream(_NODE.finditer(text)):
        pattern, quoted, literal = match.groups()
        if pattern is not None:
            name = pattern if pattern in ("rn", "th") else pattern.upper()
            template.nodes.append(Node(name, pattern))
            template.add(name)
        elif quoted is not None:
            template.nodes += [Node("", c) for c in _ESCAPED.sub(r"\1", quoted)]
        else:
            template.nodes.append(Node("", literal))
    return template


_NAMES = ", . 0 9 B C D EEEE FM G L MI PL PR RN SG SP S TH V"
_WORDS = [*_NAMES.split(), *_NAMES.lower().split()]
_NODE = re.compile(
    "(" + "|".join(map(re.escape, _WORDS)) + r')|"((?:[^"\\]|\\.|\\\Z)*)"?|(?:\\(?="))?(.)',
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


# ---------------------------------------------------------------------------- effects


def _nine(template: NumberTemplate) -> None:
    if template.brackets:
        raise BadTemplate('"9" must be ahead of "PR"')
    if template.shifts:
        template.shift += 1
    elif template.has_point:
        template.after += 1
    else:
        template.before += 1


def _zero(template: NumberTemplate) -> None:
    if template.brackets:
        raise BadTemplate('"0" must be ahead of "PR"')
    if not template.has_zero and not template.has_point:
        template.has_zero = True
        template.zero_start = template.before + 1
    if template.has_point:
        template.after += 1
    else:
        template.before += 1
    template.zero_end = template.before + template.after


def _blank(template: NumberTemplate) -> None:
    if not template.before and not template.after and not template.has_zero:
        template.blank = True


def _point(template: NumberTemplate) -> None:
    if template.has_point:
        raise BadTemplate("multiple decimal points")
    if template.shifts:
        raise BadTemplate('cannot use "V" and decimal point together')
    template.has_point = True


def _fill_mode(template: NumberTemplate) -> None:
    template.fill_mode = True


def _anchored_sign(template: NumberTemplate) -> None:
    if template.has_sign:
        raise BadTemplate('cannot use "S" twice')
    if template.plus or template.minus or template.brackets:
        raise BadTemplate('cannot use "S" and "PL"/"MI"/"SG"/"PR" together')
    if template.has_point:
        template.sign = Anchor.AFTER
    else:
        template.sign = Anchor.BEFORE
        template.digits_before_sign = template.before


def _free_sign(name: str, minus: bool, plus: bool) -> Callable[[NumberTemplate], None]:
    def effect(template: NumberTemplate) -> None:
        if template.has_sign:
            raise BadTemplate(f'cannot use "S" and "{name}" together')
        template.minus |= minus
        template.plus |= plus

    return effect


def _brackets(template: NumberTemplate) -> None:
    if template.has_sign or template.plus or template.minus:
        raise BadTemplate('cannot use "PR" and "S"/"PL"/"MI"/"SG" together')
    template.brackets = True


def _roman(template: NumberTemplate) -> None:
    template.roman = True


def _shift(template: NumberTemplate) -> None:
    if template.has_point:
        raise BadTemplate('cannot use "V" and decimal point together')
    template.shifts = True


def _scientific(template: NumberTemplate) -> None:
    if template.scientific:
        raise BadTemplate('cannot use "EEEE" twice')
    signs = template.has_sign or template.brackets or template.minus or template.plus
    if signs or template.blank or template.fill_mode or template.roman or template.shifts:
        raise BadTemplate(
            '"EEEE" is incompatible with other formats\nDetail: "EEEE" may only be used together '
            "with digit and decimal point patterns."
        )
    template.scientific = True


_EFFECTS: Mapping[str, Callable[[NumberTemplate], None]] = {
    "9": _nine,
    "0": _zero,
    "B": _blank,
    "D": _point,
    ".": _point,
    "FM": _fill_mode,
    "S": _anchored_sign,
    "MI": _free_sign("MI", minus=True, plus=False),
    "PL": _free_sign("PL", minus=False, plus=True),
    "SG": _free_sign("SG", minus=True, plus=True),
    "PR": _brackets,
    "RN": _roman,
    "rn": _roman,
    "V": _shift,
    "EEEE": _scientific,
}
