"""The shell of `spanemu sql`.

In reading order: `script` divides input into statements and commands; `database_session` runs
statements over the official client; `cells`, `table`, `output` and `plans` show results and plans;
`failures` shows errors; `interpreter` is the shell's state and runs statements; `catalog` reads
INFORMATION_SCHEMA; `commands` are those that begin with a backslash; `completion` and `editor` are
for terminals.
"""
