"""Functions of dates, timestamps and intervals.

In reading order: `date_parts` (DAY, WEEK(MONDAY)..., and instants in a time zone), the chapters
`date`, `timestamp` and `interval`; `formatting` (FORMAT_DATE and
FORMAT_TIMESTAMP); and `parsing` (PARSE_DATE and PARSE_TIMESTAMP) with `parse_elements` and
`parse_fields`.
"""
