"""What each function does alone. These tests pass for the first versions as for the last ones."""

import booking
import pytest


@pytest.fixture
def hotel(spanner_database, spanner_factory):
    for room in (1, 2):
        spanner_factory.Rooms(RoomId=room, IsOpen=True, Cents=10_000)
    spanner_factory.Guests(Guest="ann", Points=10)
    return spanner_database


@pytest.mark.parametrize("book", [booking.book_after_a_look, booking.book])
def test_a_room_is_booked_once(hotel, spanner_sql, book):
    assert book(hotel, "ann", 1, 3, 5)
    assert not book(hotel, "bob", 1, 5, 6)
    assert book(hotel, "bob", 1, 6, 7)
    assert len(spanner_sql("SELECT * FROM Bookings")) == 2


@pytest.mark.parametrize("add", [booking.add_points_after_a_look, booking.add_points])
def test_points_are_added(hotel, spanner_sql, add):
    add(hotel, "ann", 5)
    assert spanner_sql("SELECT Points FROM Guests") == [{"Points": 15}]


@pytest.mark.parametrize("close", [booking.close_room_repeatable, booking.close_room])
def test_one_room_stays_open(hotel, close):
    assert close(hotel, 1)
    assert not close(hotel, 2)


@pytest.mark.parametrize("report", [booking.report_by_two_snapshots, booking.report])
def test_the_report_counts_bookings_and_nights(hotel, report):
    booking.book(hotel, "ann", 1, 3, 5)
    assert report(hotel) == [(1,), (3,)]


@pytest.mark.parametrize("pay", [booking.pay_again, booking.pay])
def test_a_payment_is_made(hotel, spanner_sql, pay):
    pay(hotel, "ann", 500)
    assert spanner_sql("SELECT Cents FROM Payments") == [{"Cents": 500}]
