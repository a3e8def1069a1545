"""FORMAT: documented examples, flags, NULLs, literals, mistakes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest

from spanemu.sql.functions.errors import BadArgument
from spanemu.values.interval import Interval
from spanemu.values.json import parse
from spanemu.values.types import FLOAT32, INT64, STRING, TIMESTAMP, struct_of
from tests.unit.sql.functions.calling import call, typed

D = Decimal
NULL = typed(None, INT64)
MOMENT = typed(1_441_136_096_000_000_000, TIMESTAMP)
JSON_VALUE = parse('{"month": 10, "year": [2019]}')
PAIR = struct_of(("a", INT64), ("b", STRING))

CASES: list[tuple[tuple[Any, ...], str | None]] = [
    (("%d", 10), "10"),
    (("|%10d|", 11), "|        11|"),
    (("+%010d+", 12), "+0000000012+"),
    (("%'d", 123456789), "123,456,789"),
    (("%'d", -1234), "-1,234"),
    (("%'x", 12345678), "bc:614e"),
    (("%'o", 55555), "15,4403"),
    (("-%s-", "abcd efg"), "-abcd efg-"),
    (("%f %E", 1.1, 2.2), "1.100000 2.200000E+00"),
    (("%t", date(2015, 9, 1)), "2015-09-01"),
    (("%t", MOMENT), "2015-09-01 19:34:56+00"),
    (("%t %T", b"a'\"\\", b"a'"), 'a\\\'\\"\\\\ b"a\'"'),
    (("%i", -5), "-5"),
    (("%+d % d", 5, 5), "+5  5"),
    (("%-5d|", 42), "42   |"),
    (("%05d", -42), "-0042"),
    (("%.5d", 42), "00042"),
    (("%o %x %X", 392, 2042, 2042), "610 7fa 7FA"),
    (("%#o %#x %#X %#x", 8, 255, 255, 0), "010 0xff 0XFF 0x0"),
    (("%x %#o", -255, -8), "-ff -010"),
    (("%*d|%-*d", 5, 42, 4, 7), "   42|7   "),
    (("%*d|", -5, 42), "42   |"),
    (("%.*f", 2, 3.14159), "3.14"),
    (("%5.1f|%-8.2e|", 3.14159, 3.14159), "  3.1|3.14e+00|"),
    (("%#.3o %#o", 8, 0), "010 00"),
    (("%t %T", -0.0, -0.0), "-0.0 -0.0"),
    (("%.6d", 1234), "001234"),
    (("%'012d %-'9d|", 1234567, 1234), "0001,234,567 1,234    |"),
    (("%+.1f % .1f", 1.0, 1.0), "+1.0  1.0"),
    (("%08.2f|%-8.2f|", -1.5, 1.5), "-0001.50|1.50    |"),
    (("%g %g", 0.0001, 0.00001), "0.0001 1e-05"),
    (("%g %g", D("0.0001"), D("0.00001")), "0.0001 1e-05"),
    (("%.3g", D("1234")), "1.23e+03"),
    (("%#.0f %#.0e", D("2"), D("2")), "2. 2.e+00"),
    (("%'.1f", D("1234567.25")), "1,234,567.3"),
    (("%G", D("0.000001234")), "1.234E-06"),
    (("%g %g %G", 392.65, 39265000.0, 39265000.0), "392.65 3.9265e+07 3.9265E+07"),
    (("%#g", 1.5), "1.50000"),
    (("%f %F %g", inf, -inf, nan), "inf -INF nan"),
    (("%05f", inf), "  inf"),
    (("%'.2f", 1234567.891), "1,234,567.89"),
    (("%.0f", 2.5), "2"),
    (("%f", D("1.5")), "1.500000"),
    (("%.2f", D("2.675")), "2.68"),
    (("%.0f", D("2.5")), "3"),
    (("%.12f", D("-0.000000001")), "-0.000000001000"),
    (("%e", D("392.65")), "3.926500e+02"),
    (("%.2E", D("0.000123456")), "1.23E-04"),
    (("%e", D("0")), "0.000000e+00"),
    (("%.1e", D("9.96")), "1.0e+01"),
    (("%g", D("392.65")), "392.65"),
    (("%g", D("39265000")), "3.9265e+07"),
    (("%#g", D("1.5")), "1.50000"),
    (("%5s|%-5s|%.2s", "ab", "ab", "abcdef"), "   ab|ab   |ab"),
    (("%5s", "日本"), "   日本"),
    (("100%%",), "100%"),
    (("",), ""),
    (("%p", JSON_VALUE), '{"month":10,"year":[2019]}'),
    (("%P", JSON_VALUE), '{\n  "month": 10,\n  "year": [\n    2019\n  ]\n}'),
    (("00-%t-00", NULL), "00-NULL-00"),
    (("%T", NULL), "NULL"),
    (("%i", NULL), None),
    (("%d %s", 1, typed(None, STRING)), None),
    (("%*d", NULL, 1), None),
    ((typed(None, STRING), 1), None),
    (("%t", 123), "123"),
    (("%t %T", 1.0, 1.0), "1.0 1.0"),
    (("%t", 1e20), "1e+20"),
    (("%t %t %t", inf, -inf, nan), "inf -inf nan"),
    (("%T", inf), 'CAST("inf" AS FLOAT64)'),
    (("%T", typed(0.5, FLOAT32)), "0.5"),
    (("%t", D("12.50")), "12.5"),
    (("%T", D("12.50")), 'NUMERIC "12.5"'),
    (("%t", "sample"), "sample"),
    (("%T", "sample"), '"sample"'),
    (("%T", 'say "hi"\n'), "'say \"hi\"\\n'"),
    (("%T", "both \" and '"), '"both \\" and \'"'),
    (("%T", "back\\slash"), '"back\\\\slash"'),
    (("%t", b"abc\x01\x02"), "abc\\x01\\x02"),
    (("%T", b"abc\x01\xff"), 'b"abc\\x01\\xff"'),
    (("%t %T", True, False), "true false"),
    (("%T", date(2011, 2, 3)), 'DATE "2011-02-03"'),
    (("%T", typed(1_296_705_906_000_000_000, TIMESTAMP)), 'TIMESTAMP "2011-02-03 04:05:06+00"'),
    (("%t", Interval(14, 3, 14_706_789_000_000)), "1-2 3 4:5:6.789"),
    (
        ("%T", Interval(14, 3, 14_706_789_000_000)),
        'INTERVAL "1-2 3 4:5:6.789" YEAR TO SECOND',
    ),
    (("%t", (1, None, 3)), "[1, NULL, 3]"),
    (("%T", ("a", "b")), '["a", "b"]'),
    (("%T", typed((1, "x"), PAIR)), '(1, "x")'),
    (("%T", JSON_VALUE), 'JSON \'{"month":10,"year":[2019]}\''),
    (("%10t|", True), "      true|"),
    (("%.2t", "abc"), "ab"),
]


@pytest.mark.parametrize(("arguments", "expected"), CASES)
def test_value(arguments: tuple[Any, ...], expected: str | None) -> None:
    assert call("FORMAT", *arguments) == expected


FAILURES: list[Any] = [
    ("%s", 1),
    ("%d", "a"),
    ("%d", 1.5),
    ("%f", "a"),
    ("%p", "a"),
    ("%",),
    ("%5%",),
    ("%y", 1),
    ("%u", 1),
    ("%d",),
    ("%d", 1, 2),
    ("%*d", "a", 1),
    ("%99999999999d", 1),
    ("%*d", 1 << 40, 1),
    ("%.99999f", 1.0),
    ("%1000000s%1000000s", "a", "b"),
]


def test_zeros_of_the_precision_are_grouped_too() -> None:
    assert call("FORMAT", "%'.6d %'.10x", 1234, 255) == "001,234 00:0000:00ff"


@pytest.mark.parametrize("arguments", FAILURES)
def test_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(BadArgument):
        call("FORMAT", *arguments)
