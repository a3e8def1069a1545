"""Messages to plain data and back, one module for each concept.

Incoming: `values` (raw values), `types`, `params`, `keys`, `mutations`, `timestamps`, `selectors`
(which transaction), `requests` (reads, statements, options). Outgoing: `encoding` (cells to bytes),
`results` (whole results), `chunks` (streamed results), `resume` (tokens of broken streams),
`plans`, `structs`.

Whatever can be judged from a message alone is judged here.
"""
