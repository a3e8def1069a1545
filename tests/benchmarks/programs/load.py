"""One `spanemu load` of a folder into a new server, each in a process of its own. Prints JSON.

    load.py FOLDER

`seconds` is the processor time of the command, `server_seconds` that of the server since before the
load, and `server_bytes` the largest memory of the server, less what it had before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPANEMU = [sys.executable, "-P", "-m", "spanemu"]
SECONDS_MAX = 60


def started(endpoint: Path, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server has written its endpoint file."""
    deadline = time.monotonic() + SECONDS_MAX
    while not (endpoint.exists() and endpoint.stat().st_size):
        assert server.poll() is None, "the server ended"
        assert time.monotonic() < deadline, "the server does not start"
        time.sleep(0.05)


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has taken."""
    columns = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int, name: str) -> int:
    """Return a number of bytes from the status of a process: VmRSS, or VmHWM for the largest."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise KeyError(name)


def main(folder: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as directory:
        endpoint = Path(directory) / "endpoint.json"
        ports = ["--host-port", "127.0.0.1:0", "--rest-host-port", "off"]
        serve = [*SPANEMU, "serve", *ports, "--endpoint-file", str(endpoint)]
        server = subprocess.Popen(serve, stdout=sys.stderr)
        try:
            started(endpoint, server)
            seconds, resident = processor_seconds(server.pid), memory(server.pid, "VmRSS")
            command = [*SPANEMU, "load", "loaded", folder, "--create", "--format", "csv", "-q"]
            loading = subprocess.Popen(
                [*command, "--endpoint-file", str(endpoint)], stdout=sys.stderr
            )
            _, status, used = os.wait4(loading.pid, 0)
            assert status == 0, "the load failed"
            return {
                "seconds": used.ru_utime + used.ru_stime,
                "server_seconds": processor_seconds(server.pid) - seconds,
                "bytes": used.ru_maxrss * 1024,
                "server_bytes": memory(server.pid, "VmHWM") - resident,
            }
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1])))
