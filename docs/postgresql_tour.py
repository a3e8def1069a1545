"""A tour of a PostgreSQL database with the official client; prints the same wherever it runs.

python docs/postgresql_tour.py                                        an emulator in this process
SPANNER_EMULATOR_HOST=localhost:9010 python docs/postgresql_tour.py   what listens there
"""

from __future__ import annotations

import os
from decimal import Decimal

from google.auth.credentials import AnonymousCredentials
from google.cloud import spanner
from google.cloud.spanner_admin_database_v1 import DatabaseDialect
from google.cloud.spanner_v1 import JsonObject, KeySet, param_types

import spanemu

SCHEMA = [
    """CREATE TABLE singers (
      singer_id bigint PRIMARY KEY, name character varying(100), paid numeric, info jsonb
    )""",
    """CREATE TABLE albums (
      singer_id bigint, album_id bigint, title text, PRIMARY KEY (singer_id, album_id)
    ) INTERLEAVE IN PARENT singers ON DELETE CASCADE""",
    "CREATE INDEX singers_by_name ON singers (name)",
]


def tour(client: spanner.Client) -> None:
    config = next(iter(client.list_instance_configs())).name
    instance = client.instance("postgresql", configuration_name=config, node_count=1)
    instance.create().result(60)
    database = instance.database("music", database_dialect=DatabaseDialect.POSTGRESQL)
    database.create().result(60)
    database.update_ddl(SCHEMA).result(60)

    with database.batch() as batch:
        info = JsonObject({"aa": 2, "b": 1})
        singers = [(1, "Marc", "10.50", info), (2, None, "NaN", None), (3, "Alice", "0.1", None)]
        batch.insert("singers", ("singer_id", "name", "paid", "info"), singers)
        albums = [(1, 1, "Total Junk"), (1, 2, "Go, Go, Go"), (3, 1, "Green")]
        batch.insert("albums", ("singer_id", "album_id", "title"), albums)

    with database.snapshot(multi_use=True) as snapshot:
        ((name, paid),) = snapshot.read("singers", ("name", "paid"), KeySet(keys=[(1,)]))
        print("read by key:", name, paid)
        by_name = snapshot.read("singers", ("name",), KeySet(all_=True), "singers_by_name")
        print("read by index:", *(name or "NULL" for (name,) in by_name))
        sql = "SELECT info->>'aa', info::text FROM singers WHERE singer_id = $1"
        ((item, text),) = snapshot.execute_sql(sql, {"p1": 1}, {"p1": param_types.INT64})
        print("jsonb:", item, text)
        sql = "SELECT name, paid + $1 FROM singers WHERE paid < $2 ORDER BY name DESC"
        given = {"p1": Decimal("0.005"), "p2": Decimal("11")}
        types = dict.fromkeys(given, param_types.PG_NUMERIC)
        sums = snapshot.execute_sql(sql, given, types)
        print("numeric:", "; ".join(f"{name} {paid}" for name, paid in sums))

    def retitle(transaction: spanner.transaction.Transaction) -> list[str]:
        sql = "UPDATE albums SET title = upper(title) WHERE singer_id = $1 RETURNING title"
        rows = transaction.execute_sql(sql, {"p1": 1}, {"p1": param_types.INT64})
        return sorted(title for (title,) in rows)

    print("returned:", "; ".join(database.run_in_transaction(retitle)))
    with database.batch() as batch:
        batch.delete("singers", KeySet(keys=[(1,)]))
    with database.snapshot() as snapshot:
        print("albums after a cascade:", *snapshot.execute_sql("SELECT * FROM albums").one())
    database.drop()
    instance.delete()


if __name__ == "__main__":
    if "SPANNER_EMULATOR_HOST" in os.environ:
        tour(spanner.Client(project="tour", credentials=AnonymousCredentials()))
    else:
        with spanemu.Emulator() as emulator:
            tour(emulator.client())
