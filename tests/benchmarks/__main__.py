"""Benchmarks: `python -m tests.benchmarks [SUITE...] [--rounds N]`."""

from __future__ import annotations

import argparse

from tests.benchmarks import (
    change_streams,
    cold,
    ddl,
    dialects,
    engine,
    hotspots,
    latency,
    lint,
    plugin,
    recording,
    report,
    rest,
    sql,
    startup,
    transactions,
)

SUITES = {
    "latency": latency.main,
    "transactions": transactions.main,
    "engine": engine.main,
    "ddl": ddl.main,
    "startup": startup.main,
    "cold": cold.main,
    "sql": sql.main,
    "dialects": dialects.main,
    "plugin": plugin.main,
    "recording": recording.main,
    "hotspots": hotspots.main,
    "lint": lint.main,
    "report": report.main,
    "change_streams": change_streams.main,
    "rest": rest.main,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", default=list(SUITES), choices=[*SUITES, []])
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each measurement")
    given = parser.parse_args()
    for suite in given.suites or SUITES:
        SUITES[suite](given.rounds)


if __name__ == "__main__":
    main()
