"""A test against a process that dies fails at once instead of trying again forever."""

import subprocess
import sys

import pytest

import spanemu
from spanemu.api.client import official_database
from tests.conformance.guarded_channel import ServerDied, guarded
from tests.conformance.reference import official_process
from tests.ports import free_port


def test_calls_to_a_dead_process_fail():
    address = f"127.0.0.1:{free_port()}"
    with subprocess.Popen([sys.executable, "-c", "pass"]) as server:
        server.wait(60)
        with guarded(address, server):
            database = official_database(spanemu.Emulator.attach(address).client(), "i", "d")
            with pytest.raises(ServerDied), database.snapshot() as snapshot:
                list(snapshot.execute_sql("SELECT 1"))


@pytest.mark.reference
def test_a_process_killed_between_calls_is_noticed():
    with official_process() as (client, server):
        instance = client.instance(
            "doomed", f"{client.project_name}/instanceConfigs/emulator-config"
        )
        instance.create().result(timeout=60)
        instance.database("doomed-db").create().result(timeout=60)
        database = official_database(client, "doomed", "doomed-db")
        with database.snapshot() as snapshot:
            assert list(snapshot.execute_sql("SELECT 1")) == [[1]]
        server.kill()
        server.wait(60)
        with pytest.raises(ServerDied), database.snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT 1"))
