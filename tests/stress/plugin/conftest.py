"""Settings for the tests of this folder."""

# The project has settings of its own, such as a random order, which would hold for every test.
collect_ignore = ["project"]
