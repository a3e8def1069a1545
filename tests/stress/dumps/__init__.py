"""Dumps and loads of a large database: the memory of `spanemu dump` and `spanemu load`."""
