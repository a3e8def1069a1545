"""Every rule of the report, with a workload that breaks the rule and with a near miss."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from spanemu import Emulator
from spanemu.ddl import schema_of
from spanemu.lint.rules import DETECTED
from tests.hotspots.scenes import SCENES, Scene


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator() as running:
        yield running


def reported(emulator: Emulator, name: str, scene: Scene) -> Any:
    """Return the report on a workload."""
    database = emulator.create_database(name, schema=list(scene.ddl))
    client = database.client()
    if scene.prepare is not None:
        scene.prepare(client)
    with emulator.hotspots(database).watch(**scene.options) as watch:
        scene.work(client)
    return watch


def told(report: Any) -> set[str]:
    return {rule for each in report.findings for rule in (each.rule, *each.related)}


SHARD = re.compile(r"\bShardId\b")
STATEMENT = re.compile(
    r"\b(?:CREATE|ALTER|DROP) (?:UNIQUE |NULL_FILTERED )*INDEX [^;]*?(?=;|, (?:once|if) |$)"
)


def applies(scene: Scene, fix: str) -> None:
    """Apply the statements of a fix to the schema of a scene; a shard column is there by then."""
    ddl = ";\n".join(scene.ddl)
    if SHARD.search(fix) and not SHARD.search(ddl):
        ddl += ";\nALTER TABLE T ADD COLUMN ShardId INT64"
    statements = [each for each in STATEMENT.findall(fix) if "..." not in each]
    schema_of(";\n".join([ddl, *statements]))


def test_every_rule_has_its_scenes() -> None:
    assert set(SCENES) == DETECTED


@pytest.mark.parametrize("rule", SCENES)
def test_the_rule_reports_and_its_statements_apply(emulator: Emulator, rule: str) -> None:
    report = reported(emulator, f"speaks-{rule.lower()}", SCENES[rule][0])
    assert rule in told(report)
    for finding in report.findings:
        applies(SCENES[rule][0], finding.fix)


@pytest.mark.parametrize("rule", SCENES)
def test_near_miss(emulator: Emulator, rule: str) -> None:
    assert rule not in told(reported(emulator, f"misses-{rule.lower()}", SCENES[rule][1]))
