"""The palette of all pages: texts and controls stand out enough, in light and in dark (WCAG 2.2 AA)."""

import re

import pytest

from spanemu.web.shell import asset

TEXT, CONTROL = 4.5, 3.0
TEXTS = [
    *((text, paper) for text in ("ink", "faint", "accent", "good", "warn", "bad") for paper in ("paper", "soft")),
    ("on-accent", "accent"), ("accent", "accent-soft"), ("good", "good-soft"), ("warn", "warn-soft"), ("bad", "bad-soft"),
    ("ink", "sunken"), ("faint", "sunken"),
    *((f"g{number}", "paper") for number in range(8)),  # the labels of graphs, also as texts
]  # fmt: skip
CONTROLS = [("edge", "paper"), ("accent", "paper"), ("edge", "soft")]


def palettes():
    """Return the colours by name, in light and in dark."""
    light, dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))
        for block in re.findall(r":root \{(.*?)\n\s*\}", asset("style.css"), re.DOTALL)
    )
    return [pytest.param(light, id="light"), pytest.param({**light, **dark}, id="dark")]


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", palettes())
def test_colours_stand_out(palette):
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    pairs = [(pair, TEXT) for pair in TEXTS] + [(pair, CONTROL) for pair in CONTROLS]
    weak = {
        pair: round(found, 2)
        for pair, least in pairs
        if (found := contrast(palette[pair[0]], palette[pair[1]])) < least
    }
    assert not weak


@pytest.mark.parametrize("palette", palettes())
def test_each_colour_has_a_dark_variant(palette):
    names = {"paper", "soft", "sunken", "line", "edge", "ink", "faint"}
    assert names < palette.keys()


def test_the_style_sheet_loads_nothing():
    css = asset("style.css")
    assert "url(" not in css
    assert "@import" not in css
