"""Seed files: rows that every test starts with.

    seeds/                  a directory: its files, tables in the order their constraints ask for
    NAME.csv                rows of table NAME; the first line names the columns
    NAME.json, .jsonl       rows of table NAME as objects; .yaml likewise, if PyYAML is installed
    *.json, *.yaml          tables: {"T": {"columns": [...], "rows": [[...]]}} or {"T": [{...}]}
    *.sql                   statements, run after all rows, in the order of their names

Values are in Spanner's wire form or plain JSON: INT64 as a number or a string, BYTES in base64,
TIMESTAMP and DATE as RFC 3339 text, "spanner.commit_timestamp()" for the time of the load. An empty
cell of a CSV file is NULL. What is wrong with a row is told with its file and line.

In reading order: `files` (which there are, and what is in them), `values`, `load`.
"""

from pytest_spanemu.seeds.files import default_seeds, seed_files
from pytest_spanemu.seeds.load import MUTATIONS_PER_COMMIT, load_seeds

__all__ = ["MUTATIONS_PER_COMMIT", "default_seeds", "load_seeds", "seed_files"]
