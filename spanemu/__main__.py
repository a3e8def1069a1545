"""`python -m spanemu` is the `spanemu` command."""

from __future__ import annotations

from spanemu.cli import main

if __name__ == "__main__":
    main(prog_name="spanemu")
