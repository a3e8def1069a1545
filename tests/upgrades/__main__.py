"""Write the files of this version into a folder of its own: `python -m tests.upgrades`.

To be run once, for a release. A folder that exists is not changed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from google.cloud.spanner_admin_database_v1.types import Backup

import spanemu
from pytest_spanemu.databases.template_cache import Image, TemplateCache
from pytest_spanemu.kept_facts import write_facts
from spanemu.cli.commands import main as spanemu_command
from tests.upgrades import kept


def main() -> int:
    """Return 0, or 1 if the folder of this version exists."""
    folder = kept.HERE / spanemu.__version__
    if folder.exists():
        print(f"{folder} exists: what a released version wrote does not change")
        return 1
    folder.mkdir()
    write(folder)
    print(f"{folder}: {sum(path.is_file() for path in folder.rglob('*'))} files")
    return 0


def write(folder: Path) -> None:
    """Write all files of this version."""
    _write_databases(folder)
    write_facts(folder / kept.COUNTS, kept.FACTS)
    write_facts(folder / kept.VALIDATED, kept.PASSED)
    image = Image(["CREATE TABLE T (\n  K INT64,\n) PRIMARY KEY(K)"], [("T", ("K",), [[1], [2]])])
    TemplateCache(folder / kept.TEMPLATES, folder).save(kept.TEMPLATE_KEY, image)
    with tempfile.TemporaryDirectory() as directory:
        schema = Path(directory, "schema.sql")
        schema.write_text(kept.HOT, encoding="utf-8")
        baseline = str(folder / kept.BASELINE)
        arguments = ["lint", str(schema), "--baseline", baseline, "--update-baseline"]
        with suppress(SystemExit):
            spanemu_command(arguments, standalone_mode=False)


def _write_databases(folder: Path) -> None:
    with spanemu.Emulator(
        data_dir=folder / kept.DATA_DIR, start_time=kept.START, seed=1
    ) as emulator:
        for name, dialect in kept.DATABASES.items():
            kept.fill(emulator, name, dialect)
        database = emulator.database("google")
        emulator.client().database_admin_api.create_backup(
            parent=database.name.partition("/databases/")[0],
            backup_id=kept.BACKUP,
            backup=Backup(database=database.name, expire_time=kept.START + timedelta(days=365)),
        ).result()
        for form, name in kept.DUMPS.items():
            database.dump(folder / name, format=form)
        expected = {name: kept.answers(emulator, name) for name in kept.DATABASES}
    (folder / kept.DATA_DIR / "lock").unlink(missing_ok=True)
    text = json.dumps(expected, indent=1)
    (folder / kept.EXPECTED).write_text(f"{text}\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
