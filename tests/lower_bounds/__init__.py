"""Whether the lowest versions that pyproject.toml admits work: `python -m tests.lower_bounds`.

`bounds` reads them, `__main__` installs exactly those in an environment of their own, and runs the
tour, `smoke` and the example projects there.
"""
