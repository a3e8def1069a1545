"""A tour of Spanner with the official client; it prints the same wherever it runs.

python docs/tour.py                                        an emulator in this process
SPANNER_EMULATOR_HOST=localhost:9010 python docs/tour.py   what listens there
"""

from __future__ import annotations

import os

from google.auth.credentials import AnonymousCredentials
from google.cloud import spanner
from google.cloud.spanner_v1 import KeySet

import spanemu

SCHEMA = [
    """CREATE TABLE Singers (
      SingerId INT64 NOT NULL, FirstName STRING(1024), LastName STRING(1024)
    ) PRIMARY KEY (SingerId)""",
    """CREATE TABLE Albums (
      SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, AlbumTitle STRING(MAX)
    ) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE""",
    "CREATE INDEX AlbumsByTitle ON Albums (AlbumTitle)",
]


def tour(client: spanner.Client) -> None:
    config = next(iter(client.list_instance_configs())).name
    instance = client.instance("tour", configuration_name=config, node_count=1)
    instance.create().result(60)
    database = instance.database("music", ddl_statements=SCHEMA)
    database.create().result(60)

    with database.batch() as batch:
        singers = [(1, "Marc", "Richards"), (2, "Catalina", "Smith"), (3, "Alice", "Trentor")]
        batch.insert("Singers", ("SingerId", "FirstName", "LastName"), singers)
        albums = [(1, 1, "Total Junk"), (1, 2, "Go, Go, Go"), (2, 1, "Green")]
        batch.insert("Albums", ("SingerId", "AlbumId", "AlbumTitle"), albums)

    with database.snapshot() as snapshot:
        rows = snapshot.read("Singers", ("FirstName", "LastName"), KeySet(keys=[(2,)]))
        print("read by key:", *rows)
    with database.snapshot() as snapshot:
        by_title = snapshot.read("Albums", ("AlbumTitle",), KeySet(all_=True), "AlbumsByTitle")
        print("read by index:", [title for (title,) in by_title])
    with database.snapshot() as snapshot:
        joined = snapshot.execute_sql(
            """SELECT s.LastName, COUNT(*) AS Albums
               FROM Singers AS s JOIN Albums AS a USING (SingerId)
               GROUP BY s.LastName ORDER BY s.LastName"""
        )
        print("join:", list(joined))

    before = database.run_in_transaction(
        lambda transaction: transaction.execute_sql("SELECT CURRENT_TIMESTAMP()").one()[0]
    )

    def retitle(transaction: spanner.transaction.Transaction) -> int:
        return transaction.execute_update(
            "UPDATE Albums SET AlbumTitle = UPPER(AlbumTitle) WHERE SingerId = @id",
            params={"id": 1},
            param_types={"id": spanner.param_types.INT64},
        )

    print("rows updated:", database.run_in_transaction(retitle))
    title = "SELECT AlbumTitle FROM Albums WHERE SingerId = 1 AND AlbumId = 1"
    with database.snapshot(read_timestamp=before) as snapshot:
        print("title then:", *snapshot.execute_sql(title))
    with database.snapshot() as snapshot:
        print("title now:", *snapshot.execute_sql(title))

    with database.batch() as batch:
        batch.delete("Singers", KeySet(keys=[(1,)]))
    with database.snapshot() as snapshot:
        print("albums after a cascade:", list(snapshot.execute_sql("SELECT * FROM Albums")))
    database.drop()
    instance.delete()


if __name__ == "__main__":
    if "SPANNER_EMULATOR_HOST" in os.environ:
        tour(spanner.Client(project="tour", credentials=AnonymousCredentials()))
    else:
        with spanemu.Emulator() as emulator:
            tour(emulator.client())
