"""A short campaign, on the embedded channel; `python -m tests.fuzz` is the long one."""

from __future__ import annotations

from random import Random

import pytest

from spanemu.frontend import wire
from tests.fuzz.campaign import Campaign, run_watched
from tests.fuzz.mutation import mutate, scramble
from tests.fuzz.valid import BUILDERS
from tests.fuzz.world import METHODS, SPANNER, small_world

CALLS = 1_500
SECONDS_MAX = 500.0  # A call that hangs is noticed long before.
SEED = 20_260


def test_every_method_has_requests() -> None:
    assert set(BUILDERS) == set(METHODS)


def test_valid_requests_are_valid() -> None:
    # What mutation starts from gets past the first checks, or the fuzzer sees nothing else.
    with small_world(embedded=True) as world:
        for path in sorted(BUILDERS):
            refused = METHODS[path].request.DESCRIPTOR.full_name == "google.protobuf.Empty"
            result = set()
            for number in range(8):
                request = BUILDERS[path][0](Random(number), world)
                result.add(world.send(path, request.SerializeToString()).code.name)
                world.forget_all()
            assert ("UNIMPLEMENTED" if refused else "OK") in result, path


def test_probes_notice() -> None:
    with small_world(embedded=True) as world:
        before = world.digest()
        assert not world.check_locks().failed
        update = wire.ExecuteSqlRequest(
            session=world.session,
            transaction={"id": world.begin({"read_write": {}})},
            sql="UPDATE Albums SET Sold = 8 WHERE SingerId = 1",
        )
        world.ask(SPANNER + "ExecuteSql", update)
        assert world.check_locks(seconds=0.05).failed
        assert world.digest() == before
        commit = wire.CommitRequest(session=world.session, transaction_id=update.transaction.id)
        world.ask(SPANNER + "Commit", commit)
        assert not world.check_locks().failed
        assert world.digest() != before
        world.reset()
        assert world.digest() == before


def test_mutations_repeat() -> None:
    request = wire.ReadRequest(session="s", table="t", columns=["a"], key_set={"all_": True})
    first, second = wire.ReadRequest(), wire.ReadRequest()
    for message in (first, second):
        message.CopyFrom(request)
        mutate(Random(4), message)
    assert first.SerializeToString() == second.SerializeToString()
    data = request.SerializeToString()
    assert scramble(Random(4), data) == scramble(Random(4), data) != data


@pytest.mark.filterwarnings("default")  # A warning is no answer; only statuses count here.
def test_campaign() -> None:
    print(f"seed {SEED}")
    with small_world(embedded=True) as world:
        findings = run_watched(Campaign(world, SEED), CALLS, seconds=SECONDS_MAX)
    assert findings.statuses["OK"] > CALLS // 10
    if findings.violations:
        pytest.fail(str(findings), pytrace=False)
