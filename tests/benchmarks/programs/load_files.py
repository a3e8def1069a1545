"""The files of a large load: customers, their orders as an interleaved child, and the schema.

    python tests/benchmarks/programs/load_files.py FOLDER MEGABYTES

The same arguments make the same files. Customers come in the order of their keys, as in an export;
what the indexes sort is in random order. A row has 770 bytes on average, most of them a comment.
`write_files` returns the number of rows.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

SEED = 43
ORDERS_PER_CUSTOMER = 12  # on average
SCHEMA = """\
CREATE TABLE Customers (
  CustomerId INT64 NOT NULL,
  Name STRING(100) NOT NULL,
  Email STRING(MAX) NOT NULL,
  Since TIMESTAMP NOT NULL,
  Profile JSON,
) PRIMARY KEY (CustomerId);
CREATE UNIQUE INDEX CustomersByEmail ON Customers(Email);
CREATE TABLE Orders (
  CustomerId INT64 NOT NULL,
  OrderNumber INT64 NOT NULL,
  PlacedAt TIMESTAMP NOT NULL,
  Status STRING(16) NOT NULL,
  Quantity INT64 NOT NULL,
  Price FLOAT64 NOT NULL,
  Total FLOAT64 AS (Quantity * Price) STORED,
  Details JSON,
  Comment STRING(MAX),
) PRIMARY KEY (CustomerId, OrderNumber),
  INTERLEAVE IN PARENT Customers ON DELETE CASCADE;
CREATE INDEX OrdersByPlacedAt ON Orders(PlacedAt DESC);
CREATE INDEX OrdersByStatus ON Orders(Status, Total);
CREATE CHANGE STREAM OrderChanges FOR Orders(Status, Quantity);
"""
STATUSES = ("open", "paid", "shipped", "delivered", "returned")
WORDS = (
    "the order of a customer waits behind cheap green boxes and left the house in time for no "
    "other reason than that it had been packed twice by people who like their work"
).split()


def moment(chance: random.Random) -> str:
    day, second = chance.randrange(1, 29), chance.randrange(86_400)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    month, fraction = chance.randrange(1, 13), chance.randrange(10**6)
    return f"2025-{month:02}-{day:02}T{clock}.{fraction:06}Z"


def words(chance: random.Random, count: int) -> str:
    return " ".join(chance.choices(WORDS, k=count))


def customer(chance: random.Random, number: int) -> list[object]:
    profile = {
        "language": chance.choice(("de", "en", "fr")),
        "tags": chance.sample(WORDS, 3),
        "address": {"street": words(chance, 2), "number": chance.randrange(200)},
    }
    name = words(chance, 2).title()
    email = f"{chance.getrandbits(48):012x}.{number}@example.com"
    return [number, name, email, moment(chance), json.dumps(profile)]


def order(chance: random.Random, customer_number: int, number: int) -> list[object]:
    items = [
        {"sku": f"{chance.getrandbits(32):08x}", "count": chance.randrange(1, 9), "gift": False}
        for _ in range(chance.randrange(1, 4))
    ]
    details = {"items": items, "carrier": chance.choice(("ship", "rail", "road")), "weight": 1.5}
    comment = words(chance, chance.randrange(40, 252)) if chance.random() < 0.8 else "\\N"
    return [
        customer_number, number, moment(chance), chance.choice(STATUSES), chance.randrange(1, 100),
        chance.randrange(10**5) / 100, json.dumps(details), comment,
    ]  # fmt: skip


def orders(chance: random.Random, customer_number: int) -> Iterator[list[object]]:
    for number in range(1, chance.randrange(2 * ORDERS_PER_CUSTOMER)):
        yield order(chance, customer_number, number)


def write_files(folder: Path, megabytes: int) -> int:
    """Write the schema and so many megabytes of CSV."""
    chance, rows, customer_number, size = random.Random(SEED), 0, 0, megabytes << 20
    (folder / "schema.sql").write_text(SCHEMA)
    with (
        (folder / "Customers.csv").open("w", newline="") as customers_file,
        (folder / "Orders.csv").open("w", newline="") as orders_file,
    ):
        customers, children = csv.writer(customers_file), csv.writer(orders_file)
        while customers_file.tell() + orders_file.tell() < size:
            customer_number += 1
            customers.writerow(customer(chance, customer_number))
            several = list(orders(chance, customer_number))
            children.writerows(several)
            rows += 1 + len(several)
    header = {"dialect": "GOOGLE_STANDARD_SQL"}
    names = {
        "Customers": ("CustomerId", "Name", "Email", "Since", "Profile"),
        "Orders": ("CustomerId", "OrderNumber", "PlacedAt", "Status", "Quantity", "Price",
                   "Details", "Comment"),
    }  # fmt: skip
    tables = [
        {
            "table_name": table,
            "file_patterns": [f"{table}.csv"],
            "columns": [{"column_name": column} for column in columns],
        }
        for table, columns in names.items()
    ]
    (folder / "manifest.json").write_text(json.dumps({"tables": tables, **header}))
    return rows


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    print(write_files(target, int(sys.argv[2])))
