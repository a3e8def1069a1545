"""The races of the first versions, which are found, and the last versions, which have none."""

import booking
import pytest


@pytest.fixture
def hotel(spanner_factory, spanner_clock):
    for room in (1, 2):
        spanner_factory.Rooms(RoomId=room, IsOpen=True, Cents=10_000)
    spanner_factory.Guests(Guest="ann", Points=10)
    spanner_clock.advance(minutes=1)  # Old reads see these rows, too.


def call(function, *args):
    """The function under test with its arguments, for an exploration."""
    return lambda database: function(database, *args)


def mailing(function, guest):
    """A function that sends mails to a list of its own in each run."""
    return lambda database: function(database, [], guest, 20)


RACES = {
    "two guests in one room": (
        "phantom",
        {
            "ann": call(booking.book_after_a_look, "ann", 1, 3, 5),
            "bob": call(booking.book_after_a_look, "bob", 1, 4, 6),
        },
    ),
    "points of a stay and of a gift": (
        "lost update",
        {
            "stay": call(booking.add_points_after_a_look, "ann", 5),
            "gift": call(booking.add_points_after_a_look, "ann", 100),
        },
    ),
    "no room stays open": (
        "write skew",
        {
            "first": call(booking.close_room_repeatable, 1),
            "second": call(booking.close_room_repeatable, 2),
        },
    ),
    "a report of two times": (
        "inconsistent read",
        {"report": booking.report_by_two_snapshots, "ann": call(booking.book, "ann", 1, 3, 5)},
    ),
    "a payment made twice": ("unknown outcome", {"pay": call(booking.pay_again, "ann", 500)}),
    "a mail sent twice": (
        "non-idempotent retry",
        {"confirm": mailing(booking.confirm_within, "bob")},
    ),
    "a guest who never joined": (
        "gives up after ABORTED",
        {"join": call(booking.join_once, "bob")},
    ),
    "a price of yesterday": (
        "decision on a stale read",
        {
            "more": call(booking.raise_price_from_old, 1, 500),
            "much more": call(booking.raise_price_from_old, 1, 1_000),
        },
    ),
}
REPAIRED = {
    "two guests in one room": {
        "ann": call(booking.book, "ann", 1, 3, 5),
        "bob": call(booking.book, "bob", 1, 4, 6),
    },
    "points of a stay and of a gift": {
        "stay": call(booking.add_points, "ann", 5),
        "gift": call(booking.add_points, "ann", 100),
    },
    "no room stays open": {
        "first": call(booking.close_room, 1),
        "second": call(booking.close_room, 2),
    },
    "a report of two times": {
        "report": booking.report,
        "ann": call(booking.book, "ann", 1, 3, 5),
    },
    "a payment made twice": {"pay": call(booking.pay, "ann", 500)},
    "a mail sent twice": {"confirm": mailing(booking.confirm, "bob")},
    "a guest who never joined": {"join": call(booking.join, "bob")},
    "a price of yesterday": {
        "more": call(booking.raise_price, 1, 500),
        "much more": call(booking.raise_price, 1, 1_000),
    },
}


@pytest.mark.parametrize("name", RACES)
def test_a_race_is_found(hotel, spanner_explore, name):
    kind, actors = RACES[name]
    with pytest.raises(pytest.fail.Exception, match=kind):
        spanner_explore(actors)


@pytest.mark.parametrize("name", REPAIRED)
def test_and_its_repair(hotel, spanner_explore, name):
    assert spanner_explore(REPAIRED[name]).complete


def test_a_room_is_never_booked_twice(hotel, spanner_explore):
    """An invariant in place of the serial orders, for three guests at once."""

    def nights_are_taken_once(database):
        with database.snapshot() as snapshot:
            nights = booking.query(
                snapshot,
                "SELECT b.RoomId, night FROM Bookings b, "
                "UNNEST(GENERATE_ARRAY(b.FirstNight, b.LastNight)) AS night",
            )
        return len(nights) == len(set(nights))

    guests = {
        guest: call(booking.book, guest, 1, first, first + 2)
        for guest, first in (("ann", 1), ("bob", 2), ("cat", 3))
    }
    spanner_explore(guests, invariant=nights_are_taken_once, compare=None, faults=())
