"""The pages of the documentation, followed word for word in an empty folder.

`blocks` finds what a page says to type and to save, `walkthrough` does it, as a shell script, and
`environments` has virtual environments that need no network: `pip install` takes what is asked for,
with all that it requires and nothing else, from the packages of this environment.

With SPANEMU_TEST_PAGES set, pip installs for real, and pages are followed that need toolchains of
other languages.
"""
