"""A server ends when a signal asks for it."""

from __future__ import annotations

import signal

import pytest

from spanemu.cli.lifecycle import STOP_SIGNALS, stop_signal


@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_a_signal_counts_before_its_handler_has_run(number):
    with stop_signal(or_stdin_end=False) as wait_for_stop:
        signal.signal(number, lambda *_: None)
        signal.raise_signal(number)
        wait_for_stop()


def test_the_former_handlers_return():
    before = signal.getsignal(signal.SIGTERM)
    with stop_signal(or_stdin_end=False):
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before
    assert signal.set_wakeup_fd(-1) == -1
