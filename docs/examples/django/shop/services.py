"""What the shop does: as people write it first, and as they write it in the end."""

from django.db import transaction
from django.utils import timezone

from shop.models import Charge, Customer, Order, Visit, VisitByTime, new_id


def place_order(name, cents):
    """A new customer with a first order."""
    with transaction.atomic():
        return Order.objects.create(customer=Customer.objects.create(name=name), cents=cents)


def orders_one_by_one():
    """N+1: each order's customer is loaded when it is looked at."""
    return sorted((order.customer.name, order.cents) for order in Order.objects.all())


def orders():
    """Customers come with their orders."""
    return sorted(
        (order.customer.name, order.cents) for order in Order.objects.select_related("customer")
    )


def dear_orders(cents):
    """Goes through all orders: there is no index on the price."""
    return list(Order.objects.filter(cents__gt=cents))


def save_visit_by_time():
    """Every key is greater than all before: one server takes all writes."""
    VisitByTime.objects.create(at=timezone.now())


def save_visit():
    """Random keys spread over all servers."""
    Visit.objects.create(at=timezone.now())


def charge(order, cents):
    """The backend begins an aborted transaction anew."""
    with transaction.atomic():
        Charge.objects.create(order=order, cents=cents)


def import_charges_without_retry(database, charges):
    """Mutations, for speed, in a transaction by hand, which gives up at the first abort."""
    session = database.session()
    session.create()
    try:
        with session.transaction() as found:
            _insert(found, charges)
    finally:
        session.delete()


def import_charges(database, charges):
    """The client runs the function again when the commit is aborted."""
    database.run_in_transaction(_insert, charges)


def _insert(found, charges):
    rows = [[new_id(), order, cents] for order, cents in charges]
    found.insert("shop_charge", ["id", "order", "cents"], rows)
