"""The default rules are right on schemas of public projects: nine findings in ten, none harmful."""

from __future__ import annotations

import pytest

from tests.unit.lint.real_schemas import (
    CHECKOUTS,
    JUDGED,
    ORIGINS,
    VERDICTS,
    Origin,
    Subject,
    dropped_by,
    findings,
)

RESTATED = [origin for origin in ORIGINS if origin.restated.exists()]
PERMISSIVE = {"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause"}
AGREED_MIN = 0.9


def found(origins: list[Origin]) -> dict[Subject, str]:
    """Return the fix of each finding in the restated schemas."""
    return {
        subject: finding.fix
        for origin in origins
        for subject, finding in findings(origin, [origin.restated]).items()
    }


def name(origin: Origin) -> str:
    return origin.schema


def test_every_schema_has_an_origin_and_a_permissive_licence() -> None:
    assert len({origin.schema for origin in ORIGINS}) == len(ORIGINS)
    for origin in ORIGINS:
        assert "/" in origin.repository
        assert origin.files
        assert len(origin.commit) == 40
        assert origin.licence in PERMISSIVE
    assert {subject.schema for subject in JUDGED} <= {origin.schema for origin in RESTATED}
    assert {origin.restated for origin in RESTATED} == set(
        RESTATED[0].restated.parent.glob("*.sql")
    )


def test_every_judgement_has_a_verdict_and_a_reason() -> None:
    for judgement in JUDGED.values():
        assert judgement.verdict in VERDICTS
        assert judgement.why.endswith(".")


@pytest.mark.parametrize("origin", RESTATED, ids=name)
def test_every_finding_is_judged(origin: Origin) -> None:
    unjudged = sorted(found([origin]).keys() - JUDGED.keys())
    assert not unjudged, "judge them in findings.csv"


def test_nine_findings_in_ten_are_agreed_with() -> None:
    verdicts = [JUDGED[subject].verdict for subject in found(RESTATED) if subject in JUDGED]
    assert verdicts.count("agree") >= AGREED_MIN * len(verdicts)


def test_no_finding_is_harmful() -> None:
    assert not [each for each in found(RESTATED) if JUDGED[each].verdict == "harmful"]


def test_a_fix_drops_only_what_its_judgement_allows() -> None:
    # An index, a constraint or a column that a new fix drops may be needed.
    more = {
        subject: sorted(dropped_by(fix) - JUDGED[subject].drops)
        for subject, fix in found(RESTATED).items()
        if subject in JUDGED and dropped_by(fix) - JUDGED[subject].drops
    }
    assert not more, "judge these fixes again"


@pytest.mark.skipif(not CHECKOUTS, reason="SPANEMU_TEST_SCHEMAS names no folder of projects")
def test_the_original_files_have_the_findings_of_the_restated() -> None:
    original = {subject for origin in ORIGINS for subject in findings(origin, origin.originals)}
    assert original == found(RESTATED).keys()
