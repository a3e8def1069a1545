"""Get, list and delete sessions."""

import pytest

from tests.conformance.raw import IA, NF, Session, info_of, on_both, refused, user

SESSION_TYPE = "type.googleapis.com/google.spanner.v1.Session"


def listed(raw, **fields):
    return raw.call("list_sessions", "ListSessionsRequest", database=raw.name, **fields)


def listing(raw, **fields):
    """Return names of the first page."""
    return [one.name for one in listed(raw, **fields).sessions]


def requests(session):
    """Return a request of each kind."""
    return [
        lambda: session.get(),
        lambda: session.sql("SELECT 1"),
        lambda: session.stream_sql("SELECT 1"),
        lambda: session.read("Users", "Id"),
        lambda: session.begin(),
        lambda: session.commit(None),
        lambda: session.rollback(b"1"),
        lambda: session.batch(b"1", "DELETE FROM Users WHERE true"),
        lambda: session.partition_read("Users", "Id", transaction=b"1"),
        lambda: session.partition_query("SELECT 1", b"1"),
        lambda: session.batch_write([user(1)]),
    ]


@on_both
def test_get_finds_a_session(raw, session):
    assert session.get().name == session.name


def test_get_shows_labels(raw):
    assert raw.session(labels={"env": "test"}).get().labels == {"env": "test"}


def test_every_request_of_an_unknown_session_is_not_found(raw):
    unknown = Session(raw, f"{raw.name}/sessions/12345678")
    for request in requests(unknown):
        with refused(NF, match="Session not found: ") as error:
            request()
        info = info_of(error, "ResourceInfo")
        assert (info.resource_type, info.resource_name) == (SESSION_TYPE, unknown.name)


@on_both
def test_a_deleted_session_is_not_found(raw, session):
    session.delete()
    with refused(NF, match="Session not found"):
        session.get()
    with refused(NF, match="Session not found"):
        session.sql("SELECT 1")


@on_both
def test_malformed_session_names_are_refused(raw):
    with refused(IA):
        Session(raw, "sessions/1").get()


@on_both
def test_delete_is_idempotent(raw, session):
    session.delete()
    session.delete()
    Session(raw, f"{raw.name}/sessions/12345678").delete()


def test_deleting_a_session_releases_its_locks(raw, session):
    other = raw.session()
    other.commit(None, user(1))
    begun = session.begin().id
    session.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    session.delete()
    other.dml("UPDATE Users SET Age = 2 WHERE Id = 1", {"begin": {"read_write": {}}}, timeout=8)


@on_both
def test_dropping_the_database_drops_its_sessions(raw, session):
    raw.admin.drop_database(database=raw.name)
    with refused(NF, match="Database not found") as error:
        session.sql("SELECT 1")
    assert info_of(error, "ResourceInfo").resource_name == raw.name


def test_a_dropped_database_is_reported_before_its_sessions(raw, session, shared):
    raw.admin.drop_database(database=raw.name)
    unknown = Session(raw, f"{raw.name}/sessions/12345678")
    for gone in (session, shared, unknown):
        for request in [*requests(gone), gone.delete]:
            with refused(NF, match="Database not found"):
                request()


def test_sessions_of_a_dropped_database_do_not_use_a_new_one_of_the_same_name(raw, session, shared):
    # As the clients' own tests against Cloud Spanner have it; Google's emulator differs.
    raw.admin.drop_database(database=raw.name)
    raw.home._emulator.create_database(raw.name)
    for old in (session, shared):
        for request in requests(old):
            with refused(NF, match="Database not found") as error:
                request()
            assert info_of(error, "ResourceInfo").resource_name == raw.name
    gone = raw.session()
    gone.delete()
    with refused(NF, match="Session not found"):
        gone.get()


@on_both
def test_list_is_sorted_and_complete(raw):
    made = [raw.session().name for _ in range(5)]
    assert listing(raw) == sorted(made)


def test_multiplexed_sessions_are_not_listed(raw, session, shared):
    assert listing(raw) == [session.name]


def test_multiplexed_sessions_cannot_be_deleted(raw, shared):
    with refused(IA, match="Multiplexed sessions may not be deleted"):
        shared.delete()
    assert shared.select("SELECT 1") == [["1"]]


@on_both
def test_pages(raw):
    created = sorted(raw.session().name for _ in range(5))
    result, token = [], ""
    for size in (2, 2, 1):
        page = listed(raw, page_size=2, page_token=token)
        assert len(page.sessions) == size
        result += [one.name for one in page.sessions]
        token = page.next_page_token
    assert (result, token) == (created, "")


@on_both
@pytest.mark.parametrize("size", [0, 100_000])
def test_odd_page_sizes_mean_the_largest(raw, session, size):
    assert listing(raw, page_size=size) == [session.name]


def test_filters_by_label(raw):
    prod = raw.session(labels={"env": "prod", "tier": "one"}).name
    test = raw.session(labels={"env": "test"}).name
    raw.session()
    assert listing(raw, filter="labels.env:prod") == [prod]
    assert listing(raw, filter="labels.env:*") == sorted([prod, test])
    assert listing(raw, filter="labels.env:* labels.tier:one") == [prod]
    assert listing(raw, filter="labels.env:test labels.tier:one") == []


def test_bad_filters(raw):
    with refused(IA):
        listing(raw, filter="nothing:here")


def test_an_unknown_page_token_is_refused(raw, session):
    with refused(IA):
        listing(raw, page_token="nonsense")
