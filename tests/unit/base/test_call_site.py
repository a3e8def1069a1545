"""The lines of a client's own code that are found on the stack."""

from __future__ import annotations

from functools import partial

from spanemu.base.call import NO_SITE, Call, CallSite
from spanemu.base.call_site import calling_site


def helper() -> CallSite:
    return calling_site()


def in_comprehension() -> list[CallSite]:
    return [
        calling_site()
        for _ in range(2)
    ]  # fmt: skip


def line_of(function: object, offset: int) -> str:
    return f"{__file__}:{function.__code__.co_firstlineno + offset}"


def same(found: str, expected: str) -> bool:
    return expected.endswith(found) and found.startswith("tests")


def test_a_helper_is_named_with_its_caller() -> None:
    site = helper()
    assert same(site.line, line_of(helper, 1))
    assert same(site.caller, line_of(test_a_helper_is_named_with_its_caller, 1))


def test_library_frames_between_helper_and_caller_are_skipped() -> None:
    (site,) = set(map(lambda call: call(), [partial(helper)]))  # noqa: C417
    assert same(site.line, line_of(helper, 1))
    assert "test_call_site.py" in site.caller


def test_a_comprehension_belongs_to_the_function_around_it() -> None:
    first, second = in_comprehension()
    assert first == second
    assert same(first.line, line_of(in_comprehension, 2))
    assert same(first.caller, line_of(test_a_comprehension_belongs_to_the_function_around_it, 1))


def test_a_test_function_has_no_caller() -> None:
    assert calling_site().caller == ""


def test_a_call_from_an_event_loop_brings_its_lines_along() -> None:
    assert Call().site == NO_SITE
