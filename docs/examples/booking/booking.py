"""A booking application: what people write first, and what they write in the end."""

import uuid
from datetime import timedelta

from google.api_core.exceptions import Aborted, AlreadyExists, DeadlineExceeded
from google.cloud.spanner_v1 import TransactionOptions, param_types

REPEATABLE_READ = TransactionOptions.IsolationLevel.REPEATABLE_READ
OVERLAPPING = (
    "SELECT BookingId FROM Bookings WHERE RoomId = @room AND FirstNight <= @last "
    "AND LastNight >= @first"
)
BOOKINGS = ["BookingId", "RoomId", "FirstNight", "LastNight", "Guest", "Cents"]


def query(reader, sql, **params):
    """The rows of a query by a snapshot or a transaction."""
    types = {
        name: param_types.STRING if isinstance(value, str) else param_types.INT64
        for name, value in params.items()
    }
    return [tuple(row) for row in reader.execute_sql(sql, params=params, param_types=types)]


# ---------------------------------------------------------------------------- booking a room


def book_after_a_look(database, guest, room, first, last):
    """Look whether the room is free, then insert: two guests can look before either inserts."""
    with database.snapshot() as snapshot:
        if query(snapshot, OVERLAPPING, room=room, first=first, last=last):
            return False
    with database.batch() as batch:
        batch.insert("Bookings", BOOKINGS, [_booking(guest, room, first, last)])
    return True


def book(database, guest, room, first, last):
    """Look and insert in one transaction, which locks the nights that it has looked at."""
    booking = _booking(guest, room, first, last)

    def work(transaction):
        if query(transaction, OVERLAPPING, room=room, first=first, last=last):
            return False
        transaction.insert("Bookings", BOOKINGS, [booking])
        return True

    return database.run_in_transaction(work)


def _booking(guest, room, first, last, cents=0):
    return (str(uuid.uuid4()), room, first, last, guest, cents)


# ---------------------------------------------------------------------------- points


def add_points_after_a_look(database, guest, points):
    """Write what a snapshot has shown, plus some: points that another adds meanwhile are lost."""
    with database.snapshot() as snapshot:
        ((before,),) = query(
            snapshot, "SELECT Points FROM Guests WHERE Guest = @guest", guest=guest
        )
    with database.batch() as batch:
        batch.update("Guests", ["Guest", "Points"], [(guest, before + points)])


def add_points(database, guest, points):
    """Let Spanner add."""
    database.run_in_transaction(
        lambda transaction: transaction.execute_update(
            "UPDATE Guests SET Points = Points + @points WHERE Guest = @guest",
            params={"guest": guest, "points": points},
            param_types={"guest": param_types.STRING, "points": param_types.INT64},
        )
    )


# ---------------------------------------------------------------------------- closing rooms

OPEN = "SELECT RoomId FROM Rooms WHERE IsOpen"


def close_room_repeatable(database, room):
    """Close a room unless it is the last open one. REPEATABLE READ checks only what is written."""
    return _close(database, room, OPEN, isolation_level=REPEATABLE_READ)


def close_room(database, room):
    """The same, and the rooms that the decision depends on are read FOR UPDATE."""
    return _close(database, room, f"{OPEN} FOR UPDATE", isolation_level=REPEATABLE_READ)


def _close(database, room, sql, **options):
    def work(transaction):
        if query(transaction, sql) == [(room,)]:
            return False
        transaction.update("Rooms", ["RoomId", "IsOpen"], [(room, False)])
        return True

    return database.run_in_transaction(work, **options)


# ---------------------------------------------------------------------------- a report

COUNT = "SELECT COUNT(*) FROM Bookings"
SUM = "SELECT SUM(LastNight - FirstNight + 1) FROM Bookings"


def report_by_two_snapshots(database):
    """Bookings and nights, each as of another time."""
    figures = []
    for sql in (COUNT, SUM):
        with database.snapshot() as snapshot:
            figures += query(snapshot, sql)
    return figures


def report(database):
    """Bookings and nights as of one time."""
    with database.snapshot(multi_use=True) as snapshot:
        return query(snapshot, COUNT) + query(snapshot, SUM)


# ---------------------------------------------------------------------------- payments


def pay_again(database, guest, cents):
    """Pay, and once more if no answer comes: the first payment may have been made."""
    for _ in range(2):
        try:
            return _pay(database, str(uuid.uuid4()), guest, cents)
        except DeadlineExceeded:
            continue
    return None


def pay(database, guest, cents):
    """Pay under an id of this payment, by which a second attempt finds the first."""
    payment = str(uuid.uuid4())
    for _ in range(2):
        try:
            return _pay(database, payment, guest, cents)
        except DeadlineExceeded:
            continue
        except AlreadyExists:
            return None
    return None


def _pay(database, payment, guest, cents):
    database.run_in_transaction(
        lambda transaction: transaction.insert(
            "Payments", ["PaymentId", "Guest", "Cents"], [(payment, guest, cents)]
        )
    )


# ---------------------------------------------------------------------------- mails


def confirm_within(database, mails, guest, points):
    """The mail is sent in the function that runs again when its transaction was aborted."""

    def work(transaction):
        mails.append(guest)
        transaction.insert_or_update("Guests", ["Guest", "Points"], [(guest, points)])

    database.run_in_transaction(work)
    return list(mails)


def confirm(database, mails, guest, points):
    """The mail is sent once, after the commit."""
    database.run_in_transaction(
        lambda transaction: transaction.insert_or_update(
            "Guests", ["Guest", "Points"], [(guest, points)]
        )
    )
    mails.append(guest)
    return list(mails)


def join_once(database, guest):
    """Take an aborted transaction for a failure that is over."""
    try:
        database.run_in_transaction(_join, guest, timeout_secs=0)
    except Aborted:
        return


def join(database, guest):
    """Let the client library repeat the transaction."""
    database.run_in_transaction(_join, guest)


def _join(transaction, guest):
    transaction.insert("Guests", ["Guest", "Points"], [(guest, 0)])


# ---------------------------------------------------------------------------- prices


def raise_price_from_old(database, room, cents):
    """Raise a price from what it was ten seconds ago."""
    with database.snapshot(exact_staleness=timedelta(seconds=10)) as snapshot:
        ((before,),) = query(snapshot, "SELECT Cents FROM Rooms WHERE RoomId = @room", room=room)
    with database.batch() as batch:
        batch.update("Rooms", ["RoomId", "Cents"], [(room, before + cents)])


def raise_price(database, room, cents):
    """Raise a price from what it is."""

    def work(transaction):
        rows = query(transaction, "SELECT Cents FROM Rooms WHERE RoomId = @room", room=room)
        transaction.update("Rooms", ["RoomId", "Cents"], [(room, rows[0][0] + cents)])

    database.run_in_transaction(work)
