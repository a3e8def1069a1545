"""What tests run against: an emulator here, one elsewhere, or a real Spanner.

In reading order: `target` (all of them behind one face), `real`, `places` (where databases are,
and the guard that keeps tests out of others), `validated` (what has passed on a real Spanner).
"""
