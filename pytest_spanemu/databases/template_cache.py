"""A cache of the templates that programs build, kept from one run of pytest to the next.

A hundred Alembic revisions take seconds; the resulting schema statements take milliseconds. The
cache keeps the resulting statements and rows under a hash of everything that the programs depend
on: the code below the project's root, and the versions of all installed distributions. Sources of
plain SQL are as fast without the cache.

A template is not cached if the cache could not restore it exactly: with a sequence or identity
column that has been used, or with a proto bundle. Nor is it cached if the inputs of a source are
unknown.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from pytest_spanemu.databases import catalog, catalog_queries
from pytest_spanemu.databases.template import Schema, Template
from pytest_spanemu.options import Dialect
from pytest_spanemu.rows import writing
from pytest_spanemu.sources import Ddl, Program
from pytest_spanemu.sources.known_facts import KnownFacts
from pytest_spanemu.sources.source import code_below
from pytest_spanemu.sql import dialect_of
from spanemu.base.record import dataclass

FORMAT = 1  # changes with every change that an earlier version cannot read
_HEAD = f"spanemu template, format {FORMAT}\n".encode()
_METADATA = ("METADATA", "PKG-INFO", "")  # where distributions have it
IMAGES_MAX = 8  # the newest images of a kind are kept
IMAGES_BYTES_MAX = 256 << 20  # of a kind; the newest image is kept in any case


@dataclass(frozen=True, slots=True)
class Image:
    """The schema statements and rows of a database."""

    ddl: list[str]
    rows: catalog.Rows

    @classmethod
    def of(cls, template: Template, rows_max: int = 0) -> Image | None:
        """Return the image of a template, None if an image could not restore it exactly.

        Raises TooManyRows for a table with more than `rows_max` rows, if that is positive.
        """
        ddl = template.handle.ddl()
        if any("PROTO BUNDLE" in statement for statement in ddl) or _has_used_sequence(
            template.database
        ):
            return None
        known = catalog.Catalog.of(template.database)
        empty = catalog.empty_tables(template.database, known)
        return cls(ddl, catalog.read_all_rows(template.database, known, rows_max, empty))

    def build(self, template: Template, schema: Schema) -> None:
        """Build an empty template from the image. `schema` is the schema that the image is of."""
        steps = tuple(Ddl(text, str(schema), 1) for text in self.ddl)
        template.build(Schema(schema.sources, steps, schema.dialect))
        template.schema = schema
        catalog.insert_rows(template.database, self.rows)


class TemplateCache:
    """Images in a directory, by the hash of their inputs."""

    def __init__(self, directory: Path, root: Path, kind: str = "template") -> None:
        self._directory = directory
        self._root = root
        self._distributions: bytes | None = None
        self._kind = kind  # the first word of the files' names

    def of_kind(self, kind: str) -> TemplateCache:
        """Return a cache in the same directory, of other images."""
        other = TemplateCache(self._directory, self._root, kind)
        other._distributions = self._distributions
        return other

    def key(self, schema: Schema) -> str | None:
        """Return the hash of a schema's inputs; None for plain SQL, and if an input is unknown."""
        if not any(isinstance(step, Program) for step in schema.steps):
            return None
        digest = sha256(self.surroundings(schema.dialect))
        for source in schema.sources:
            inputs = source.inputs()
            if inputs is None:
                return None
            for part in (source.text.encode(), *inputs):
                digest.update(_hash(part))
        return digest.hexdigest()[:32]

    def surroundings(self, dialect: Dialect) -> bytes:
        """Return the hash of format, Python, dialect and installed distributions."""
        digest = sha256(_HEAD + sys.version.encode() + dialect.encode())
        if self._distributions is None:
            self._distributions = b"".join(sorted(_installed(self._root)))
        digest.update(self._distributions)
        return digest.digest()

    def load(self, key: str) -> Image | None:
        """Return the image of a key, None if there is none, or none of this format."""
        try:
            head, written = _parts(self._path(key).read_bytes())
            if head != _HEAD:
                return None
            image = pickle.loads(written)
        except Exception:  # The file is missing or incomplete.
            return None
        return image if isinstance(image, Image) else None

    def save(self, key: str, image: Image) -> None:
        """Save an image. Other processes see the complete file or none.

        An image that pickle does not reproduce is not saved.
        """
        written = pickle.dumps(image)
        if pickle.loads(written) != image:
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        temporary = self._path(f"{key}.{os.getpid()}")
        temporary.write_bytes(_HEAD + written)
        temporary.replace(self._path(key))
        self.prune()

    def facts(self, dialect: Dialect) -> KnownFacts:
        """Return the facts of code that an earlier run with the same packages has found."""
        return KnownFacts(self._path(sha256(self.surroundings(dialect)).hexdigest()[:32]))

    def prune(self) -> None:
        """Delete the oldest files of the kind beyond the bounds of number and size."""
        images = []
        for path in self._directory.glob(f"{self._kind}-*"):
            with suppress(FileNotFoundError):  # Another process prunes, too.
                status = path.stat()
                images.append((status.st_mtime_ns, status.st_size, path))
        size = 0
        for rank, (_, own, path) in enumerate(sorted(images, reverse=True)):
            size += own
            if rank >= IMAGES_MAX or (rank and size > IMAGES_BYTES_MAX):
                path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._directory / f"{self._kind}-{name}.pickle"


def _parts(content: bytes) -> tuple[bytes, bytes]:
    """Return the first line of a file, which names its format, and the rest."""
    end = content.index(b"\n") + 1
    return content[:end], content[end:]


def cache_of(config: pytest.Config) -> TemplateCache | None:
    """Return the cache in pytest's cache directory, None with `-p no:cacheprovider`."""
    cache = getattr(config, "cache", None)
    return None if cache is None else TemplateCache(cache.mkdir("spanemu"), config.rootpath)


def _has_used_sequence(database: Any) -> bool:
    """Return whether a sequence or identity column would start again in another database."""
    dialect = dialect_of(database)
    queries, sql = catalog_queries.queries_of(dialect), writing.row_sql_of(dialect)
    with database.snapshot(multi_use=True) as snapshot:
        calls = [
            sql.sequence_state.format(quoted=sql.quoted(_dotted(name)))
            for name in snapshot.execute_sql(queries.sequences)
        ]
        calls += [
            sql.identity_state.format(name=_dotted(name))
            for name in snapshot.execute_sql(queries.identities)
        ]
        states = list(snapshot.execute_sql(f"SELECT {', '.join(calls)}")) if calls else []
    return any(state is not None for row in states for state in row)


def _dotted(parts: Sequence[str]) -> str:
    return ".".join(filter(None, parts))


def _installed(root: Path) -> Iterator[bytes]:
    """Yield the head of each distribution's metadata, and the code of editable installations.

    The head has the name and the version. To parse it takes much longer than to read it.
    """
    for distribution in metadata.distributions():
        texts = map(distribution.read_text, _METADATA)
        yield next(filter(None, texts), "").partition("\n\n")[0].encode()
        origin = json.loads(distribution.read_text("direct_url.json") or "{}")
        if origin.get("dir_info", {}).get("editable"):
            directory = Path(unquote(urlsplit(origin["url"]).path))
            if not directory.is_relative_to(root):
                yield from map(_hash, code_below(directory))


def _hash(part: bytes) -> bytes:
    return sha256(part).digest()
