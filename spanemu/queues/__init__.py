"""Queues: which messages may be delivered, and the leases under which they are delivered.

    backlog     the messages of one queue and their leases, in memory
    follower    a backlog that follows the commits of its database, and wakes receivers
    receiving   the rows of the functions that receive messages and renew leases

The rows of the messages are ordinary rows of a table (`Table.is_queue`). A lease belongs to no
transaction: neither a rollback nor a backup knows it.
"""
