"""The `spanemu` command: one module per subcommand, built on the public API.

In reading order: `commands` (the table of subcommands, whose modules load on use), `serve`,
`layout`, `lint`, `ddl`; for users of a running server, which `target` finds, and of its databases,
which `databases` finds, `env`, `health`, `doctor`, `gcloud`, `save`, `sql` (with the package
`shell`), and `dump` and `load`, which share `transfer_options`. Around `serve`: `lifecycle` (what
it prints when it is ready, signals and the exit), `instance_options` and `telemetry_options` (rules
of instances, and what it reports of its requests), `init_files` (files that it runs at the start),
`official` (the command lines of Google's emulator, for the container image), `process` (the CPU of
a server, and the bounds of its memory).
"""

from __future__ import annotations

from spanemu.cli.commands import main

__all__ = ["main"]
