"""What a run tells when it is over.

In reading order: `figures` (what one test did), `book` (all of them; from xdist's workers to their
controller), `terminal` (a table), `documents` (files).
"""
