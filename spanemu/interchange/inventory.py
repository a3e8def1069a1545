"""The inventory of a folder: the file spanemu.json, by which damage to the other files is found.

    {"format": 1,
     "files": {"Singers.jsonl": {"bytes": 81, "sha256": "e3b0...", "rows": 2},
               "manifest.json": {"bytes": 240, "sha256": "98ea..."}},
     "sha256": "77c1..."}                          of the rest of the inventory

Spanner reads the manifests beside it and takes only the fields that it knows there. The inventory
is written first without files, and complete when the last file is: a folder whose dump was
interrupted is refused. A folder without an inventory was written by hand or by another tool.

A file is hashed while it is written. It is hashed again before the first row is loaded, so that a
damaged file changes nothing; that takes a small part of the time in which its rows are read.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from spanemu.interchange.errors import DamagedFile, InvalidDump, LoadRejected, reason_of

INVENTORY = "spanemu.json"
FORMAT = 1  # changes with every change that an earlier version cannot read
_BUFFER_BYTES = 1 << 16
_CHANGED = f"is damaged: its SHA-256 is not that in {INVENTORY}"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file as it was written; `rows` is None for a file without rows."""

    size: int
    sha256: str
    rows: int | None = None


# ---------------------------------------------------------------------------- write


class _HashedFile(io.FileIO):
    """A new file that computes the checksum of what is written to it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "wb")
        self.sha256 = hashlib.sha256()
        self.size = 0

    def write(self, data: Any) -> int:
        """Write bytes, perhaps not all of them, and return their number."""
        count = super().write(data) or 0
        self.sha256.update(memoryview(data)[:count])
        self.size += count
        return count


class FolderWriter:
    """A folder that is written. `rows` takes the number of rows of files that have any."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: dict[str, int] = {}
        self._files: dict[str, FileFacts] = {}

    @contextmanager
    def binary(self, name: str) -> Iterator[BinaryIO]:
        """Yield a new file."""
        raw = _HashedFile(self.folder / name)
        with io.BufferedWriter(raw, _BUFFER_BYTES) as file:
            yield file
        self._files[name] = FileFacts(raw.size, raw.sha256.hexdigest())

    @contextmanager
    def text(self, name: str) -> Iterator[TextIO]:
        """Yield a new text file, whose line ends are written as they are."""
        with (
            self.binary(name) as file,
            io.TextIOWrapper(file, encoding="utf-8", newline="") as text,
        ):
            yield text

    def write(self, name: str, content: str | bytes) -> None:
        """Write a whole file."""
        with self.binary(name) as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def add(self, name: str) -> None:
        """Add a file that exists, such as the inventory of a folder in this folder."""
        content = (self.folder / name).read_bytes()
        self._files[name] = FileFacts(len(content), hashlib.sha256(content).hexdigest())

    def plain_files(self) -> dict[str, dict[str, Any]]:
        """Return the files as the inventory lists them."""
        return {
            name: {"bytes": facts.size, "sha256": facts.sha256}
            | ({"rows": self.rows[name]} if name in self.rows else {})
            for name, facts in self._files.items()
        }


@contextmanager
def written_folder(
    folder: Path, options: Mapping[str, Any] | None = None
) -> Iterator[FolderWriter]:
    """Yield a writer of a folder, which is made if it does not exist, and write its inventory.

    `options` describe the form of the files, if it is not the default. The files of an earlier dump
    in the folder are deleted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    earlier = _earlier_files(folder)
    _write_inventory(folder, {"files": None})
    for path in earlier:
        path.unlink(missing_ok=True)
    files = FolderWriter(folder)
    yield files
    listed = {"options": dict(options)} if options else {}
    _write_inventory(folder, {**listed, "files": files.plain_files()})


def _earlier_files(folder: Path) -> list[Path]:
    """Return the files of the dump that a folder has. Names with a path are not of a dump."""
    try:
        earlier = read_inventory(folder)
    except (InvalidDump, LoadRejected):
        return []
    names = () if earlier is None else earlier.files
    return [folder / name for name in names if name == os.path.basename(name)]


def _write_inventory(folder: Path, content: Mapping[str, Any]) -> None:
    text = inventory_text({"format": FORMAT, **content})
    (folder / INVENTORY).write_text(text, encoding="utf-8", newline="\n")


def inventory_text(content: Mapping[str, Any]) -> str:
    """Return the text of an inventory, with its checksum."""
    whole = {**content, "sha256": _sha256(content)}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _sha256(content: Mapping[str, Any]) -> str:
    """Return the checksum of the inventory, which does not depend on its layout."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


# ---------------------------------------------------------------------------- read


@dataclass(frozen=True, slots=True)
class Inventory:
    """The files of a folder by name, and how they are to be read."""

    folder: Path
    files: Mapping[str, FileFacts]
    options: Mapping[str, Any] = field(default_factory=dict)

    def verify(self, names: Sequence[str] | None = None) -> None:
        """Compare files, by default all, with the inventory. Raises DamagedFile or OSError."""
        for name in self.files if names is None else names:
            path, facts = self.folder / name, self.files[name]
            if not path.is_file():
                problem = "is not a file" if path.exists() else f"is missing: {INVENTORY} lists it"
                raise DamagedFile(path, problem)
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size != facts.size:
                    raise DamagedFile(path, f"is damaged: it has {size} of {facts.size} bytes")
                if hashlib.file_digest(file, "sha256").hexdigest() != facts.sha256:
                    raise DamagedFile(path, _CHANGED)

    def rows(self, path: Path) -> int | None:
        """Return the number of rows of a file; None if it is not known."""
        facts = self.files.get(path.name) if path.parent == self.folder else None
        return None if facts is None else facts.rows

    def refuse_others(self, names: Sequence[str]) -> None:
        """Raise DamagedFile for a file of these names that is in the folder, but not listed."""
        for name in names:
            if name not in self.files and (self.folder / name).exists():
                raise DamagedFile(self.folder / name, f"is not a part of the dump of {INVENTORY}")


def read_inventory(folder: Path) -> Inventory | None:
    """Return the inventory of a folder; None if it has none.

    Raises DamagedFile, InvalidDump for the format of a later version, or OSError.
    """
    path = folder / INVENTORY
    if not os.path.lexists(path):
        return None
    if not path.is_file():
        raise DamagedFile(path, "is not a file")
    try:
        content = json.loads(path.read_bytes())
        if content["format"] > FORMAT:
            later = f"has format {content['format']}, and this version of spanemu reads {FORMAT}"
            raise InvalidDump(f"{path} {later}: load the dump with the version that wrote it")
        if content.pop("sha256") != _sha256(content):
            raise DamagedFile(path, "is damaged: it is not what spanemu wrote")
        if content["files"] is None:
            raise DamagedFile(path, "says that the dump was interrupted")
        files = {
            name: FileFacts(facts["bytes"], facts["sha256"], facts.get("rows"))
            for name, facts in content["files"].items()
        }
        return Inventory(folder, files, content.get("options", {}))
    except InvalidDump:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise DamagedFile(path, f"is damaged: {reason_of(problem)}") from problem


def verified_inventory(folder: Path) -> Inventory | None:
    """Return the inventory of a folder, whose files are as they were written; None without one.

    Raises DamagedFile, InvalidDump or OSError.
    """
    inventory = read_inventory(folder)
    if inventory is not None:
        inventory.verify()
    return inventory
