"""Sessions by one and by the batch."""

import re

import pytest
from google.api_core import exceptions

from tests.conformance.raw import IA, NF, PD, info_of, on_both, refused

LABELS_BAD = [
    {f"k{number}": "v" for number in range(65)},
    {"": "v"},
    {"Upper": "v"},
    {"1st": "v"},
    {"k" * 64: "v"},
    {"with space": "v"},
    {"key": "Value"},
    {"key": "v" * 64},
    {"key": "sp ace"},
]


def create_batch(raw, count, **template):
    return raw.call(
        "batch_create_sessions",
        "BatchCreateSessionsRequest",
        database=raw.name,
        session_count=count,
        session_template=template,
    ).session


def create_at(raw, database, **fields):
    return raw.call("create_session", "CreateSessionRequest", database=database, session=fields)


@on_both
def test_a_session_is_named_below_its_database(raw):
    first, second = raw.session().name, raw.session().name
    assert re.fullmatch(f"{raw.name}/sessions/[^/]+", first)
    assert first != second


@on_both
def test_a_new_session_has_labels_and_times(raw):
    made = create_at(raw, raw.name, labels={"env": "test"})
    assert made.labels == {"env": "test"}
    assert made.create_time.seconds > 0
    assert made.approximate_last_use_time.seconds >= made.create_time.seconds
    assert not made.multiplexed


def test_a_multiplexed_session_is_marked(raw):
    assert create_at(raw, raw.name, multiplexed=True).multiplexed


def test_roles_are_kept(raw):
    raw.home.apply_schema(["CREATE ROLE clerk"])
    assert create_at(raw, raw.name, creator_role="clerk").creator_role == "clerk"
    assert create_batch(raw, 1, creator_role="clerk")[0].creator_role == "clerk"


def test_a_role_must_exist(raw):
    with refused(PD, match="Role not found: nobody"):
        create_at(raw, raw.name, creator_role="nobody")


def test_a_role_may_do_what_it_was_granted(raw):
    ddl = [
        "CREATE TABLE Ledger (k INT64, secret STRING(MAX)) PRIMARY KEY (k)",
        "CREATE ROLE auditor",
        "GRANT SELECT(k) ON TABLE Ledger TO ROLE auditor",
    ]
    raw.home.apply_schema(ddl)
    database = raw.home.client(database_role="auditor")
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT k FROM Ledger")) == []
    with refused(exceptions.PermissionDenied), database.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT secret FROM Ledger"))


@on_both
@pytest.mark.parametrize("labels", LABELS_BAD, ids=range(len(LABELS_BAD)))
def test_bad_labels(raw, labels):
    with refused(IA):
        create_at(raw, raw.name, labels=labels)
    with refused(IA):
        create_batch(raw, 1, labels=labels)


@on_both
def test_labels_at_their_limits(raw):
    labels = {f"k{number}": "v" for number in range(62)} | {"k" * 63: "v" * 63, "empty": ""}
    assert create_at(raw, raw.name, labels=labels).labels == labels


@on_both
def test_bad_labels_are_found_before_missing_databases(raw):
    with refused(IA):
        create_at(raw, f"{raw.name}x", labels={"Bad": ""})


@on_both
@pytest.mark.parametrize("name", ["", "db", "projects/p/instances/i", "projects/p/instances/i/x/d"])
def test_malformed_database_names_are_refused_for_sessions(raw, name):
    with refused(IA):
        create_at(raw, name)


@on_both
def test_an_instance_that_does_not_exist(raw):
    with refused(NF, match="Instance not found") as error:
        create_at(raw, "projects/p/instances/nowhere/databases/d")
    info = info_of(error, "ResourceInfo")
    assert info.resource_type == "type.googleapis.com/google.spanner.admin.instance.v1.Instance"


@on_both
def test_a_database_that_does_not_exist(raw):
    with refused(NF, match="Database not found") as error:
        create_at(raw, f"{raw.name}x")
    info = info_of(error, "ResourceInfo")
    assert info.resource_type == "type.googleapis.com/google.spanner.admin.database.v1.Database"
    assert info.resource_name == f"{raw.name}x"


@on_both
def test_a_batch_has_as_many_as_asked_for(raw):
    made = create_batch(raw, 7, labels={"env": "test"})
    assert len({one.name for one in made}) == 7
    assert all(one.labels == {"env": "test"} for one in made)


@on_both
def test_a_batch_is_capped_at_a_hundred(raw):
    assert len(create_batch(raw, 130)) == 100


@on_both
def test_a_negative_batch(raw):
    with refused(IA, match="Invalid number of sessions"):
        create_batch(raw, -1)


def test_an_empty_batch(raw):
    with refused(IA, match="Invalid number of sessions"):
        create_batch(raw, 0)


def test_multiplexed_sessions_do_not_come_in_batches(raw):
    with refused(IA, match="Multiplexed sessions may not be created in batch"):
        create_batch(raw, 1, multiplexed=True)
