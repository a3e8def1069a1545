"""What the change streams of a database watch, as its schema changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred
from spanemu.schema.schema import Schema
from spanemu.storage.store import Store

if TYPE_CHECKING:
    from spanemu.change_streams import tracking
else:
    tracking = deferred("spanemu.change_streams.tracking")


def follow_schema(store: Store, schema: Schema, at: int, new_token: Callable[[], str]) -> None:
    """Record what the streams of a schema watch, which is current from `at` on.

    The caller holds the store's mutex.
    """
    if schema.change_streams:
        tracking.watch_streams(store, schema, at, new_token)
    elif store.change_log is not None:
        store.watch(None)
