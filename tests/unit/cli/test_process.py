"""The CPU on which a server runs, and the memory that it gives a statement."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spanemu.base.process import headroom
from spanemu.cli.process import Load, better_home, heed_limits, statement_memory_bytes

ALLOWED = [0, 1, 2]


def after(*, own, busy):
    return better_home(0, ALLOWED, Load(1.0, dict(enumerate(busy)), own))


@pytest.mark.parametrize(
    ("own", "busy", "home"),
    [
        pytest.param(1.0, (1.0, 0.0, 0.0), 0, id="nobody else at home"),
        pytest.param(0.5, (1.0, 0.4, 0.1), 2, id="shared, and another is quieter"),
        pytest.param(0.5, (1.0, 0.4, 0.3), 0, id="shared, and elsewhere it is no better"),
        pytest.param(0.1, (0.6, 0.0, 0.0), 0, id="shared, and there is room"),
        pytest.param(0.5, (1.0, 0.0, 0.0), 1, id="the first of the quietest"),
    ],
)
def test_a_server_moves_from_a_busy_cpu_to_a_less_loaded_one(own, busy, home):
    assert after(own=own, busy=busy) == home


MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(None, 256 * MIB), (8_192 * MIB, 256 * MIB), (512 * MIB, 153 * MIB), (100 * MIB, 32 * MIB)],
)
def test_a_statement_may_use_a_share_of_the_memory_limit(limit, expected):
    assert statement_memory_bytes(256 * MIB, limit) // MIB == expected // MIB


def test_the_limit_of_a_control_group_counts(monkeypatch, tmp_path):
    limited, unlimited = tmp_path / "limited", tmp_path / "unlimited"
    limited.write_text("1048576\n")
    unlimited.write_text("max\n")
    monkeypatch.setattr(headroom, "resident", None)
    monkeypatch.setattr("spanemu.cli.process._address_space", lambda: None)
    monkeypatch.setattr("spanemu.cli.process._CGROUP_FILES", (unlimited, Path("/nowhere")))
    assert heed_limits() is None
    monkeypatch.setattr("spanemu.cli.process._CGROUP_FILES", (unlimited, limited))
    assert heed_limits() == headroom.resident == MIB


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's arenas")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no descriptors")
def test_a_server_may_have_as_many_descriptors_as_the_system_permits():
    program = (
        "import resource\n"
        "from spanemu.base.process import descriptors\n"
        "from spanemu.cli.process import allow_descriptors\n"
        "_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))\n"
        "print(descriptors(0.5))\n"
        "allow_descriptors()\n"
        "print(descriptors(1.0) > 100)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert done.stdout.split() == [b"50", b"True"]


def test_threads_share_one_arena():
    program = (
        "import threading, resource, ctypes\n"
        "from spanemu.cli.process import share_one_arena\n"
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
