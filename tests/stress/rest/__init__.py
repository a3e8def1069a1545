"""Malformed requests to the REST port."""
