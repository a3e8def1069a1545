"""to_char of numbers; PostgreSQL 15 gave all results. None stands for an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.formatting.number_writer import (
    float4_to_char,
    float8_to_char,
    int8_to_char,
    numeric_to_char,
)
from spanemu.values import pg_numeric
from spanemu.values.floats import round32
from tests.unit.sql.functions.postgresql.context import code_of

NUMBERS: list[tuple[str, str, str, str | None]] = [
    ("numeric", "-125.8", "999D99S", "125.80-"),
    ("numeric", "148.5", "999.999", " 148.500"),
    ("numeric", "3148.5", "9G999D999", " 3,148.500"),
    ("numeric", "-485", "999S", "485-"),
    ("numeric", "-485", "999MI", "485-"),
    ("numeric", "485", "999MI", "485 "),
    ("numeric", "485", "FM999MI", "485"),
    ("numeric", "485", "PL999", "+ 485"),
    ("numeric", "485", "SG999", "+485"),
    ("numeric", "-485", "9SG99", "4-85"),
    ("numeric", "-485", "999PR", "<485>"),
    ("bigint", "485", "L999", "  485"),
    ("bigint", "485", "RN", "        CDLXXXV"),
    ("bigint", "485", "FMRN", "CDLXXXV"),
    ("numeric", "5.2", "FMRN", "V"),
    ("bigint", "482", "999th", " 482nd"),
    ("numeric", "485.8", '"Pre:"999" Post:" .999', "Pre: 485 Post: .800"),
    ("bigint", "12", "99V999", " 12000"),
    ("numeric", "12.4", "99V999", " 12400"),
    ("numeric", "12.45", "99V9", " 125"),
    ("numeric", "0.0004859", "9.99EEEE", " 4.86e-04"),
    ("float8", "NaN", "9.9EEEE", " #.#####"),
    ("float8", "Infinity", "999999999", "  Infinity"),
    ("numeric", "-0.1", "FM90.99", "-0.1"),
    ("numeric", "0.1", "0.9", " 0.1"),
    ("numeric", "0.1", "FM9.9", ".1"),
    ("bigint", "12", "0000000009", " 0000000012"),
    ("numeric", "-9.9", "9PR.9", None),
    ("numeric", "9.9", "9.9V9", None),
    ("numeric", "1", "9EEEEFM", None),
    ("numeric", "1", "S9S", None),
    ("numeric", "NaN", "RN", None),
    ("bigint", "9223372036854775807", "9V9", None),
    ("numeric", "-123.5", "0000PR,.", "<0124,"),
    ("numeric", "123.45", "", ""),
    ("float4", "-0.5", "MI.SG", "-.-"),
    ("numeric", "0.1", "FM999th", "0th"),
    ("bigint", "0", " ", " "),
    ("float8", "12.49", "PL999999th", "+     12th"),
    ("float8", "123.45", "S99999D90MI", None),
    ("float8", "11", "FMMI999MI", "11"),
    ("numeric", "0.5", "rnGl", "              i  "),
    ("bigint", "0", " x", " x"),
    ("float4", "-12.46", "-d00thg9$", "--.##,#$"),
    ("numeric", "1", "Cx9plV", "x 1+"),
    ("bigint", "3999", "MI999009.99RN", "       MMMCMXCIX"),
    ("bigint", "1", "SG999009SG", "+   001+"),
    ("float4", "1000000", "G0MIG", " # ,"),
    ("float8", "1000000", "FMSG999,099D0990FM", "+###,###.####"),
    ("numeric", "99999", "prprpr.gSPpr", " .  "),
    ("numeric", "2.5", "L90,009.9909S", "  0,002.5000+"),
    ("bigint", "-12", '"a9"EEEEgDDl', None),
    ("bigint", "21", "L0V9", "  ##"),
    ("float8", "NaN", "FMS9999009FM", "+NaN"),
    ("numeric", "0.999", "SBPReeeeeeeev", None),
    ("float8", "1e10", "FMprMiPR", "Mi"),
    ("float8", "NaN", "99999.9999", "   NaN"),
    ("float8", "0.00012345", "FM9000RN", "###############"),
    ("numeric", "3", "FMMI999990999DPR", None),
    ("bigint", "1", ",9G", "  1,"),
    ("bigint", "-12", "$BG  ,99", "$    -12"),
    ("numeric", "NaN", "sgPLSG", "+++"),
    ("numeric", "-0.1", "SG999G9099PL", "+     000+"),
    ("bigint", "11", "eeeeGs", None),
    ("numeric", "113", "PL9G9", "+ #,#"),
    ("float4", "1000000", ". 9FMPLth9.", None),
    ("bigint", "0", "plRN", " ###############"),
    ("float8", "0.999", "PL99990009S", None),
    ("bigint", "-12", "FMSG9990,0099.99FM", "-0,0012."),
    ("float4", "-0.5", "SG90009D9SG", "- 0000.5-"),
    ("bigint", "3999", "FMPL9900D999MI", "+3999."),
    ("numeric", "0.5", ".0THth", " .#"),
    ("numeric", "22", ",sg9THpr", None),
    ("float8", "3999.5", "9RN0th99MIsg", "############### "),
    ("numeric", "-0.1", "TH0", "TH 0"),
    ("float8", "-1", "000D9909MI", "001.0000-"),
    ("numeric", "1.5", "SG99,009.99TH", "+   001.50"),
    ("float8", "NaN", "L999999D9999V9", None),
    ("float8", "-123.5", ",", " "),
    ("numeric", "-1", "sgS90$", None),
    ("bigint", "4567890123456789", "9dMISth", None),
    ("bigint", "0", "MI99G009.", "    000"),
    ("bigint", "4567890123456789", "FMv90", "##"),
    ("float4", "12", "PL999G999TH", "+      12TH"),
    ("float8", "1000000", 'RNélGVé\\"', '###############é  é"'),
    ("float8", "1", "é9v,svx", "é1+,x"),
    ("numeric", "12", "099,", " 012,"),
    ("float4", "0.5", "S999", "  +0"),
    ("bigint", "1", "$s", "$"),
    ("numeric", "9.99", "0THFMéSG", "#é+"),
    ("float8", "9.99", 'lfm0g9V9\\"', ' 1,00"'),
    ("float8", "-1", 'THCMi9L\\"', 'Mi-1 "'),
    ("float8", "0", "SG99900TH", "+   00TH"),
    ("float4", "99999", "S099PR", None),
    ("numeric", "12", "thfmSGSG0-0G", "th++1-2,"),
    ("float4", "123.45", "SG9999900D999PR", None),
    ("bigint", "4567890123456789", "BfmRNDrn9RN", None),
    ("float4", "12", "S9,99.99", "  +12.00"),
    ("numeric", "12", "FMthsg", None),
    ("float4", "2.5", "9SPpr  SGé", "2  +é"),
    ("numeric", "1", 'pl\\",CVl9', '+"   #'),
    ("float8", "1.5", "FMMI990G099.90", "0,001.50"),
    ("float8", "-7799461.4119", "90009D909", "-#####.###"),
    ("float4", "3999.5", "MI90099.990MI", "  3999.50"),
    ("float4", "99.95", "99009.SG", "  100"),
    ("bigint", "21", "9G99", "   21"),
    ("bigint", "21", ".PRGG", " .   "),
    ("numeric", "12", "0 99,PRx9", None),
    ("float4", "-0.5", "9D.0Ls-", None),
    ("float8", "-123.5", "S9999FM", "-124"),
    ("float8", "0.00012345", "9mi0C", "  0"),
    ("float4", "1", "MI999G000", "     001"),
    ("float4", "0.999", "FM9999G90009S", "0001+"),
    ("bigint", "123", "FM90G999D9999th", "0,123."),
    ("float8", "3", "MI99PR", None),
    ("float4", "9.99", "0G99D99", " 0,09.99"),
    ("numeric", "-0.1", "L9999EEEE", "-1e-01"),
    ("bigint", "1", "FMMI999099D99S", None),
    ("bigint", "0", "S9,99MI", None),
    ("float4", "1e10", "SG9999,90099.PR", None),
]
WRITERS: dict[str, tuple[Callable[[str], Any], Callable[[Any, str], str]]] = {
    "numeric": (pg_numeric.parse, numeric_to_char),
    "bigint": (int, int8_to_char),
    "float8": (float, float8_to_char),
    "float4": (lambda text: round32(float(text)), float4_to_char),
}


@pytest.mark.parametrize(("kind", "number", "template", "expected"), NUMBERS)
def test_numbers(kind: str, number: str, template: str, expected: str | None) -> None:
    read, write = WRITERS[kind]
    if expected is None:
        assert code_of(write, read(number), template) is not None
    else:
        assert write(read(number), template) == expected


@pytest.mark.parametrize(
    ("kind", "number", "template", "code"),
    [
        ("numeric", "1", "9PR9", Code.INVALID_ARGUMENT),
        ("numeric", "1", "9.9.9", Code.INVALID_ARGUMENT),
        ("numeric", "NaN", "RN", Code.UNIMPLEMENTED),
        ("numeric", "3000000000", "RN", Code.OUT_OF_RANGE),
        ("bigint", "3000000000", "RN", Code.OUT_OF_RANGE),
        ("bigint", "9223372036854775807", "9V9", Code.OUT_OF_RANGE),
        ("float8", "Infinity", "999999999th", Code.INVALID_ARGUMENT),
    ],
)
def test_codes(kind: str, number: str, template: str, code: Code) -> None:
    read, write = WRITERS[kind]
    assert code_of(write, read(number), template) is code


TEMPLATES = st.text(st.sampled_from('90.,DGSVLBEFMIPRNTHth x"\\é'), max_size=20)


@given(st.floats(), TEMPLATES)
def test_no_template_breaks_a_float(number: float, template: str) -> None:
    assert code_of(float8_to_char, number, template) in (None, Code.INVALID_ARGUMENT)


@given(st.decimals(allow_infinity=False, allow_nan=False, places=4), TEMPLATES)
def test_no_template_breaks_a_numeric(number: Any, template: str) -> None:
    codes = (None, Code.INVALID_ARGUMENT, Code.OUT_OF_RANGE)
    assert code_of(numeric_to_char, pg_numeric.checked(number), template) in codes
