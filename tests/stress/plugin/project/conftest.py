"""Order by a seed, as many tests as are asked for, and what is left when a worker ends."""

import gc
import json
import os
import random
import resource
from pathlib import Path

import pytest
import torture_isolation

COUNT = int(os.environ.get("TORTURE_TESTS", "40"))
SEED = int(os.environ.get("TORTURE_SEED", "1"))
LOOKS = 20  # at the memory, over the run


def pytest_generate_tests(metafunc):
    if "round_" in metafunc.fixturenames:
        actions = sum(name.startswith("test_") for name in vars(torture_isolation))
        metafunc.parametrize("round_", range(max(1, COUNT // actions)))


def pytest_collection_modifyitems(items):
    random.Random(SEED).shuffle(items)


class Memory:
    """A plugin that measures the memory of this process every so many tests.

    Sessions that tests leave stay, as on Spanner, until they have been idle for an hour: a client
    that a module holds goes on with its own. They are counted, so that no others come to them.
    """

    def __init__(self):
        self.done, self.seen, self.sessions_left = 0, [], 0

    def look(self):
        self.done += 1
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        if self.done % max(1, COUNT // workers // LOOKS) == 0:
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.seen.append(pages * resource.getpagesize() // 1024)


@pytest.fixture(scope="session")
def memory():
    return Memory()


@pytest.fixture(scope="session", autouse=True)
def what_is_left(spanner_template, memory):
    yield
    database = spanner_template.handle
    client = database.client()
    left = {
        "tests": memory.done,
        "kilobytes": memory.seen,
        "open_transactions": len(database.open_transactions()),
        "sessions": sum(1 for _ in client.spanner_api.list_sessions(database=client.name)),
        "sessions_of_tests": memory.sessions_left,
        "databases": sum(1 for _ in client._instance.list_databases()),
    }
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    Path(os.environ["TORTURE_OUT"], f"{worker}.json").write_text(json.dumps(left))
