"""What programs have made of a database, kept from one run of pytest to the next.

A hundred Alembic revisions take seconds, the statements they come to milliseconds. What is kept
is those statements and the rows, under a hash of all that the programs depend on: the code below
the project's root, the versions of everything that is installed. Files of SQL are as quick as this.

Not kept is what cannot be put back as it was: sequences and identities that have counted, proto
bundles. Nor is anything kept where the code that runs is not all known.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from pytest_spanemu.databases.catalog import Catalog, Rows, insert_rows, read_all_rows
from pytest_spanemu.databases.template import Schema, Template
from pytest_spanemu.rows.writing import quoted
from pytest_spanemu.sources import Ddl, Program
from pytest_spanemu.sources.files import code_below

FORMAT = b"1"
IMAGES_MAX = 8  # the newest ones
_SEQUENCES = "SELECT s.SCHEMA, s.NAME FROM INFORMATION_SCHEMA.SEQUENCES AS s"
_IDENTITIES = (
    "SELECT c.TABLE_SCHEMA, c.TABLE_NAME, c.COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS AS c "
    "WHERE c.IS_IDENTITY = 'YES'"
)


@dataclass(frozen=True, slots=True)
class Image:
    """A database as text and rows."""

    ddl: list[str]
    rows: Rows

    @classmethod
    def of(cls, template: Template) -> Image | None:
        """The image of a template; None where one would not be the same."""
        ddl = template.handle.ddl()
        if any("PROTO BUNDLE" in statement for statement in ddl) or _has_counted(template.database):
            return None
        return cls(ddl, read_all_rows(template.database, Catalog.of(template.database)))

    def build(self, template: Template, schema: Schema) -> None:
        """Make an empty template what this is; `schema` is what it was made of."""
        steps = tuple(Ddl(text, str(schema), 1) for text in self.ddl)
        template.build(Schema(schema.sources, steps))
        template.schema = schema
        insert_rows(template.database, self.rows)


class TemplateCache:
    """Images in a directory, by the hash of what they depend on."""

    def __init__(self, directory: Path, root: Path) -> None:
        self._directory = directory
        self._root = root

    def key(self, schema: Schema) -> str | None:
        """The hash of a schema's inputs; None where an image is of no use, or nobody knows them."""
        if not any(isinstance(step, Program) for step in schema.steps):
            return None
        digest = sha256(FORMAT + sys.version.encode())
        for source in schema.sources:
            inputs = source.inputs()
            if inputs is None:
                return None
            for part in (source.text.encode(), *inputs):
                digest.update(_hash(part))
        for part in sorted(_installed(self._root)):
            digest.update(part)
        return digest.hexdigest()[:32]

    def load(self, key: str) -> Image | None:
        """The image of a key, if it is there and can be read."""
        try:
            found = pickle.loads(self._path(key).read_bytes())
        except Exception:  # A file that is not there, not whole, or of another version.
            return None
        return found if isinstance(found, Image) else None

    def save(self, key: str, image: Image) -> None:
        """Keep an image; other processes see all of it or nothing."""
        written = pickle.dumps(image)
        if pickle.loads(written) != image:
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        draft = self._path(f"{key}.{os.getpid()}")
        draft.write_bytes(written)
        draft.replace(self._path(key))
        kept = sorted(self._directory.glob("template-*"), key=lambda path: path.stat().st_mtime)
        for old in kept[:-IMAGES_MAX]:
            old.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._directory / f"template-{name}.pickle"


def cache_of(config: pytest.Config) -> TemplateCache | None:
    """The cache in pytest's own; None with `-p no:cacheprovider`."""
    cache = getattr(config, "cache", None)
    return None if cache is None else TemplateCache(cache.mkdir("spanemu"), config.rootpath)


def _has_counted(database: Any) -> bool:
    """Whether a sequence or an identity would begin anew in another database."""
    with database.snapshot(multi_use=True) as snapshot:
        asked = [
            f"GET_INTERNAL_SEQUENCE_STATE(SEQUENCE {quoted(_dotted(name))})"
            for name in snapshot.execute_sql(_SEQUENCES)
        ]
        asked += [
            f"GET_TABLE_COLUMN_IDENTITY_STATE('{_dotted(name)}')"
            for name in snapshot.execute_sql(_IDENTITIES)
        ]
        states = list(snapshot.execute_sql(f"SELECT {', '.join(asked)}")) if asked else []
    return any(state is not None for row in states for state in row)


def _dotted(parts: Sequence[str]) -> str:
    return ".".join(filter(None, parts))


def _installed(root: Path) -> Iterator[bytes]:
    """Name and version of each distribution; the code, too, of one that is edited in its place."""
    for each in metadata.distributions():
        yield f"{each.name} {each.version}\n".encode()
        origin = json.loads(each.read_text("direct_url.json") or "{}")
        if origin.get("dir_info", {}).get("editable"):
            place = Path(unquote(urlsplit(origin["url"]).path))
            if not place.is_relative_to(root):
                yield from map(_hash, code_below(place))


def _hash(part: bytes) -> bytes:
    return sha256(part).digest()
