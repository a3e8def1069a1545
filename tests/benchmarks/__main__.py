"""Benchmarks: `python -m tests.benchmarks [SUITE...] [--rounds N] [--anchor PATH]`.

`--megabytes N` sets the size of the files for `load`.
"""

from __future__ import annotations

import argparse
import os

from tests.benchmarks import (
    anchor,
    change_stream_reading,
    change_streams,
    cold,
    collector,
    ddl,
    dialects,
    engine,
    explorer,
    floor,
    go_client,
    graph,
    growth,
    hotspots,
    large_streams,
    large_table,
    latency,
    lint,
    load,
    models,
    plugin,
    recording,
    regression,
    report,
    request_log,
    rest,
    revisions,
    search,
    shapes,
    sql,
    startup,
    storage,
    streaming,
    threads,
    tpch,
    transactions,
    vectors,
)

SUITES = {
    "latency": latency.main,
    "transactions": transactions.main,
    "engine": engine.main,
    "ddl": ddl.main,
    "startup": startup.main,
    "cold": cold.main,
    "sql": sql.main,
    "shapes": shapes.main,
    "search": search.main,
    "dialects": dialects.main,
    "storage": storage.main,
    "large_streams": large_streams.main,
    "large_table": large_table.main,
    "plugin": plugin.main,
    "recording": recording.main,
    "hotspots": hotspots.main,
    "regression": regression.main,
    "lint": lint.main,
    "load": load.main,
    "models": models.main,
    "report": report.main,
    "change_streams": change_streams.main,
    "change_stream_reading": change_stream_reading.main,
    "request_log": request_log.main,
    "rest": rest.main,
    "revisions": revisions.main,
    "collector": collector.main,
    "growth": growth.main,
    "tpch": tpch.main,
    "streaming": streaming.main,
    "threads": threads.main,
    "go_client": go_client.main,
    "floor": floor.main,
    "vectors": vectors.main,
    "graph": graph.main,
    "explorer": explorer.main,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suites", nargs="*", default=list(SUITES), choices=[*SUITES, []])
    parser.add_argument("--rounds", type=int, default=20, help="rounds of each measurement")
    parser.add_argument("--anchor", help="another checkout to measure in the same run")
    parser.add_argument("--megabytes", help="the size of the files of a load")
    given = parser.parse_args()
    if given.megabytes:
        os.environ["SPANEMU_BENCHMARK_MEGABYTES"] = given.megabytes
    if given.anchor:
        anchor.add_anchor(given.anchor)
    for suite in given.suites or SUITES:
        SUITES[suite](given.rounds)


if __name__ == "__main__":
    main()
