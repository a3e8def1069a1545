"""Whether spanemu works with the versions that pyproject.toml names: `python -m tests.versions`.

`bounds` reads the lowest versions of what spanemu needs, `interpreters` finds the newest Python,
and `__main__` installs either in an environment of its own and runs the tour, `smoke` and the
example projects there.
"""
