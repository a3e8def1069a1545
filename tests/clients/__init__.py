"""The tour of docs/tour.py with the official clients for other languages, against a server."""
