"""The shell of `spanemu sql`.

In reading order: `script` divides input into statements and commands; `database_session` runs
statements over the official client; `cells` and `output` show results; `failures` shows errors;
`interpreter` is the shell's state, runs statements and shows plans; `catalog` reads
INFORMATION_SCHEMA; `commands` are those that begin with a backslash; `editor` is for
terminals, and `graph_names` completes graph queries there.
"""
