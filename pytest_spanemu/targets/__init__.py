"""Targets that tests run against: an emulator of this run, an external emulator, a real Spanner.

In reading order: `target` (one interface to all targets), `real` (Spanner Omni and Cloud Spanner),
`resource_names` (project, instance and database of each target, and the check that a project of
Cloud Spanner is allowed), `validated` (which tests have passed on a real Spanner).
"""
