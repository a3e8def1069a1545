"""Functions of dates, timestamps and intervals.

In reading order: `date_parts` (DAY, WEEK(MONDAY)...), `instants` (an instant in the calendar of a
zone), the chapters `date`, `timestamp` and `interval` with `interval_arithmetic`; `formatting` (a
moment to text), and the way back, `parsing`, with `parse_elements`, `parse_fields`, `parse_weeks`.
"""
