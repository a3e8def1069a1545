"""Every rule of the report, with a workload that breaks the rule and with a near miss."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spanemu import Emulator
from spanemu.lint.rules import DETECTED
from tests.hotspots.scenes import SCENES, Scene


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator() as running:
        yield running


def told(emulator: Emulator, name: str, scene: Scene) -> set[str]:
    """Return the rules in the report on a workload."""
    database = emulator.create_database(name, schema=list(scene.ddl))
    client = database.client()
    if scene.prepare is not None:
        scene.prepare(client)
    with emulator.hotspots(database).watch(**scene.options) as watch:
        scene.work(client)
    findings = watch.findings
    return {rule for each in findings for rule in (each.rule, *each.related)}


def test_every_rule_has_its_scenes() -> None:
    assert set(SCENES) == DETECTED


@pytest.mark.parametrize("rule", SCENES)
def test_speaks(emulator: Emulator, rule: str) -> None:
    assert rule in told(emulator, f"speaks-{rule.lower()}", SCENES[rule][0])


@pytest.mark.parametrize("rule", SCENES)
def test_near_miss(emulator: Emulator, rule: str) -> None:
    assert rule not in told(emulator, f"misses-{rule.lower()}", SCENES[rule][1])
