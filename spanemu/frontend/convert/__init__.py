"""Conversion between messages and plain data, one module for each concept.

Incoming: `types` (types, raw values and times), `selectors` (the transaction of a request),
`requests` (reads, statements, mutations, options), `small_commits` (the most frequent requests,
from their bytes), `enum_numbers` (numbers of no enumeration).
Outgoing: `results` (whole results), `chunks` (streamed results, also those whose rows appear over
time), `resume` (the tokens that resume broken streams).

This package also checks everything that a message alone can show to be wrong.
"""
