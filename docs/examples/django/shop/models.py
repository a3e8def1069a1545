"""Orders and visits of a shop."""

import uuid

from django.db import models


def new_id():
    """A random key: keys that rise would all go to one server."""
    return str(uuid.uuid4())


class Customer(models.Model):
    """Who orders."""

    id = models.CharField(primary_key=True, max_length=36, default=new_id)
    name = models.CharField(max_length=100)


class Order(models.Model):
    """What they order."""

    id = models.CharField(primary_key=True, max_length=36, default=new_id)
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE)
    cents = models.IntegerField()


class Charge(models.Model):
    """What they pay."""

    id = models.CharField(primary_key=True, max_length=36, default=new_id)
    order = models.CharField(max_length=36)
    cents = models.IntegerField()


class VisitByTime(models.Model):
    """A visit under a key that rises with time."""

    at = models.DateTimeField(primary_key=True)


class Visit(models.Model):
    """A visit under a random key."""

    id = models.CharField(primary_key=True, max_length=36, default=new_id)
    at = models.DateTimeField()
