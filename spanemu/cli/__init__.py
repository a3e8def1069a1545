"""The `spanemu` command: one module per subcommand, built on the public API.

In reading order: `commands` (the table of subcommands, whose modules load on use), `serve`,
`layout`, `lint`, `ddl`; for users of a running server, which `target` finds, `env`, `health` and
`doctor`; `home_cpu` chooses the CPU of a server, and `process_memory` bounds its
memory.
"""

from __future__ import annotations

from spanemu.cli.commands import main

__all__ = ["main"]
