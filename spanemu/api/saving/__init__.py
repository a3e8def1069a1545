"""The state of an emulator on disk: `--data-dir`, `--import` and `--export-on-exit`.

In reading order: `directory` (states that replace one another, and a lock; the errors), `state` (a
state as files), `keeper` (when an emulator loads and saves).

    data/
    ├── lock
    └── state-000012/
        ├── spanemu.json            the inventory: checksums, by which damage is found
        ├── state.json              the catalog, the format and the version that wrote it
        ├── database-0001/          a dump in JSON lines, as `spanemu dump` writes it
        └── backup-0001/            the content of a backup, in the same form
"""
