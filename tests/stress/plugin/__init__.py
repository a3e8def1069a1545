"""Tests that do everything that could reach the next test, in random order, on several workers."""
