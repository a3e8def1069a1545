"""Requests that succeed, or would: what mutation starts from. One or several for each method."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from spanemu.frontend import wire
from spanemu.frontend import wire as admin
from tests.fuzz.administration import ADMIN_BUILDERS
from tests.fuzz.corpus import QUERIES, TABLES, WRITES
from tests.fuzz.mutation import fill
from tests.fuzz.resources import RESOURCE_BUILDERS
from tests.fuzz.statements import random_sql
from tests.fuzz.world import METHODS, SPANNER, Builder, World

_READ_ONLY: tuple[dict[str, Any], ...] = (
    {"read_only": {"strong": True}},
    {"read_only": {"exact_staleness": {"nanos": 1}, "return_read_timestamp": True}},
    {"read_only": {"max_staleness": {"seconds": 1}}},
    {"read_only": {"read_timestamp": {"seconds": 1_700_000_000}}},
    {"read_only": {"min_read_timestamp": {"seconds": 1_700_000_000}}},
)
_READ_WRITE: tuple[dict[str, Any], ...] = (
    {"read_write": {}},
    {"read_write": {"read_lock_mode": 2}},
    {"read_write": {}, "isolation_level": 2},
)
_KEYS: Mapping[str, tuple[list[str], ...]] = {
    "Singers": (["1"], ["2"], ["-9"]),
    "Albums": (["1", "1"], ["2", "9223372036854775807"], ["1", "-9"]),
    "Concerts": (["Hall", "2024-02-29"], ["", "9999-12-31"], ["x", "2000-01-01"]),
    "Knows": (["1", "2"], ["2", "3"], ["-9", "0"]),
}
_INDEXES = {"Albums": "AlbumsByTitle", "Singers": "SingersByName"}


def _texts(values: list[str]) -> dict[str, Any]:
    return {"values": [{"string_value": value} for value in values]}


def _key_set(random: Random, table: str) -> dict[str, Any]:
    keys = _KEYS[table]
    return random.choice(
        (
            {"all_": True},
            {"keys": [_texts(key) for key in keys]},
            {"ranges": [{"start_closed": _texts(keys[-1]), "end_open": _texts(keys[0][:1])}]},
            {"ranges": [{"start_open": _texts([]), "end_closed": _texts(keys[1])}]},
        )
    )


def _selector(random: Random, world: World, *, write: bool) -> dict[str, Any]:
    kind = random.randrange(4)
    if write or kind == 0:
        options = random.choice(_READ_WRITE)
        return {"begin": options} if kind < 3 else {"id": world.begin(options)}
    if kind == 1:
        return {"id": world.begin(_READ_ONLY[0])}
    return {"single_use": random.choice(_READ_ONLY)}


def _options(random: Random) -> dict[str, Any]:
    return random.choice(({}, {"priority": 2, "request_tag": "app=fuzz", "transaction_tag": "t"}))


# ---------------------------------------------------------------------------- sessions


def _create_session(random: Random, world: World) -> Any:
    session = {"labels": {"env": "dev"}, "multiplexed": random.random() < 0.5}
    return wire.CreateSessionRequest(database=world.main.name, session=session)


def _batch_create_sessions(random: Random, world: World) -> Any:
    return wire.BatchCreateSessionsRequest(
        database=world.main.name, session_count=2, session_template={"labels": {"env": "dev"}}
    )


def _list_sessions(random: Random, world: World) -> Any:
    token = random.choice(("", "abc"))
    return wire.ListSessionsRequest(
        database=world.main.name, page_size=2, page_token=token, filter="labels.env:*"
    )


def _get_session(random: Random, world: World) -> Any:
    return wire.GetSessionRequest(name=world.session)


def _delete_session(random: Random, world: World) -> Any:
    return wire.DeleteSessionRequest(name=world.new_session())


# ---------------------------------------------------------------------------- reads, statements


def _read(random: Random, world: World) -> Any:
    table = random.choice(sorted(TABLES))
    request = wire.ReadRequest(
        session=world.session,
        transaction=_selector(random, world, write=False),
        table=table,
        columns=TABLES[table],
        key_set=_key_set(random, table),
        limit=random.choice((0, 1)),
        request_options=_options(random),
    )
    if random.random() < 0.2 and table in _INDEXES:
        request.index = _INDEXES[table]
        del request.columns[:]
        request.columns.append("SingerId")
        request.key_set.CopyFrom(wire.KeySet(all_=True))
    if random.random() < 0.1:
        return _of_partition(random, world, request)
    return request


def _of_partition(random: Random, world: World, request: Any) -> Any:
    """Return the same read, of a share that was cut for it."""
    transaction = world.begin(_READ_ONLY[0])
    names = ("session", "table", "index", "columns", "key_set")
    cut = wire.PartitionReadRequest(
        transaction={"id": transaction}, **{name: getattr(request, name) for name in names}
    )
    response = world.ask(SPANNER + "PartitionRead", cut)
    request.transaction.CopyFrom(cut.transaction)
    request.limit = 0
    request.partition_token = random.choice(response.partitions).partition_token
    return request


def _streaming_read(random: Random, world: World) -> Any:
    request = _read(random, world)
    if random.random() < 0.2:
        _resume(world, SPANNER + "StreamingRead", request)
    return request


def _resume(world: World, path: str, request: Any) -> None:
    """Take up the request's own stream where it ended."""
    reply = world.send(path, request.SerializeToString())
    for data in reply.messages:
        part = wire.PartialResultSet.FromString(data)
        request.resume_token = part.resume_token or request.resume_token
        if part.metadata.transaction.id:
            world.forget(request.session, part.metadata.transaction.id)


def _sql(random: Random, world: World) -> Any:
    kind = random.random()
    request = wire.ExecuteSqlRequest(
        session=world.session, query_mode=random.choice((0, 0, 0, 0, 1, 2)), seqno=1
    )
    if kind < 0.25:
        request.sql = random.choice(WRITES)
        partitioned = random.random() < 0.15
        selector = {"id": world.begin({"partitioned_dml": {}})} if partitioned else None
        selector = selector or _selector(random, world, write=True)
    else:
        request.sql = random.choice((*QUERIES, "SELECT @p, @q"))
        selector = _selector(random, world, write=False)
    request.transaction.CopyFrom(wire.TransactionSelector(**selector))
    _parameters(random, request)
    return request


def _parameters(random: Random, request: Any) -> None:
    values: tuple[Any, ...] = ("5", "x", None, True, 1.5, ["1"], {"a": "1"}, "2024-01-01")
    codes = (2, 6, 4, 5, 7, 10, 11, 3, 15, 16, 17, 1)
    for name in ("p", "q"):
        if random.random() < 0.7:
            request.params[name] = random.choice(values)
        if random.random() < 0.7:
            request.param_types[name].code = random.choice(codes)
        if random.random() < 0.2:
            request.param_types[name].code = 8
            request.param_types[name].array_element_type.code = random.choice(codes)
            request.params[name] = [random.choice(values)]


def _fuzzed_sql(random: Random, world: World) -> Any:
    request = _sql(random, world)
    request.sql = random_sql(random)
    return request


def _streaming_sql(random: Random, world: World) -> Any:
    request = _sql(random, world)
    if request.sql in QUERIES and random.random() < 0.1:
        _resume(world, SPANNER + "ExecuteStreamingSql", request)
    return request


def _batch_dml(random: Random, world: World) -> Any:
    request = wire.ExecuteBatchDmlRequest(
        session=world.session,
        transaction=_selector(random, world, write=True),
        seqno=random.choice((1, 2)),
        request_options=_options(random),
    )
    for _ in range(random.choice((1, 2, 3))):
        request.statements.add(sql=random.choice((*WRITES, "SELECT 1", random_sql(random))))
    return request


def _partition_query(random: Random, world: World) -> Any:
    return wire.PartitionQueryRequest(
        session=world.session,
        transaction={"begin": _READ_ONLY[0]},
        sql=random.choice(("SELECT SingerId FROM Singers", *QUERIES)),
        partition_options={"max_partitions": 3},
    )


def _partition_read(random: Random, world: World) -> Any:
    table = random.choice(sorted(TABLES))
    return wire.PartitionReadRequest(
        session=world.session,
        transaction={"begin": _READ_ONLY[0]},
        table=table,
        columns=TABLES[table],
        key_set=_key_set(random, table),
        partition_options={"partition_size_bytes": 1},
    )


# ---------------------------------------------------------------------------- transactions


def _begin(random: Random, world: World) -> Any:
    options = random.choice((*_READ_ONLY, *_READ_WRITE, {"partitioned_dml": {}}))
    return wire.BeginTransactionRequest(
        session=world.session, options=options, request_options=_options(random)
    )


def _mutations(random: Random) -> list[dict[str, Any]]:
    singer = str(random.choice((1, 2, 3, 4, 50)))
    mutations: list[dict[str, Any]] = [
        {
            random.choice(("insert", "update", "insert_or_update", "replace")): {
                "table": "Singers",
                "columns": ["SingerId", "FirstName", "Tags", "Seen"],
                "values": [
                    {
                        "values": [
                            {"string_value": singer},
                            random.choice(({"string_value": "N"}, {"null_value": 0})),
                            {"list_value": {"values": [{"string_value": "t"}]}},
                            {"string_value": "spanner.commit_timestamp()"},
                        ]
                    }
                ],
            }
        },
        {
            "insert_or_update": {
                "table": "Albums",
                "columns": ["SingerId", "AlbumId", "Sold"],
                "values": [_texts([singer, "8", "-4"])],
            }
        },
        {"delete": {"table": "Albums", "key_set": _key_set(random, "Albums")}},
    ]
    return mutations[: random.choice((1, 2, 3))]


def _commit(random: Random, world: World) -> Any:
    request = wire.CommitRequest(
        session=world.session,
        mutations=_mutations(random),
        return_commit_stats=True,
        request_options=_options(random),
    )
    if random.random() < 0.6:
        request.single_use_transaction.CopyFrom(
            wire.TransactionOptions(**random.choice(_READ_WRITE))
        )
    else:
        request.transaction_id = world.begin(random.choice(_READ_WRITE))
    if random.random() < 0.1:
        request.max_commit_delay.nanos = 1_000_000
    return request


def _rollback(random: Random, world: World) -> Any:
    return wire.RollbackRequest(
        session=world.session, transaction_id=world.begin(random.choice(_READ_WRITE))
    )


def _batch_write(random: Random, world: World) -> Any:
    groups = [{"mutations": _mutations(random)} for _ in range(random.choice((1, 2)))]
    return wire.BatchWriteRequest(session=world.session, mutation_groups=groups)


# ---------------------------------------------------------------------------- the table


def _anything(random: Random, world: World) -> Any:
    """Return any request, for methods that are always refused."""
    message = random.choice((wire.CommitRequest, admin.CreateInstanceRequest))()
    fill(random, message)
    return message


BUILDERS: Mapping[str, tuple[Builder, ...]] = {
    SPANNER + "CreateSession": (_create_session,),
    SPANNER + "BatchCreateSessions": (_batch_create_sessions,),
    SPANNER + "GetSession": (_get_session,),
    SPANNER + "ListSessions": (_list_sessions,),
    SPANNER + "DeleteSession": (_delete_session,),
    SPANNER + "ExecuteSql": (_sql, _fuzzed_sql),
    SPANNER + "ExecuteStreamingSql": (_streaming_sql, _fuzzed_sql),
    SPANNER + "ExecuteBatchDml": (_batch_dml,),
    SPANNER + "Read": (_read,),
    SPANNER + "StreamingRead": (_streaming_read,),
    SPANNER + "BeginTransaction": (_begin,),
    SPANNER + "Commit": (_commit,),
    SPANNER + "Rollback": (_rollback,),
    SPANNER + "PartitionQuery": (_partition_query,),
    SPANNER + "PartitionRead": (_partition_read,),
    SPANNER + "BatchWrite": (_batch_write,),
    **ADMIN_BUILDERS,
    **RESOURCE_BUILDERS,
    # Refused whatever they say.
    **{path: (_anything,) for path, method in METHODS.items() if method.request is admin.Empty},
}
