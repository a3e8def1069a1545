"""What functions in other processes report, as an exploration compares it."""

from __future__ import annotations

import pytest

from spanemu.explorer.outcomes import error_text, status_of
from spanemu.explorer.remote import failure_of


@pytest.mark.parametrize("code", ["DEADLINE_EXCEEDED", "DeadlineExceeded"])
def test_codes_of_all_spellings_are_known(code: str) -> None:
    failure = failure_of(code, "request 7 timed out")
    assert status_of(failure) == "DEADLINE_EXCEEDED"
    assert error_text(failure) == "DeadlineExceeded"


def test_other_errors_keep_their_texts() -> None:
    failure = failure_of("SoldOut", "no seats")
    assert status_of(failure) == ""
    assert error_text(failure) == "SoldOut('no seats')"
