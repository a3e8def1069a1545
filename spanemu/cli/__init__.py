"""The `spanemu` command: one module per subcommand, on the public API alone.

In reading order: `commands` (the table of subcommands, loaded when used), `suggesting_group` (what
it says to an unknown one), `serve`, `layout`, `lint`, `ddl`; `home_cpu` is where a server runs, and
`process_memory` how much memory it takes.
"""

from __future__ import annotations

from spanemu.cli.commands import main

__all__ = ["main"]
