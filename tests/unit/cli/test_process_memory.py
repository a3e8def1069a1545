"""A server whose process has little memory gives a statement less of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spanemu.base.process import headroom
from spanemu.cli import process_memory
from spanemu.cli.process_memory import heed_limits, statement_memory_bytes

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, 256 * MIB), (8_192 * MIB, 256 * MIB), (512 * MIB, 153 * MIB), (100 * MIB, 32 * MIB)],
)
def test_a_statement_gets_a_share_of_what_the_process_may_take(limit, expected):
    assert statement_memory_bytes(256 * MIB, limit) // MIB == expected // MIB


def test_the_limit_of_a_control_group_counts(monkeypatch, tmp_path):
    limited, unlimited = tmp_path / "limited", tmp_path / "unlimited"
    limited.write_text("1048576\n")
    unlimited.write_text("max\n")
    monkeypatch.setattr(headroom, "resident", None)
    monkeypatch.setattr(process_memory, "_address_space", lambda: None)
    monkeypatch.setattr(process_memory, "_CGROUP_FILES", (unlimited, Path("/nowhere")))
    assert heed_limits() is None
    monkeypatch.setattr(process_memory, "_CGROUP_FILES", (unlimited, limited))
    assert heed_limits() == headroom.resident == MIB


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's arenas")
def test_threads_share_one_arena():
    program = (
        "import threading, resource, ctypes\n"
        "from spanemu.cli.process_memory import share_one_arena\n"
        "share_one_arena()\n"
        "gate = threading.Event()\n"
        "def work():\n"
        "    kept = bytearray(100_000); gate.wait()\n"
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "[thread.start() for thread in threads]\n"
        "print(sum('---p' in line for line in open('/proc/self/maps')))\n"
        "gate.set()\n"
    )
    arenas = [
        int(subprocess.check_output([sys.executable, "-c", text], text=True))
        for text in (program, program.replace("\nshare_one_arena()", ""))
    ]
    assert arenas[0] < arenas[1]
