"""Protocol buffers in SQL and over the wire, as a client of Spanner uses them.

The expected results are those of the official emulator, where they do not contradict the page "Work
with protocol buffers in GoogleSQL".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError
from google.cloud.spanner_v1 import KeySet, TypeCode, param_types
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from spanemu import Emulator
from tests.unit.shop import BUNDLE, DESCRIPTORS

TABLE = """CREATE TABLE Orders (
  Id INT64 NOT NULL,
  O shop.Order,
  G `shop.Genre`,
  Os ARRAY<shop.Order>,
  Day INT64 AS (O.day) STORED,
  City STRING(MAX) AS (O.address.city) STORED,
  CHECK (O.weight > 0),
) PRIMARY KEY (Id)"""


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        client = emulator.client()
        instance = client.instance("shop", f"{client.project_name}/instanceConfigs/emulator-config")
        instance.create().result()
        created = instance.database(
            "shop",
            ddl_statements=[BUNDLE, TABLE, "CREATE INDEX ByCity ON Orders(City)"],
            proto_descriptors=DESCRIPTORS,
        )
        created.create().result()
        with created.batch() as batch:
            batch.insert("Orders", ["Id", "O", "G"], [(1, _order(), 1), (2, b"", None)])
            batch.insert("Orders", ["Id"], [(3,)])
        yield created


def _order() -> Any:
    pool = DescriptorPool()
    for file in FileDescriptorSet.FromString(DESCRIPTORS).file:
        pool.Add(file)
    order = GetMessageClass(pool.FindMessageTypeByName("shop.Order"))(number="a", day=5)
    order.address.city = "c"
    order.items.add(product="p", quantity=2)
    order.items.add(product="q")
    order.tags.append("t")
    return order


def rows(database: Any, sql: str, **given: Any) -> list[list[Any]]:
    with database.snapshot() as snapshot:
        return [list(row) for row in snapshot.execute_sql(sql, **given)]


def changed(database: Any, sql: str) -> list[list[Any]]:
    """Return the rows of a DML statement, then roll back."""
    session = database.session()
    session.create()
    transaction = session.transaction()
    transaction.begin()
    try:
        return [list(row) for row in transaction.execute_sql(sql)]
    finally:
        transaction.rollback()
        session.delete()


def failure(ask: Any, database: Any, sql: str) -> tuple[str, str]:
    with pytest.raises(GoogleAPICallError) as caught:
        ask(database, sql)
    assert caught.value.grpc_status_code is not None
    place = re.search(r"\[at (\d+:\d+)\]", str(caught.value))
    return caught.value.grpc_status_code.name, place[1] if place else ""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("CAST('day: 5' AS shop.Order).day", 5),
        ("CAST(b'\\x0a\\x01a' AS shop.Order).NUMBER", "a"),
        ("CAST(CAST('address { city: \"x\" }' AS shop.Order) AS STRING)", 'address { city: "x" }'),
        ("CAST('' AS shop.Order).address.city", None),
        ("CAST('' AS shop.Order).has_day", False),
        ("CAST('address {}' AS shop.Order).has_address", True),
        ("CAST('' AS shop.Order).address.has_city", None),
        ("SAFE_CAST('bogus: 1' AS shop.Order)", None),
        ("CAST(CAST('genre: ROLL' AS shop.Order).genre AS STRING)", "ROCK"),
        ("CAST(CAST(1 AS shop.Genre) AS STRING)", "JAZZ"),
        ("CAST(CAST('JAZZ' AS shop.Genre) AS INT64)", 1),
        ("SAFE_CAST(7 AS shop.Genre)", None),
        ("CAST('JAZZ' AS shop.Genre) IN ('POP', 1)", True),
        ("CAST('JAZZ' AS shop.Genre) > 'POP'", True),
        ("COALESCE(CAST(NULL AS shop.Order), 'day: 7').day", 7),
        ("NEW shop.Order('JAZZ' AS genre, ['x'] AS tags, NULL AS day).genre", 1),
        ("NEW shop.Order(NEW shop.Order.Address('x' AS city) AS address).address.city", "x"),
        ("CAST(NEW shop.Order() AS STRING)", ""),
        (
            "CAST(NEW shop.Order {number: 'a' day: 1 + 2, address { city: 'x' } "
            "items: [{product: 'p'}, {}]} AS STRING)",
            'number: "a" day: 3 address { city: "x" } items { product: "p" } items { }',
        ),
        ("NEW shop.Order {items {product: 'p'}}.items[OFFSET(0)].product", "p"),
        ("ARRAY<shop.Order>[{day: 4}, NULL, {number: 'a'}][OFFSET(0)].day", 4),
        ("STRUCT<a INT64, o shop.Order>(1, {address {city: 'x'}}).o.address.city", "x"),
        ("ARRAY<STRUCT<o shop.Order, n INT64>>[({day: 6}, 1)][OFFSET(0)].o.day", 6),
        ("REPLACE_FIELDS(CAST('day: 1 number: \"a\"' AS shop.Order), 2 AS day).day", 2),
        ("CAST(REPLACE_FIELDS(CAST('day: 1' AS shop.Order), NULL AS day) AS STRING)", ""),
        ("(SELECT i.product FROM UNNEST(CAST('items {}' AS shop.Order).items) i)", ""),
        ("ARRAY(SELECT AS shop.Order 4 AS day)[OFFSET(0)].day", 4),
        ("ARRAY<shop.Order>['day: 5'][OFFSET(0)].day", 5),
        ("FORMAT('%t %T', CAST('JAZZ' AS shop.Genre), CAST('day: 5' AS shop.Order))", 'JAZZ "day: 5"'),
        ("FORMAT('%p|%6.4p|', CAST('number: \"a\" day: 5' AS shop.Order), CAST('day: 5' AS shop.Order))",
         'number: "a" day: 5|  day:|'),
        ("FORMAT('%P', CAST('number: \"a\" address { city: \"x\" }' AS shop.Order))",
         'number: "a"\naddress {\n  city: "x"\n}\n'),
        ("FORMAT('%p', CAST(NULL AS shop.Order))", None),
        ("FORMAT('%t', CAST(NULL AS shop.Order))", "NULL"),
        ("STRING(TO_JSON(CAST('JAZZ' AS shop.Genre)))", "JAZZ"),
    ],
)  # fmt: skip
def test_values(database: Any, expression: str, value: Any) -> None:
    assert rows(database, f"SELECT {expression}") == [[value]]


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        ("SELECT CAST('' AS shop.Order).nope", "INVALID_ARGUMENT", "1:31"),
        ("SELECT CAST('' AS shop.Order).has_tags", "INVALID_ARGUMENT", "1:31"),
        ("SELECT CAST('' AS shop.Order.Item).quantity", "INVALID_ARGUMENT", "1:36"),
        ("SELECT CAST('' AS shop.Hidden)", "INVALID_ARGUMENT", "1:19"),
        ("SELECT NEW shop.Nope()", "INVALID_ARGUMENT", "1:12"),
        ("SELECT NEW shop.Genre()", "INVALID_ARGUMENT", "1:12"),
        ("SELECT NEW shop.Order(5 AS nope)", "INVALID_ARGUMENT", "1:23"),
        ("SELECT NEW shop.Order('a')", "INVALID_ARGUMENT", "1:23"),
        ("SELECT NEW shop.Order('x' AS day)", "INVALID_ARGUMENT", "1:23"),
        ("SELECT NEW shop.Order(1 AS day, 2 AS day)", "INVALID_ARGUMENT", "1:33"),
        ("SELECT NEW shop.Strict('x' AS note)", "INVALID_ARGUMENT", "1:12"),
        ("SELECT NEW shop.Strict(NULL AS id)", "OUT_OF_RANGE", ""),
        ("SELECT CAST('bogus: 1' AS shop.Order)", "OUT_OF_RANGE", ""),
        ("SELECT CAST('NOPE' AS shop.Genre)", "OUT_OF_RANGE", ""),
        ("SELECT CAST('JAZZ' AS shop.Genre) = 'NOPE'", "INVALID_ARGUMENT", "1:37"),
        ("SELECT CAST('' AS shop.Order) = CAST('' AS shop.Order)", "INVALID_ARGUMENT", "1:8"),
        ("SELECT O FROM Orders ORDER BY O", "INVALID_ARGUMENT", "1:31"),
        ("SELECT CAST(CAST('' AS shop.Order) AS INT64)", "INVALID_ARGUMENT", "1:13"),
        ("SELECT NEW shop.Order {items {price: 1} items {}}", "INVALID_ARGUMENT", "1:41"),
        ("SELECT {day: 1}", "INVALID_ARGUMENT", "1:8"),
        ("SELECT FORMAT('%s', CAST('' AS shop.Order))", "INVALID_ARGUMENT", "1:8"),
        ("SELECT [{day: 1}]", "INVALID_ARGUMENT", "1:9"),
        ("SELECT ARRAY<shop.Order>[{nope: 1}]", "INVALID_ARGUMENT", "1:27"),
        ("SELECT ARRAY<INT64>[{day: 1}]", "INVALID_ARGUMENT", "1:21"),
    ],
)
def test_failures(database: Any, sql: str, code: str, place: str) -> None:
    assert failure(rows, database, sql) == (code, place)


def test_brace_constructors_take_the_type_of_the_column(database: Any) -> None:
    assert changed(
        database,
        "INSERT INTO Orders (Id, O, Os) VALUES (9, {day: 8}, [{day: 9}]) "
        "THEN RETURN Day, Os[OFFSET(0)].day",
    ) == [[8, 9]]
    database.update_ddl(
        [
            "CREATE TABLE Made (Id INT64, O shop.Order DEFAULT ({day: 3}), D INT64,"
            " P shop.Order AS ({day: D}) STORED) PRIMARY KEY (Id)"
        ]
    ).result()
    insert = "INSERT INTO Made (Id, D) VALUES (1, 2) THEN RETURN O.day, P.day"
    assert changed(database, insert) == [[3, 2]]


def test_columns_and_columns_generated_from_messages(database: Any) -> None:
    assert rows(database, "SELECT Id FROM Orders@{FORCE_INDEX=ByCity} WHERE City = 'c'") == [[1]]
    assert rows(database, "SELECT Id, Day FROM Orders WHERE O.number = 'a'") == [[1, 5]]
    assert rows(database, "SELECT Id FROM Orders WHERE O IS NULL") == [[3]]
    assert rows(database, "SELECT item.product FROM Orders o, o.O.items item ORDER BY 1") == [
        ["p"], ["q"],
    ]  # fmt: skip
    assert rows(
        database,
        "SELECT Id FROM Orders o WHERE EXISTS(SELECT * FROM o.O.items i WHERE i.product = 'p')",
    ) == [[1]]
    assert rows(database, "SELECT * FROM UNNEST([CAST('city: \"x\"' AS shop.Order.Address)])") == [
        ["", "x"]
    ]
    with database.snapshot() as snapshot:
        read = list(snapshot.read("Orders", ["O", "G"], KeySet(keys=[(1,)])))
    assert read == [[_order().SerializeToString(), 1]]


def test_types_on_the_wire(database: Any) -> None:
    with database.snapshot() as snapshot:
        results = snapshot.execute_sql("SELECT O, G FROM Orders WHERE Id = 1")
        list(results)
    assert [(field.type_.code, field.type_.proto_type_fqn) for field in results.fields] == [
        (TypeCode.PROTO, "shop.Order"),
        (TypeCode.ENUM, "shop.Genre"),
    ]
    order = _order()
    message = {"params": {"o": order}, "param_types": {"o": param_types.ProtoMessage(order)}}
    assert rows(database, "SELECT @o.day, @o.address.city", **message) == [[5, "c"]]
    where = "SELECT Id FROM Orders WHERE G = @g"
    for value, type_ in ((1, param_types.INT64), ("JAZZ", param_types.STRING), ("1", None)):
        given: dict[str, Any] = {"params": {"g": value}}
        if type_ is not None:
            given["param_types"] = {"g": type_}
        assert rows(database, where, **given) == [[1]]


@pytest.mark.parametrize(
    ("assigned", "left"),
    [
        ("r.O.day = r.O.day + 1, r.O.items = NULL, r.O.tags = NULL", 'day: 6 address { city: "c" }'),
        ("O.day = DEFAULT, O.items = [], O.tags = [], O.genre = 'JAZZ'", 'address { city: "c" } genre: JAZZ'),
        ("O.address.city = 'd', O.address.street = 's', O.items = [], O.tags = ['u']",
         'day: 5 address { street: "s" city: "d" } tags: "u"'),
        ("O = 'number: \"n\"'", 'number: "n"'),
        ("O = {number: 'n' address {city: 'z'}}", 'number: "n" address { city: "z" }'),
        ("O.address = NULL, O.items = [], (INSERT r.O.tags VALUES ('u'))", 'day: 5 tags: "t" tags: "u"'),
        ("O.address = NULL, O.tags = [], (DELETE r.O.items i WHERE i.product = 'p')",
         'day: 5 items { product: "q" }'),
        ("O.address = NULL, O.tags = [], (UPDATE r.O.items i SET i.price = 9 WHERE i.product = 'q')",
         'day: 5 items { product: "p" quantity: 2 } items { product: "q" price: 9 }'),
    ],
)  # fmt: skip
def test_updates_of_fields(database: Any, assigned: str, left: str) -> None:
    sql = f"UPDATE Orders r SET {assigned} WHERE Id = 1 THEN RETURN CAST(r.O AS STRING)"
    ((text,),) = changed(database, sql)
    assert text.removeprefix('number: "a" ') == left


@pytest.mark.parametrize(
    ("item", "left"),
    [
        ("(INSERT o.tags VALUES ('x'), ('y')), o.day = o.day + 1",
         'number: "m" day: 3 items { product: "p" } items { product: "q" } tags: "x" tags: "y"'),
        ("(UPDATE o.items i SET i.price = 1, i.product = 'P' WHERE i.product = 'p'), "
         "(INSERT o.items VALUES ({product: 'r'}))",
         'number: "m" day: 2 items { product: "P" price: 1 } '
         'items { product: "q" } items { product: "r" }'),
        ("(DELETE FROM o.items i WHERE i.product = 'p'), (DELETE o.tags t WHERE TRUE)",
         'number: "m" day: 2 items { product: "q" }'),
        ("o = {day: 9}", "day: 9"),
    ],
)  # fmt: skip
def test_updates_nested_in_updates(database: Any, item: str, left: str) -> None:
    """Check that a nested update changes only the element that matches its WHERE."""
    orders = "[{number: 'm' day: 2 items: [{product: 'p'}, {product: 'q'}]}, {day: 7}]"
    database.run_in_transaction(
        lambda txn: txn.execute_update(f"UPDATE Orders SET Os = {orders} WHERE Id = 2")
    )
    sql = f"UPDATE Orders r SET (UPDATE r.Os o SET {item} WHERE o.day = 2) WHERE Id = 2"
    returned = "ARRAY(SELECT CAST(o AS STRING) FROM UNNEST(r.Os) o WITH OFFSET AS n ORDER BY n)"
    assert changed(database, f"{sql} THEN RETURN {returned}") == [[[left, "day: 7"]]]


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("(UPDATE x.items i SET i.price = 1 WHERE TRUE)", "INVALID_ARGUMENT"),
        ("(UPDATE o.day d SET d = 1 WHERE TRUE)", "INVALID_ARGUMENT"),
        ("(INSERT o VALUES (1))", "INVALID_ARGUMENT"),
        ("o.day = 1, o.day = 2", "INVALID_ARGUMENT"),
        ("o.day = 1, o = NULL", "INVALID_ARGUMENT"),
        ("(UPDATE o.items i SET r.Id = 1 WHERE TRUE)", "INVALID_ARGUMENT"),
        ("(UPDATE o.items i SET i.price = 1)", "INVALID_ARGUMENT"),
    ],
)
def test_nested_updates_that_are_refused(database: Any, item: str, code: str) -> None:
    sql = f"UPDATE Orders r SET (UPDATE r.Os o SET {item} WHERE TRUE) WHERE Id = 2"
    assert failure(changed, database, sql)[0] == code


@pytest.mark.parametrize(
    ("assigned", "where", "code"),
    [
        ("O.day = 1", "Id = 3", "OUT_OF_RANGE"),
        ("O.address.city = 'c'", "Id = 2", "OUT_OF_RANGE"),
        ("O.day = 1, O.day = 2", "TRUE", "INVALID_ARGUMENT"),
        ("O.day = 1, O = NULL", "TRUE", "INVALID_ARGUMENT"),
        ("O.address = NULL, O.address.city = 'c'", "TRUE", "INVALID_ARGUMENT"),
        ("O.day = 'x'", "TRUE", "INVALID_ARGUMENT"),
        ("O.items.price = 1", "TRUE", "INVALID_ARGUMENT"),
        ("O.nope = 1", "TRUE", "INVALID_ARGUMENT"),
        ("O.weight = -1.0", "Id = 1", "OUT_OF_RANGE"),
    ],
)
def test_updates_that_are_refused(database: Any, assigned: str, where: str, code: str) -> None:
    sql = f"UPDATE Orders SET {assigned} WHERE {where}"
    assert failure(changed, database, sql)[0] == code


def test_the_bundle_changes(database: Any, request: pytest.FixtureRequest) -> None:
    request.addfinalizer(
        lambda: database.update_ddl(
            ["ALTER PROTO BUNDLE DELETE (shop.Hidden)"], proto_descriptors=DESCRIPTORS
        ).result()
    )
    api = database._instance._client.database_admin_api
    assert api.get_database_ddl(database=database.name).proto_descriptors == DESCRIPTORS
    assert failure(rows, database, "SELECT NEW shop.Hidden(1 AS id)")[0] == "INVALID_ARGUMENT"
    database.update_ddl(
        ["ALTER PROTO BUNDLE INSERT (shop.Hidden)"], proto_descriptors=DESCRIPTORS
    ).result()
    assert rows(database, "SELECT NEW shop.Hidden(1 AS id).id") == [[1]]
    shown = "SELECT SPANNER_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Orders'"
    assert ["`shop.Order`"] in rows(database, shown)
    assert ["ARRAY<`shop.Order`>"] in rows(database, shown)
