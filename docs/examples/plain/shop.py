"""A shop on the official client: what people write first, and what they write in the end."""

import uuid

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP, KeySet, param_types

OPEN_ORDERS = "SELECT OrderId, CustomerId FROM Orders WHERE Status = 'OPEN'"


def place_order(database, customer, cents):
    """A new order's id."""
    order = str(uuid.uuid4())
    database.run_in_transaction(
        lambda transaction: transaction.insert(
            "Orders",
            ["OrderId", "CustomerId", "Status", "Cents"],
            [[order, customer, "OPEN", cents]],
        )
    )
    return order


def close_order(database, order):
    """Raises LookupError for an order that is not open."""
    changed = database.run_in_transaction(
        lambda transaction: transaction.execute_update(
            "UPDATE Orders SET Status = 'CLOSED' WHERE OrderId = @order AND Status = 'OPEN'",
            params={"order": order},
            param_types={"order": param_types.STRING},
        )
    )
    if not changed:
        raise LookupError(f"order {order} is not open")


def open_orders_one_by_one(database):
    """N+1: a read for the customer of each order."""
    with database.snapshot() as snapshot:
        orders = list(snapshot.execute_sql(OPEN_ORDERS))
    found = []
    for order, customer in orders:
        with database.snapshot() as snapshot:
            ((name,),) = snapshot.read("Customers", ["Name"], KeySet(keys=[[customer]]))
        found.append((order, name))
    return found


def open_orders(database):
    """The same in one query."""
    with database.snapshot() as snapshot:
        rows = snapshot.execute_sql(
            "SELECT o.OrderId, c.Name FROM Orders o JOIN Customers c USING (CustomerId) "
            "WHERE o.Status = 'OPEN'"
        )
        return [tuple(row) for row in rows]


def dear_orders(database, cents):
    """Goes through all orders: there is no index on Cents."""
    with database.snapshot() as snapshot:
        return list(
            snapshot.execute_sql(
                "SELECT OrderId FROM Orders WHERE Cents > @cents",
                params={"cents": cents},
                param_types={"cents": param_types.INT64},
            )
        )


def save_event_by_time(database):
    """Every key is greater than all before: one server takes all writes."""
    with database.batch() as batch:
        batch.insert(
            "EventsByTime", ["SavedAt", "EventId"], [[COMMIT_TIMESTAMP, str(uuid.uuid4())]]
        )


def save_event(database):
    """Random keys spread over all servers."""
    with database.batch() as batch:
        batch.insert("Events", ["EventId", "SavedAt"], [[str(uuid.uuid4()), COMMIT_TIMESTAMP]])


def charge_and_mail(database, mails, order, cents):
    """The mail is sent in the function that is run again when the commit is aborted."""

    def work(transaction):
        mails.append(f"{order}: {cents}")
        _charge(transaction, str(uuid.uuid4()), order, cents)

    database.run_in_transaction(work)


def charge(database, mails, order, cents):
    """The mail is sent once, after the commit; a repetition uses the same key."""
    charge_id = str(uuid.uuid4())
    database.run_in_transaction(_charge, charge_id, order, cents)
    mails.append(f"{order}: {cents}")


def charge_without_retry(database, order, cents):
    """Commits by hand, and so gives up at the first abort."""
    session = database.session()
    session.create()
    try:
        with session.transaction() as transaction:
            _charge(transaction, str(uuid.uuid4()), order, cents)
    finally:
        session.delete()


def _charge(transaction, charge_id, order, cents):
    transaction.insert("Charges", ["ChargeId", "OrderId", "Cents"], [[charge_id, order, cents]])
