"""A failure shows its status and a caret below the position that the message names."""

from __future__ import annotations

import pytest
from google.api_core.exceptions import InvalidArgument, RetryError
from google.rpc.error_details_pb2 import ErrorInfo

from spanemu.cli.shell.failures import ShellFailure, failure_text


def test_the_caret_stands_below_the_position():
    problem = InvalidArgument("Unrecognized name: x [at 2:3]")
    assert failure_text(problem, "SELECT\n\n").splitlines() == [
        "ERROR INVALID_ARGUMENT: Unrecognized name: x [at 2:3]"
    ]
    assert failure_text(problem, "SELECT\n  x\n").splitlines()[1:] == ["  x", "  ^"]


def test_a_position_beside_the_message_is_marked_too():
    info = ErrorInfo(reason="SQL_ERROR", metadata={"position": "1:8", "pg_sqlerrcode": "42703"})
    problem = InvalidArgument('[ERROR] column "x" does not exist', details=(info,))
    assert failure_text(problem, "SELECT x").splitlines() == [
        'ERROR INVALID_ARGUMENT: [ERROR] column "x" does not exist [at 1:8]',
        "SELECT x",
        "       ^",
    ]


def test_tabs_count_as_in_the_message():
    problem = InvalidArgument("no [at 1:9]")
    assert failure_text(problem, "\tx").splitlines()[1:] == ["        x", "        ^"]


@pytest.mark.parametrize("position", ["[at 9:1]", "[at 1:99]", "[at 0:1]", ""])
def test_a_position_outside_of_the_text_has_no_caret(position):
    assert failure_text(InvalidArgument(f"no {position}"), "SELECT x").count("\n") == 0


def test_failures_of_the_shell_have_no_status():
    assert failure_text(ShellFailure("no such file")) == "ERROR: no such file"
    assert "does not answer" in failure_text(RetryError("late", cause=None))
