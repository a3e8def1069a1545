"""A group of commands that suggests the command which a misspelt name most likely means."""

from __future__ import annotations

import click

from spanemu.base.suggestions import did_you_mean


class SuggestingGroup(click.Group):
    """A group whose error for an unknown command ends with one suggestion, or with none."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that `args` begin with. Raises click.UsageError."""
        name, known = args[0], self.list_commands(ctx)
        if name in known or name.startswith("-"):
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"No such command {name!r}.{did_you_mean(name, known)}", ctx)
