"""Resolves statements that write.

In reading order: `writing` (what they have in common), `insert`, `update`, `delete`; their parts
`assignments`, `parts`, `defaults`, `proposed_row`, `conflict`, `nested_dml`, `returning`.
"""
