"""What PARSE_DATE and PARSE_TIMESTAMP have read of a text so far."""

from __future__ import annotations

from spanemu.values.zone import Zone


class Fields:
    """What has been read so far; what the text leaves out is from 1970-01-01 00:00:00."""

    __slots__ = (
        "afternoon",
        "century",
        "century_given",
        "day",
        "day_of_year",
        "hour",
        "hour_of_twelve",
        "instant",
        "iso_year",
        "minute",
        "month",
        "nanos",
        "offset",
        "order",
        "second",
        "week",
        "week_start",
        "year",
        "year_of_century",
        "zone",
    )

    def __init__(self) -> None:
        self.year = 1970
        self.month = self.day = 1
        self.hour = self.minute = self.second = self.nanos = 0
        self.year_of_century: int | None = None  # %y or %C was the last word on the year
        self.century = 0
        self.century_given = False
        self.hour_of_twelve = self.afternoon = False
        self.instant: int | None = None  # %s, which beats everything
        self.offset: int | None = None  # seconds
        self.zone: Zone | None = None
        self.week = self.week_start = self.day_of_year = self.iso_year = 0
        self.order: dict[str, int] = {}  # what was said of the date -> when it was last said

    def said(self, what: str) -> None:
        """Note that the text has just spoken of `what`."""
        self.order[what] = len(self.order) + max(self.order.values(), default=0) + 1
